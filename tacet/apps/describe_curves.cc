#include "tacet/apps/describe_curves.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/text.h"
#include "tacet/learn/plan/prediction_noise.h"
#include "tacet/model/curve_effects.h"
#include "tacet/privacy/decimal.h"

namespace tacet::apps {
namespace {

constexpr std::size_t shown_pairs = 5;
constexpr int steps_per_stddev = 1;

model::CurveEffects effects_of(const model::ModelFile& file) {
  return model::curve_effects(file.schema, file.model, steps_per_stddev, shown_pairs);
}

std::string noise_words(const model::ModelFile& file) {
  const auto noise = learn::PredictionNoise::of(file);
  if (!noise) return "How far privacy's noise moves a prediction is not known.";
  return fmt::format(
      "Privacy's noise in the training steps moves a prediction by a standard deviation of at most "
      "{}, which is reached where the data say nothing (`tacet predict --noise` bounds each).",
      privacy::rounded_up(noise->longest(), 3));
}

}  // namespace

std::string curves_summary(const model::ModelFile& file) {
  return paragraph(fmt::format(
             "A line and {} curves of all columns together. Their weights mean nothing one by "
             "one; `tacet show` prints what is predicted along each column.",
             file.schema.curves->directions)) +
         "\n";
}

std::string curves_text(const model::ModelFile& file) {
  const auto& curves = *file.schema.curves;
  const auto found = effects_of(file);
  std::string out = paragraph(fmt::format(
      "A line and {} curves of all columns together, {:.2g} of a row. Their weights mean nothing "
      "one by one: below stands what is predicted along each column, with the other numbers at "
      "their released means and the other categories left out. `share` is that of the variance of "
      "predictions, for records whose columns are independent, that this column alone makes.",
      curves.directions, curves.share));
  out += fmt::format("\nprediction with all numbers at their means: {:.5g}\n", found.at_means);
  for (const auto& effect : found.columns) {
    TextTable table({base::printable(effect.column), "prediction"});
    for (const auto& point : effect.points) {
      table.add({base::printable(point.value), fmt::format("{:.5g}", point.prediction)});
    }
    out += fmt::format("\n{}share {:.2f}\n", table.text(), effect.share);
  }
  if (!found.pairs.empty()) {
    TextTable table({"column", "and column", "share", "together"});
    for (const auto& pair : found.pairs) {
      table.add({base::printable(pair.first), base::printable(pair.second),
                 fmt::format("{:.2f}", pair.share), fmt::format("{:.4g}", pair.together)});
    }
    out += "\n" + table.text() + "\n" +
           paragraph(
               "The strongest pairs. `together` is the most that two values of them change the "
               "prediction beyond what each does alone; `tacet report` draws them.");
  }
  return out + paragraph(fmt::format(
                   "A share of {:.2f} is not shown: what other pairs, and three columns and more, "
                   "do together. {}",
                   found.rest, noise_words(file)));
}

nlohmann::ordered_json curves_json(const model::ModelFile& file) {
  nlohmann::ordered_json out;
  out["directions"] = file.schema.curves->directions;
  out["share"] = file.schema.curves->share;
  const auto found = effects_of(file);
  out["at_means"] = found.at_means;
  auto& effects = out["effects"] = nlohmann::ordered_json::array();
  for (const auto& effect : found.columns) {
    auto& entry = effects.emplace_back();
    entry["column"] = effect.column;
    entry["variance_share"] = effect.share;
    entry["spread"] = effect.spread;
    for (const auto& point : effect.points) {
      entry["points"].push_back({{"value", point.value}, {"prediction", point.prediction}});
    }
  }
  auto& pairs = out["pairs"] = nlohmann::ordered_json::array();
  for (const auto& pair : found.pairs) {
    pairs.push_back({{"first", pair.first},
                     {"second", pair.second},
                     {"variance_share", pair.share},
                     {"together", pair.together}});
  }
  out["variance_share_not_shown"] = found.rest;
  const auto noise = learn::PredictionNoise::of(file);
  out["noise_sd_at_most"] = noise ? nlohmann::ordered_json(noise->longest()) : nullptr;
  return out;
}

}  // namespace tacet::apps
