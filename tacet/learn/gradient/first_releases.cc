#include "tacet/learn/gradient/first_releases.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/whitening.h"
#include "tacet/learn/plan/curves.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

// Up to this number it was shown to win (docs/explanations/step-rule.md).
constexpr std::size_t max_columns = 30;
constexpr std::int64_t fewest_records = 2000;
// A limit for records per unit. Each of them then still has at least 2^14 of the 2^24 or more grid
// units that there are for noise multipliers up to 256.
constexpr std::int64_t max_sharing_records = 1024;

/// Categories are counted for two classes only, since only that was tried.
bool has_countable(const data::Schema& schema) {
  return schema.target && !schema.target->regression() && outputs_of(*schema.target) == 1 &&
         !data::category_features(schema).empty();
}

/// Why numbers cannot be standardised; null if they can.
const char* standardise_obstacle(const data::Schema& schema, const GradientOptions& options) {
  if (schema.row_scaling != data::RowScaling::clip1) return "the schema's row_scaling is not clip1";
  if (data::numeric_features(schema).empty()) {
    if (options.standardise == Standardise::means) return "the schema has no numeric column";
    if (!has_countable(schema)) {
      return "the schema has no numeric column, nor two classes and a column of categories";
    }
  }
  if (schema.projection) return "rows are projected; leave `projection` out";
  if (options.max_records_per_unit > max_sharing_records) {
    return "more than 1024 records of a unit would share a bound; `max_records_per_unit` says how "
           "many";
  }
  if (options.batch_size)
    return "steps on samples are accounted by themselves; leave `batch_size` out";
  if (schema.target && outputs_of(*schema.target) > 1) return "the target has several classes";
  return nullptr;
}

/// Whether the release of means also counts categories. It needs two classes, the logistic loss,
/// categories with one feature each, and enough noise, or no numbers. Never if only means are asked
/// for.
bool counts_categories(const data::Schema& schema, Standardise asked, const model::Loss& loss,
                       double noise) {
  if (asked == Standardise::means || !has_countable(schema)) return false;
  if (data::numeric_features(schema).empty()) return true;
  return noise >= min_noise_counted && std::holds_alternative<model::LogisticLoss>(loss);
}

Reasons explain(const FirstChoice& choice, const data::Schema& schema, std::int64_t columns) {
  Reasons reasons;
  const auto& shares = choice.shares;
  const auto numbers = data::numeric_features(schema).size();
  if (shares.whitening > 0) {
    reasons.add(
        "{:g} of the budget's mu^2 for means and standard deviations of the {} numbers and the "
        "target, {:g} for second moments that make the numbers uncorrelated",
        shares.standardise, numbers, shares.whitening);
  } else if (shares.standardise > 0 && numbers > 0) {
    reasons.add("a tenth of the budget's mu^2 for {} counted by them",
                numbers == 1 ? "the mean and standard deviation of the one number, which is then"
                             : fmt::format("means and standard deviations of the {} numbers, which "
                                           "are then",
                                           numbers));
  }
  if (choice.releases.counts_categories) {
    reasons.add("{} for how often each category occurs: the rarer, the more it counts",
                numbers > 0 ? "of it a part" : "a tenth of the budget's mu^2");
  }
  if (shares.feature_selection > 0) {
    reasons.add(
        "{:g} of the budget's mu^2 to find out which of {} columns occur often enough; clipping "
        "norm and step size follow their number, {} are expected",
        shares.feature_selection, columns, expected_kept);
  }
  return reasons;
}

}  // namespace

bool can_standardise(const data::Schema& schema, const GradientOptions& options) {
  return standardise_obstacle(schema, options) == nullptr;
}

bool resolve_standardise(const data::Schema& schema, const GradientOptions& options,
                         std::int64_t records) {
  if (options.standardise == Standardise::none) return false;
  const char* const reason = standardise_obstacle(schema, options);
  if (options.standardise != Standardise::automatic) {
    if (reason == nullptr) return true;
    throw base::UsageError("standardise {} is not possible here: {}",
                           options.standardise == Standardise::means ? "means" : "private", reason);
  }
  const auto numbers = data::numeric_features(schema).size();
  return reason == nullptr && numbers > 0 && numbers <= max_columns && records >= fewest_records;
}

const char* selection_obstacle(const GradientOptions& options) {
  if (options.batch_size) {
    return "steps on samples are accounted by themselves; leave `batch_size` out";
  }
  if (options.standardise != Standardise::none) {
    return "one release comes before the steps; leave `standardise` out";
  }
  return nullptr;
}

FirstChoice choose_first_releases(const GradientPlan& plan, const data::Schema& schema,
                                  const GradientOptions& options, double one_release) {
  FirstChoice choice{};
  auto& [releases, shares, reasons] = choice;
  if (schema.curves || resolve_standardise(schema, options, plan.public_row_count)) {
    shares.standardise = standardise_share;
    shares.prg_slack = random::prg_slack_of(1, 2 * plan.columns);
    releases.counts_categories = counts_categories(schema, options.standardise, plan.loss,
                                                   plan.relative_noise(plan.columns, one_release));
  }
  if (schema.curves) {
    shares.whitening = whitening_share;
    shares.prg_slack += whitening_prg_slack(schema);
    releases.curve_share = schema.curves->share;
    releases.curve_directions = schema.curves->directions;
  }
  shares.feature_selection = resolve_column_share(schema, options, selection_obstacle(options));
  if (shares.feature_selection > 0) {
    shares.prg_slack = kept_prg_slack(plan.columns);
    releases.feature_selection_threshold = feature_selection_threshold(schema);
  }
  reasons = explain(choice, schema, plan.columns);
  return choice;
}

}  // namespace tacet::learn
