#include "tacet/apps/describe_curves.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text_table.h"
#include "tacet/base/text.h"
#include "tacet/model/curve_effects.h"

namespace tacet::apps {
namespace {

constexpr std::size_t shown_pairs = 5;

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
  std::string out = paragraph(fmt::format(
      "A line and {} curves of all columns together, {:.2g} of a row. Their weights mean nothing "
      "one by one: below stands what is predicted along each column, with the other numbers at "
      "their released means and the other categories left out.",
      curves.directions, curves.share));
  out += "\n";
  for (const auto& effect : model::curve_effects(file.schema, file.model)) {
    TextTable table({base::printable(effect.column), "prediction"});
    for (const auto& point : effect.points) {
      table.add({base::printable(point.value), fmt::format("{:.5g}", point.prediction)});
    }
    out += "\n" + table.text();
  }
  const auto pairs = model::strongest_pairs(file.schema, file.model, shown_pairs);
  if (pairs.empty()) return out;
  TextTable table({"number", "and number", "together"});
  for (const auto& pair : pairs) {
    table.add({base::printable(pair.first), base::printable(pair.second),
               fmt::format("{:.4g}", pair.together)});
  }
  return out + "\n" + table.text() + "\n" +
         paragraph(
             "The strongest pairs. `together` is what the prediction gains where both numbers are "
             "one standard deviation above their means, beyond what each of them does alone.");
}

nlohmann::ordered_json curves_json(const model::ModelFile& file) {
  nlohmann::ordered_json out;
  out["directions"] = file.schema.curves->directions;
  out["share"] = file.schema.curves->share;
  auto& effects = out["effects"] = nlohmann::ordered_json::array();
  for (const auto& effect : model::curve_effects(file.schema, file.model)) {
    auto& entry = effects.emplace_back();
    entry["column"] = effect.column;
    entry["spread"] = effect.spread;
    for (const auto& point : effect.points) {
      entry["points"].push_back({{"value", point.value}, {"prediction", point.prediction}});
    }
  }
  auto& pairs = out["pairs"] = nlohmann::ordered_json::array();
  for (const auto& pair : model::strongest_pairs(file.schema, file.model, shown_pairs)) {
    pairs.push_back({{"first", pair.first}, {"second", pair.second}, {"together", pair.together}});
  }
  return out;
}

}  // namespace tacet::apps
