#include "tacet/learn/plan/prediction_noise.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace tacet::learn {
namespace {

/// with more steps the path's law takes too long
constexpr double max_steps = 1e7;

/// The factor of each weight's steps relative to the law's; empty if the file does not state it.
std::vector<double> rates_of(const model::ModelFile& file, double line, double curve) {
  std::vector<double> rates(file.model.coefficients.size(), 1);
  if (!file.schema.curves) return rates;
  const auto curves = static_cast<std::size_t>(file.schema.curves->directions);
  if (rates.size() < curves + 1) return {};
  std::ranges::fill(rates, line);
  std::fill_n(rates.end() - 1 - static_cast<std::ptrdiff_t>(curves), curves, curve);
  rates.back() = 1;
  return rates;
}

/// The standard deviations by the law of the path that a receipt states. Anybody may have written
/// the receipt, so the result is empty if it makes no sense.
std::vector<double> stddevs_of_path(const model::ModelFile& file) {
  const auto& receipt = file.receipt;
  const auto parameters = nlohmann::json::parse(receipt.parameters, nullptr, false);
  const auto number = [&](const char* name) {
    const auto found = parameters.find(name);
    return found != parameters.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  const double steps = number("steps");
  const double share = number("average");
  const bool plain = receipt.algorithm == "gradient" && receipt.sampling == "full_batch" &&
                     receipt.privacy_unit == single_record && parameters.is_object() &&
                     !parameters.contains("l2") && !parameters.contains("radius") &&
                     parameters.contains("averaging") && parameters["averaging"] == "suffix";
  if (!plain || !(steps >= 1 && steps <= max_steps) || !(share > 0 && share <= 1) ||
      receipt.public_row_count.value_or(0) < 1) {
    return {};
  }
  const auto& model = file.model;
  const auto rates = rates_of(file, number("line_rate"), number("curve_rate"));
  if (rates.empty()) return {};
  const double row = file.schema.norm_bound();
  const double fastest = *std::ranges::max_element(rates);
  auto stddevs =
      bounded_stddevs({.steps = static_cast<std::int64_t>(steps),
                       .averaged = std::clamp<std::int64_t>(std::llround(share * steps), 1,
                                                            static_cast<std::int64_t>(steps)),
                       .step_size = number("step_size"),
                       .momentum = number("momentum"),
                       .stddev = number("noise_multiplier") * number("clipping_norm") /
                                 static_cast<double>(*receipt.public_row_count),
                       .curvature = model::properties(model.loss).curvature * row * row * fastest},
                      rates);
  if (!file.schema.curves) return stddevs;
  for (double& one : stddevs) one *= file.schema.curves->target.stddev;
  return stddevs;
}

}  // namespace

std::vector<double> bounded_stddevs(const DescentLaw& law, std::span<const double> rates) {
  const double fastest = *std::ranges::max_element(rates);
  const double variance = law.stddev * law.stddev * fastest * largest_averaged_variance(law);
  std::vector<double> out;
  for (const double rate : rates) out.push_back(std::sqrt(variance * rate));
  const bool bounded = std::ranges::all_of(out, [](double one) { return std::isfinite(one); });
  return bounded ? out : std::vector<double>{};
}

std::optional<PredictionNoise> PredictionNoise::of(const model::ModelFile& file) {
  const auto& model = file.model;
  if (model.wide || model.table || model.output_count() != 1) return std::nullopt;
  const bool on_scale = model.task == model::PredictionTask::regression &&
                        link_of(model.loss) == model::Link::identity;
  const double unit = on_scale ? (model.target_upper - model.target_lower) / 2 : 1;
  if (std::isinf(file.receipt.guarantee.epsilon)) {
    return PredictionNoise(std::vector<double>(model.coefficients.size()), unit);
  }
  if (auto of_path = stddevs_of_path(file); !of_path.empty()) {
    return PredictionNoise(std::move(of_path), unit);
  }
  const auto& stddevs = model.noise_stddevs;
  if (file.schema.curves || stddevs.empty()) return std::nullopt;
  // If all coefficients have the same standard deviation, it is that of noise that is equal in
  // every direction, or a bound in every direction. Different values were estimated, and estimates
  // are not bounds.
  const bool alike =
      std::ranges::all_of(stddevs, [&](double one) { return one == stddevs.front(); });
  if (!alike) return std::nullopt;
  return PredictionNoise(stddevs, unit);
}

double PredictionNoise::stddev(const data::Dataset& records, std::int64_t row) const {
  constexpr double scale = data::Dataset::feature_scale;
  double squares = 0;
  const auto add = [&](std::size_t column, double value) {
    const double one = value / scale * stddevs_[column];
    squares += one * one;
  };
  if (records.sparse()) {
    const auto features = records.sparse_row(row);
    for (std::size_t k = 0; k < features.columns.size(); ++k) {
      add(features.columns[k], features.values[k]);
    }
  } else {
    std::vector<std::int16_t> room;
    const auto features = records.dense_row(row, room);
    for (std::size_t k = 0; k < features.size(); ++k) add(k, features[k]);
  }
  return unit_ * std::sqrt(squares);
}

double PredictionNoise::longest() const { return unit_ * *std::ranges::max_element(stddevs_); }

}  // namespace tacet::learn
