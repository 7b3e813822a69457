#include <fmt/format.h>

#include "tacet/choose/auto.h"
#include "tacet/choose/auto_thresholds.h"
#include "tacet/data/schema/curves.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/first_releases.h"
#include "tacet/learn/plan/curves.h"
#include "tacet/learn/plan/knots.h"

namespace tacet::choose {

std::vector<AutoRule> auto_rules() {
  using learn::FeatureSelectionOptions;
  return {
      {"epsilon inf", "the exact minimiser; nothing is chosen"},
      {"an option or a paper that some methods alone have", "the first of these, as below"},
      {"delta 0, two classes, logistic loss", "objective"},
      {"delta 0, a unit column, add_remove, a probability or a count", "regularized-output"},
      {fmt::format("delta 0, a number, fewer than {:g} records times epsilon per column",
                   constant_records),
       "a constant, no column: inverse-sensitivity, radius 1"},
      {"delta 0, any other number",
       fmt::format("phased-erm below {:g} records times epsilon per column, else ladder",
                   ladder_records)},
      {"delta above 0", "gradient, under add_remove"},
      {fmt::format(
           "{} or more features of texts, hashed or numbered columns, ids or crosses; fewer "
           "than {} classes, or more than {} weights",
           learn::min_columns_to_select, classes_for_all_columns, max_weights_of_all_columns),
       fmt::format("selected columns: {:g} of mu^2", FeatureSelectionOptions::usual_share)},
      {fmt::format("else a number by the squared loss, 1 to {} numbers and listed categories, "
                   "single records; a = s / (sqrt({:g}) N) up to {:g}",
                   data::Curves::max_numbers, 1 - learn::standardise_share, learn::max_curve_noise),
       fmt::format("principal curves: {:g} of mu^2 before the steps",
                   learn::standardise_share + learn::whitening_share)},
      {fmt::format("else one output, 1 to {} numbers or, from nu {:g} on, two classes with "
                   "categories and logistic loss; noise nu = sqrt(d) s / N up to {:g}",
                   max_numbers, learn::min_noise_counted, max_noise_standardised),
       fmt::format("standardised by released means, these classes by counts too: {:g} of mu^2",
                   learn::standardise_share)},
      {fmt::format("standardised for a number to predict, nu above {:g}", long_path_noise),
       "half the path"},
      {fmt::format("one output, k numbers, sqrt(d + {} k) s / N up to {:g}", learn::usual_knots,
                   learn::max_knot_noise),
       fmt::format("{} knots per number", learn::usual_knots)},
      {fmt::format("nu above {:g} for a number to predict, {:g} for classes", max_noise_numbers,
                   max_noise_classes),
       "a constant, no column"},
  };
}

}  // namespace tacet::choose
