#include "tacet/learn/gradient/standardise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/optimize/sums/score_sum.h"

namespace tacet::learn {
namespace {

// Where it was shown to win (docs/explanations/step-rule.md).
constexpr std::size_t most_columns = 30;
constexpr std::int64_t fewest_records = 2000;
constexpr double standard_constant = 0.7;

std::vector<double> real_row(const data::Dataset& raw, std::int64_t row) {
  constexpr double unit = 1.0 / data::Dataset::feature_scale;
  std::vector<double> values(static_cast<std::size_t>(raw.columns()), 0.0);
  if (raw.sparse()) {
    const auto sparse = raw.sparse_row(row);
    for (std::size_t i = 0; i < sparse.columns.size(); ++i) {
      values[sparse.columns[i]] = sparse.values[i] * unit;
    }
    return values;
  }
  const auto dense = raw.dense_row(row);
  for (std::size_t i = 0; i < dense.size(); ++i) values[i] = dense[i] * unit;
  return values;
}

/// Why numbers cannot be standardised; null where they can.
const char* standardise_obstacle(const data::Schema& schema, const LinearOptions& options) {
  if (schema.encoding < 2) return "the schema says encoding = 1";
  if (schema.row_scaling != data::RowScaling::clip1) return "the schema's row_scaling is not clip1";
  if (data::numeric_features(schema).empty()) return "the schema has no numeric column";
  if (schema.projection) return "rows are projected; leave --projection out";
  if (schema.unit) return "the schema's unit column protects all records of a unit together";
  if (options.batch_size)
    return "steps on samples are accounted by themselves; leave batch-size out";
  if (schema.target && outputs_of(*schema.target) > 1) return "the target has several classes";
  return nullptr;
}

}  // namespace

bool can_standardise(const data::Schema& schema, const LinearOptions& options) {
  return standardise_obstacle(schema, options) == nullptr;
}

bool settle_standardise(const data::Schema& schema, const LinearOptions& options,
                        std::int64_t records) {
  if (options.standardise == Standardise::none) return false;
  const char* const reason = standardise_obstacle(schema, options);
  if (options.standardise == Standardise::demanded) {
    if (reason != nullptr) {
      throw base::UsageError("standardise private is not possible here: {}", reason);
    }
    return true;
  }
  return reason == nullptr && data::numeric_features(schema).size() <= most_columns &&
         records >= fewest_records;
}

privacy::BoundedSum moment_sum(const data::Dataset& raw, const data::Schema& schema,
                               int norm_bits) {
  const auto features = data::numeric_features(data::raw_schema(schema));
  optimize::ScoreSum sum(2 * static_cast<std::int64_t>(features.size()), norm_bits,
                         optimize::ScoreOrigin::half);
  std::vector<double> scores(2 * features.size());
  for (std::int64_t k = 0; k < raw.rows(); ++k) {
    const auto row = real_row(raw, k);
    for (std::size_t i = 0; i < features.size(); ++i) {
      const double z = row[features[i]];
      scores[2 * i] = (1 + z) / 2;  // within [0, 1], as the sum enforces
      scores[2 * i + 1] = z * z;
    }
    sum.add(scores);
  }
  return std::move(sum).take();
}

data::Standard standard_of(double mean, double square, double noise) {
  const double error = noise * noise;
  const double m = std::clamp(mean * 0.2 / (0.2 + error), -1.0, 1.0);
  const double drawn = 0.1 + (square - m * m - 0.1) * 0.01 / (0.01 + 2 * error);
  const double variance = std::min(std::max(drawn, std::max(0.005, 0.7 * noise)), 1.0);
  return {.mean = m, .deviation = std::sqrt(variance)};
}

data::Schema release_standards(const data::Dataset& raw, const data::Schema& schema,
                               double noise_multiplier, std::int64_t public_row_count,
                               const TrainingMeans& means) {
  if (means.reducer.size() > 1) {
    throw base::UsageError("standardise private sums the records of one process alone");
  }
  auto sum = moment_sum(raw, schema, norm_bits_for(noise_multiplier));
  const double deviation =
      noise_multiplier * static_cast<double>(sum.contribution_bound()) * sum.grid();
  const auto released =
      mechanism::release_gaussian(std::move(sum), privacy::NoiseMultiplier(noise_multiplier),
                                  {{.step = 0, .tensor = 1}, means.source, means.reservation});
  const auto& sums = released.value();
  const auto count = static_cast<double>(public_row_count);
  data::Schema standardised = schema;
  standardised.constant = standard_constant;
  std::size_t next = 0;
  for (auto& column : standardised.columns) {
    auto* rule = std::get_if<data::NumericColumn>(&column.rule);
    if (rule == nullptr || rule->line_count() != 1) continue;
    const double mean = 2 * sums[next] / count;
    const double square = sums[next + 1] / count + 0.5;
    rule->standard = standard_of(mean, square, 2 * deviation / count);
    next += 2;
  }
  return standardised;
}

}  // namespace tacet::learn
