#include <array>

#include "tacet/choose/auto.h"

namespace tacet::choose {
namespace {

// As docs/methods/auto.md has them, which says what each rests on.
constexpr std::array rules{
    AutoRule{"epsilon inf", "the exact minimiser; nothing is chosen"},
    AutoRule{"an option or a paper that some methods alone have", "the first of these, as below"},
    AutoRule{"delta 0, two classes, logistic loss", "objective"},
    AutoRule{"delta 0, a unit column, add_remove, a probability or a count", "regularized-output"},
    AutoRule{"delta 0, a number, fewer than 200 records times epsilon per column",
             "a constant, no column: inverse-sensitivity, radius 1"},
    AutoRule{"delta 0, a number, fewer than 1,000 of them; delta 0, else",
             "phased-erm; ladder, and nothing is pure for several classes"},
    AutoRule{"delta above 0", "gradient, under add_remove"},
    AutoRule{"4,096 features of texts, hashed or numbered columns, ids or crosses, or more",
             "selected columns: 0.3 of mu^2"},
    AutoRule{"else a number by the squared loss, 1 to 64 numbers and listed categories, single "
             "records; a = s / (sqrt(.9) N) up to 0.005",
             "principal curves: 0.15 of mu^2 before the steps"},
    AutoRule{
        "else one output, 1 to 64 numbers or, from nu 0.01 on, two classes with categories and "
        "logistic loss; noise nu = sqrt(d) s / N up to 0.2",
        "standardised by released means, these classes by counts too: 0.1 of mu^2"},
    AutoRule{"standardised for a number to predict, nu above 0.055", "half the path"},
    AutoRule{"k numbers, sqrt(d + 8 k) s / N up to 0.02, 2,000 records or more",
             "8 knots per number"},
    AutoRule{"nu above 0.3 for a number to predict, 4 for classes", "a constant, no column"},
};

}  // namespace

std::span<const AutoRule> auto_rules() { return rules; }

}  // namespace tacet::choose
