#include "tacet/learn/gradient/feature_selection.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

/// P(Z >= t).
double upper_tail(double t) { return 0.5 * std::erfc(t / std::numbers::sqrt2); }

/// Why columns cannot be selected; null if they can.
const char* obstacle(const data::Schema& schema, const char* in_the_way) {
  if (choosable_count(schema) == 0) {
    return "the schema has no hashed or text column and no numbered features to choose among";
  }
  if (schema.projection) return "projected columns are all of use; leave `projection` out";
  if (schema.unit) return "the schema's unit column protects all records of a unit together";
  return in_the_way;
}

}  // namespace

std::int64_t choosable_count(const data::Schema& schema) {
  std::int64_t count = 0;
  for (const auto& [begin, end] : schema.choosable_columns()) count += end - begin;
  return count;
}

void check_kept_noise(double noise_multiplier) {
  check_count_noise(noise_multiplier, "times what a record counts",
                    "nothing would be found of the columns worth having; ask for a larger share of "
                    "`feature_selection` or a larger epsilon, or leave it out");
}

double kept_prg_slack(std::int64_t columns) {
  // Words per column that may be kept: one if a record has it, and a few for gaps.
  constexpr std::int64_t words = 8;
  return random::prg_slack_of(1, words * columns);
}

double feature_selection_threshold(const data::Schema& schema) {
  constexpr double at_random = 16;
  constexpr double min = 3;
  constexpr double step = 1.0 / 64;  // coarse, so that it is the same on every machine
  const auto columns = static_cast<double>(choosable_count(schema));
  double stddevs = min;
  while (columns * upper_tail(stddevs) > at_random) stddevs += step;
  return stddevs;
}

double resolve_column_share(const data::Schema& schema, const FeatureSelectionOptions& options,
                            const char* in_the_way) {
  if (options.feature_selection == 0) return 0;
  const char* const reason = obstacle(schema, in_the_way);
  if (options.feature_selection_auto) {
    return reason == nullptr && choosable_count(schema) >= min_columns_to_select
               ? options.feature_selection
               : 0;
  }
  if (reason == nullptr) return options.feature_selection;
  throw base::UsageError("`feature_selection` is not possible here: {}", reason);
}

data::Schema release_selected_columns(optimize::PartSums& records, const data::Schema& schema,
                                      double noise_multiplier, const TrainingContext& context,
                                      mechanism::NoiseAddress address) {
  const auto ranges = schema.choosable_columns();
  const auto sum = records.presence({schema});
  const auto threshold =
      static_cast<std::int64_t>(std::ceil(feature_selection_threshold(schema) * noise_multiplier *
                                          static_cast<double>(optimize::presence_norm)));
  const auto found =
      mechanism::release_crossings(sum, privacy::NoiseMultiplier(noise_multiplier), threshold,
                                   {address, context.source, context.reservation});
  data::Schema narrowed = schema;
  auto& kept = narrowed.selected_columns.emplace();
  for (const auto column : found.value()) {
    const auto place = static_cast<std::uint32_t>(column);
    for (const auto& [begin, end] : ranges) {
      if (place >= begin && place < end) kept.push_back(place);
    }
  }
  // Without an intercept at least one column is needed. This rule depends on the released list
  // only.
  if (narrowed.encoded_column_count() == 0) kept.push_back(ranges.front().first);
  return narrowed;
}

}  // namespace tacet::learn
