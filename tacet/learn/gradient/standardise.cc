#include "tacet/learn/gradient/standardise.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tacet/data/encode/standardise.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/mechanism/noise/gaussian.h"

namespace tacet::learn {
namespace {

constexpr double standard_constant = 0.7;

/// The number of records or units in the sums: as declared, or counted if nothing checks the
/// declared number. A count that may be only noise is raised to twice the noise.
double count_of(std::span<const double> sums, const data::Schema& schema, optimize::Moments moments,
                double stddev, double public_row_count) {
  if (moments.records_per_unit == 0) return public_row_count;
  const double counted = 2 * sums[optimize::place_of_count(schema, moments)];
  return std::max(std::min(counted, public_row_count), 4 * stddev);
}

}  // namespace

data::Standard standard_of(double mean, double square, double noise) {
  const double error = noise * noise;
  const double m = std::clamp(mean * 0.2 / (0.2 + error), -1.0, 1.0);
  const double drawn = 0.1 + (square - m * m - 0.1) * 0.01 / (0.01 + 2 * error);
  const double variance = std::min(std::max(drawn, std::max(0.005, 0.7 * noise)), 1.0);
  return {.mean = m, .stddev = std::sqrt(variance)};
}

double scale_of(double share, double noise) {
  constexpr double usual_share = 0.25;  // the share of a category whose feature is 1
  constexpr double min_share = 0.002;
  const double drawn = std::min(std::max({share, 2 * noise, min_share}), 1.0);
  return std::cbrt(usual_share / drawn);
}

data::Schema release_standards(optimize::PartSums& raw, const data::Schema& schema,
                               double noise_multiplier, std::int64_t public_row_count,
                               optimize::Moments moments, const TrainingContext& context) {
  auto sum = raw.moments({schema, norm_bits_for(noise_multiplier), moments});
  const double stddev =
      noise_multiplier * static_cast<double>(sum.contribution_bound()) * sum.grid();
  const auto released =
      mechanism::release_gaussian(std::move(sum), privacy::NoiseMultiplier(noise_multiplier),
                                  {{.step = 0, .tensor = 1}, context.source, context.reservation});
  const auto& sums = released.value();
  const double count =
      count_of(sums, schema, moments, stddev, static_cast<double>(public_row_count));
  const double noise = 2 * stddev / count;
  data::Schema standardised = schema;
  standardised.constant = standard_constant;
  std::size_t next = 0;
  for (auto& column : standardised.columns) {
    auto* rule = std::get_if<data::NumericColumn>(&column.rule);
    if (rule == nullptr || rule->line_count() != 1) continue;
    const double mean = 2 * sums[next] / count;
    const double square = sums[next + 1] / count + 0.5;
    rule->standard = standard_of(mean, square, noise);
    next += 2;
  }
  if (moments.target) {
    standardised.curves->target =
        standard_of(2 * sums[next] / count, sums[next + 1] / count + 0.5, noise);
    next += 2;
  }
  if (moments.records_per_unit > 0) ++next;
  if (!moments.categories) return standardised;
  for (auto& column : standardised.columns) {
    auto* rule = std::get_if<data::CategoricalColumn>(&column.rule);
    if (rule == nullptr || rule->coding != data::Coding::one_hot) continue;
    rule->scales.clear();
    for (std::int64_t k = 0; k < rule->width(); ++k) {
      rule->scales.push_back(scale_of(2 * sums[next++] / count, noise));
    }
  }
  return standardised;
}

}  // namespace tacet::learn
