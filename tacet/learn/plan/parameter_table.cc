#include <array>
#include <cstdint>
#include <limits>

#include "tacet/data/schema/projection.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/calibration.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/model/loss/loss.h"
#include "tacet/model/wide/wide_shape.h"

namespace tacet::learn {
namespace {

using enum PrivacyRelevance;
using enum ParameterType;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr WordList adjacency_words{"add_remove", "zero_out", "replace_one"};

// A new method is in this list without a change here.
constexpr Range method_range{.listed = method_words};

constexpr Range sampling_range =
    words({"poisson", "fixed_size", "partition", "permutation", "fresh_permutation",
           "with_replacement", "minibatch"})
        .with_note("the first three are of gradient, the others of output");

constexpr Range hidden_range{.numbers = Integers{1, model::WideShape::max_neurons},
                             .words = {"none"},
                             .max_items = model::WideShape::max_hidden_layers};

constexpr std::array table{
    Parameter{"epsilon", real, reals_above(0, 1e4).or_words({"inf"}), "none; must be given",
              "privacy loss bound; smaller protects more; inf trains without protection",
              guarantee},
    Parameter{"delta", real, reals_below(0, 1).with_note("0 where the method can be pure"),
              "the largest power of ten below 1/public_row_count^1.1; 0 for pure methods",
              "probability mass on which epsilon may be exceeded", guarantee},
    Parameter{
        "adjacency", text, words(adjacency_words),
        "the method's own: add_remove for gradient and inference, replace_one for most others",
        "which two data sets the guarantee makes indistinguishable", guarantee},
    Parameter{"public-row-count", integer, integers(1, data::max_public_rows),
              "the schema's public_row_count",
              "number of records, if it is public; scales steps and delta, never read from data",
              noise, "records"},
    Parameter{"method", text, method_range,
              "auto: by public facts; with delta above 0 gradient, with delta 0 a pure method",
              "how the model is trained; docs/methods says which suits", noise},
    Parameter{"calibration", text, words(WordList(calibration_names)), "tight",
              "whose schedule and noise, with what is proved about them: wang2021 (Wang, Lei, "
              "Ying, Zhang) for gradient and output, arora2022 (Arora, Bassily, Guzman, Menart, "
              "Ullah) for gradient and regularized-output, kifer2012 (Kifer, Smith, Thakurta) for "
              "objective, asi2021 (Asi, Levy, Duchi) for localized and growth, feldman2020 "
              "(Feldman, Koren, Talwar) for phased-erm, wang2018 (Wang) for adassp, zhang2021 "
              "(Zhang, Mironov, Hejazinia) for sparse-groups; paper is the method's own first one",
              noise},
    Parameter{"loss", text, words_of(model::loss_names),
              "logistic for classes, squared for numbers and for adassp, soft_logistic for a "
              "probability, poisson for a count",
              "what is minimised", utility},
    Parameter{"loss-parameter", real,
              free_text("a quantile or insensitivity between 0 and 1, an exponent above 1 up to 2, "
                        "else above 0"),
              "the loss's own",
              "the loss's own number: quantile of pinball losses, exponent of powers, "
              "insensitivity of insensitive losses, threshold of huber and pseudo_huber, reach of "
              "extended_poisson, width of smoothed_hinge and smoothed_absolute",
              utility},
    Parameter{"loss-width", real, reals_between(0, infinity), "0.25",
              "width of the smoothing of losses that also have a `loss_parameter`", utility},
    Parameter{"steps", integer, integers(1, 1'000'000'000).with_note("for gradient to 10^6"),
              "chosen by the plan; for output one pass over the records",
              "number of gradient steps", noise},
    Parameter{"step-size", real, positive_reals(), "chosen by the plan",
              "length of a step along the mean gradient", utility},
    Parameter{"momentum", real, reals(0, 0.9999), "0.9",
              "share of the last step that is kept in the next", utility},
    Parameter{"clipping-norm", real, positive_reals(),
              "chosen by the plan, from the loss and the noise", "bound on each record's gradient",
              noise},
    Parameter{"average", real, reals(0, 1), "0.4; for units, several classes and output 0.5",
              "share of the last iterates whose mean is the model; 0 keeps the last one", utility},
    Parameter{"averaging", text, words({"uniform", "suffix", "last", "polynomial"}),
              "suffix; for output uniform",
              "which mean of the iterates is the model; suffix: of the last share `average`",
              utility},
    Parameter{"batch-size", integer, integers(1, std::int64_t{1} << 32, "public-row-count"),
              "all records; for output 1, for wide chosen by the plan",
              "records per step; for samples their expected number", noise, "records"},
    Parameter{"sampling", text, sampling_range, "poisson; for output permutation",
              "how the records of a step are chosen; samples of gradient stay secret, orders of "
              "partition and output are public",
              noise},
    Parameter{
        "order-seed", integer, seeds(), "0",
        "seed of a public order of the records; it may be known, unlike the seed of the noise",
        utility, "seed"},
    Parameter{"step-decay", real, reals(0, 1), "0",
              "step t is `step_size` divided by t to this power", noise},
    Parameter{"smoothing", text, words({"auto", "off"}), "auto",
              "auto: kinks and powers of the loss are smoothed on a width tied to the step size, "
              "so that no step drives two runs apart",
              noise},
    Parameter{"weight-scale", real, positive_reals(), "5 for classes, 2 for numbers; the radius",
              "size of weights worth reaching, which the step size is chosen for", noise},
    Parameter{"growth", real, reals_above(1, 100), "2",
              "least exponent of the risk's growth that a chain of phases is made for", noise},
    Parameter{"record-use", text, words({"reuse", "disjoint"}), "reuse",
              "whether each phase of a chain reads all records or a block of its own", noise},
    Parameter{"phases", integer, integers(1, 64), "chosen by the plan", "number of phases", noise},
    Parameter{
        "l2", real, reals(0, 1e9),
        "0; for regularized-output, objective and inverse-sensitivity what balances noise and bias",
        "weight of half the squared norm of the weights", utility},
    Parameter{"radius", text, positive_reals().or_words({"auto"}),
              "none for gradient, output and phased, else 20 for classes and 4 for numbers",
              "keeps the weights in the ball of this radius; auto: of eight radii the best one, "
              "chosen privately",
              noise},
    Parameter{"boost", real, reals_between(0, 1), "none",
              "trains on several blocks of the records and chooses among the models privately, so "
              "that all are bad with at most this probability",
              noise},
    Parameter{
        "class-weights", text, free_text("NAME=WEIGHT,..., 0.001 to 1000 each"),
        "those of the schema, else all 1",
        "public weights of the classes, such as yes=3,no=1: the loss of a record is multiplied "
        "by the weight of its class over the largest weight",
        utility},
    Parameter{"max-records-per-unit", integer, integers(1, std::int64_t{1} << 20), "1",
              "how many records of one unit take part, if the schema has a unit column", noise,
              "records"},
    Parameter{"knots", text, integers(2, data::max_knots).or_words({"auto", "none"}),
              "auto: 8 where there is little noise and no column says otherwise",
              "hat functions beside each number, which make a curve of its weight", noise},
    Parameter{"curves", text, reals(0, data::Curves::max_share).or_words({"auto", "none"}),
              "none; auto where no method is named",
              "share of a row that curves of all numbers and categories together have, beside the "
              "linear model of a number; auto: by the noise, where that was shown to win",
              noise},
    Parameter{
        "standardise", text, words({"none", "private", "means", "auto"}),
        "none; where no method is named, private if there is little noise",
        "private: a tenth of the budget releases means and standard deviations, by which "
        "numbers are standardised; with two classes and much noise, or without a number, also "
        "how often each category occurs; means: of numbers alone; auto: private where that was "
        "shown to win",
        noise},
    Parameter{
        "feature-selection", text, reals_between(0, 1).or_words({"all", "auto"}),
        "all; where no method is named, and for wide models, 0.3 if features are many",
        "share of the budget (of mu^2) that finds out which hashed, text or numbered features are "
        "worth having; training uses only these; auto: 0.3 if there are many",
        noise},
    Parameter{"projection", text,
              words({"none", "auto", "countsketch", "countsketch4", "srht", "gaussian"}), "none",
              "public random map of all features to few, through which rows are read; auto: "
              "countsketch if there are more features than its width",
              noise},
    Parameter{"projection-width", integer,
              integers(data::Projection::min_width, data::Projection::max_width),
              "chosen by the plan", "features behind the projection", noise},
    Parameter{"projection-seed", integer, seeds(), "0",
              "seed of the projection: public, and in the model, unlike the seed of the noise",
              utility, "seed"},
    Parameter{"group-column", text, free_text("a feature of the schema"), "none; must be given",
              "records are grouped by a public hash of this column (sparse-groups)", noise,
              "column"},
    Parameter{"groups", integer, integers(1, std::int64_t{1} << 30), "10", "groups of records",
              noise},
    Parameter{"group-order", text, words({"in_turn", "random"}), "in_turn",
              "how steps go through the groups: in turn, or by a secret draw for each step, which "
              "shrinks delta and not epsilon",
              noise},
    Parameter{"positives", integer, integers(1, std::int64_t{1} << 20), "10",
              "largest number of coordinates that a step moves", noise},
    Parameter{"threshold", real, reals(0, 1e9), "from public facts",
              "size of the mean gradient from which on a step moves a coordinate; for wide models "
              "the noisy number of records that must have an id before its vectors are moved",
              utility},
    Parameter{
        "model", text, words({"linear", "wide"}), "linear",
        "a coefficient per column, or vectors of ids and hidden layers, which method wide trains",
        utility},
    Parameter{"dim", integer, integers(1, data::max_embedding), "8",
              "length of the vector of an id, if the schema has no `embedding`", utility},
    Parameter{"hidden", text, hidden_range, "16; 32,16 of numbers and short lists alone",
              "hidden layers of ReLUs", utility},
    Parameter{"pooling", text, words({"sum", "mean"}), "sum",
              "how the vectors of a record's ids in one column become one", utility},
    Parameter{"linear-part", text, words({"present", "absent"}), "present",
              "whether each id and number has a weight of its own beside the layers", utility},
    Parameter{"head", text, words({"layers", "two-tower"}), "layers",
              "two-tower: no layers, the dot product of the vectors of two sides", utility},
    Parameter{"left", text, list_of("columns with commas between them"), "none",
              "of two towers: the columns of one side", utility},
    Parameter{"right", text, list_of("columns with commas between them"), "none",
              "of two towers: the columns of the other side", utility},
    Parameter{"optimizer", text, words({"sgd", "momentum", "adagrad", "adam"}), "adam",
              "how a released step moves the numbers of a wide model", utility},
    Parameter{"selection", text, words({"all", "adafest"}), "all for small tables, else adafest",
              "which vectors a step may move, and puts noise on: all, or those of ids that noisily "
              "enough records have",
              noise},
    Parameter{"selection-share", real, reals(1e-3, 0.9), "0.1",
              "share of the privacy that choosing ids gets (of mu squared)", noise},
    Parameter{"start-seed", integer, seeds(std::int64_t{1} << 62), "1",
              "public seed of the numbers of a wide model before training", utility, "seed"},
    Parameter{"terms", text, free_text("a formula's right side, as age + sex + age:sex"),
              "all columns and interactions of the schema",
              "columns and products that a regression table has lines for, in R's words; method "
              "inference",
              noise},
    Parameter{
        "reach", real, reals(1, 100), "3 to 8, from public facts",
        "rows whose squared Mahalanobis distance is above this times the average weigh less in "
        "a regression table; larger is nearer to the plain estimate and noisier",
        utility},
    Parameter{
        "errors", text, words({"any", "symmetric"}), "any",
        "symmetric: the errors of numbers are symmetric, so that a table states its intercept "
        "even where large residuals are cut",
        utility},
    Parameter{"count-cut", integer, integers(1, 700), "the target's upper bound",
              "for counts that follow Poisson's law: larger ones count as this one in a regression "
              "table, which narrows intervals",
              utility},
    Parameter{"threads", integer, integers(1, 1024), "as many as the machine has",
              "worker threads; the result is the same for any number", none},
};

}  // namespace

std::span<const Parameter> parameters() { return table; }

}  // namespace tacet::learn
