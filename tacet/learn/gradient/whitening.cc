#include "tacet/learn/gradient/whitening.h"

#include <algorithm>
#include <cmath>

#include "tacet/data/encode/curve_directions.h"
#include "tacet/data/encode/curve_records.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/numeric/symmetric.h"
#include "tacet/optimize/sums/gram_sum.h"

namespace tacet::learn {
namespace {

// Follows the address of means (tensor 1); each block of the sum has its own tensor.
constexpr mechanism::NoiseAddress whitening_address{.step = 0, .tensor = 16};

}  // namespace

std::vector<double> whitening_of(std::span<const double> second_moments, std::size_t numbers,
                                 double noise) {
  const auto system = numeric::eigensystem({second_moments.begin(), second_moments.end()}, numbers);
  const double rho = 1.06 * noise * std::sqrt(static_cast<double>(numbers)) + 0.02;
  std::vector<double> roots(numbers);
  double square = 0;  // of whitened numbers together
  for (std::size_t k = 0; k < numbers; ++k) {
    const double value = std::max(system.values[k], 0.0);
    roots[k] = 1 / std::sqrt(value + rho);
    square += value / (value + rho);
  }
  // If the noise leaves nothing of the second moments, numbers stay as they are.
  const double scale =
      square > 0 ? std::sqrt(static_cast<double>(numbers) / square) : std::sqrt(rho);
  std::vector<double> whitening(numbers * numbers, 0.0);
  for (std::size_t i = 0; i < numbers; ++i) {
    for (std::size_t j = 0; j < numbers; ++j) {
      for (std::size_t k = 0; k < numbers; ++k) {
        whitening[i * numbers + j] +=
            system.vectors[i * numbers + k] * roots[k] * scale * system.vectors[j * numbers + k];
      }
    }
  }
  return whitening;
}

double whitening_prg_slack(const data::Schema& schema) {
  const optimize::GramShape shape{.columns = data::curve_shape(schema).numbers, .outputs = 0};
  return random::prg_slack_of(3, static_cast<std::int64_t>(shape.values()));
}

data::Schema release_whitening(optimize::PartSums& raw, const data::Schema& standardised,
                               const WhiteningRelease& release, const TrainingContext& context) {
  const auto rows = data::number_rows_shape(standardised);
  const optimize::GramShape shape{.columns = rows.columns, .outputs = 0};
  const auto released = mechanism::release_gaussian(
      raw.gram({.outputs = 0, .numbers = standardised}, release.adjacency),
      privacy::NoiseMultiplier(release.noise_multiplier),
      {whitening_address, context.source, context.reservation});
  const double unit =
      data::number_rows_square(standardised) / static_cast<double>(release.public_row_count);
  const auto numbers = static_cast<std::size_t>(rows.columns);
  std::vector<double> moments(numbers * numbers);
  for (std::size_t i = 0; i < numbers; ++i) {
    for (std::size_t j = i; j < numbers; ++j) {
      const auto place = shape.place(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      moments[i * numbers + j] = moments[j * numbers + i] = unit * released.value()[place];
    }
  }
  const double noise = unit * release.noise_multiplier *
                       optimize::gram_noise(rows.norm_bound, false, release.adjacency).diagonal;
  auto schema = standardised;
  const auto curves = data::curve_shape(schema);
  schema.curves->whitening = whitening_of(moments, numbers, noise);
  schema.curves = data::with_map(*schema.curves, curves, context.threads);
  schema.constant = std::sqrt(data::curve_scales(curves, schema.curves->share).constant);
  return schema;
}

}  // namespace tacet::learn
