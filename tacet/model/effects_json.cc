#include "tacet/model/effects_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/base/checked_cast.h"
#include "tacet/model/column_effects.h"

namespace tacet::model {
namespace {

using nlohmann::ordered_json;

ordered_json entry_of(const ColumnEffect& effect, bool odds) {
  ordered_json entry{{"name", effect.name}};
  if (effect.curve) {
    entry["range"] = effect.effect;
    entry["min"] = effect.curve->min;
    entry["max"] = effect.curve->max;
    entry["direction"] = effect.curve->direction;
    entry["steepest"] = effect.curve->steepest;
    return entry;
  }
  entry["step"] = effect.step;
  entry["effect"] = effect.effect;
  if (effect.noise) entry["noise_sd"] = *effect.noise;
  if (odds) entry["odds_ratio"] = std::exp(effect.effect);
  return entry;
}

}  // namespace

std::vector<ordered_json> effects_json(const data::Schema& schema, const LinearModel& model) {
  const auto outputs = base::checked_cast<std::size_t>(model.output_count());
  std::vector<ordered_json> lists(outputs, ordered_json::array());
  if (schema.curves || schema.encoded_column_count() != model.feature_count()) return lists;
  const auto effects = column_effects(schema, model);
  for (std::size_t k = 0; k < outputs; ++k) {
    for (const auto& effect : effects[k]) {
      lists[k].push_back(entry_of(effect, model.has_probabilities()));
    }
  }
  return lists;
}

}  // namespace tacet::model
