#include "tacet/apps/describe_wide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacet/apps/terminal/text.h"
#include "tacet/base/text.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

struct FieldLine {
  std::string column;
  const model::WideField& field;
};

std::vector<FieldLine> field_lines(const model::ModelFile& file) {
  std::vector<FieldLine> lines;
  const auto& fields = file.model.wide->net().shape().fields;
  std::size_t next = 0;
  const auto places = model::column_places(file.schema);
  for (std::size_t c = 0; c < places.size(); ++c) {
    const auto& [first, count] = places[c];
    if (next == fields.size() || fields[next].first != first || count == 0) continue;
    lines.push_back({file.schema.columns[c].name, fields[next++]});
  }
  return lines;
}

const char* pooled(const model::WideField& field) {
  return field.pooling == model::Pooling::mean ? "mean" : "sum";
}

const char* side(const model::WideField& field) {
  return field.side == model::WideSide::left ? "left" : "right";
}

std::string layers_text(const model::WideShape& shape) {
  if (shape.two_tower()) {
    return fmt::format("dot product of two sides of {} numbers", shape.fields.front().width);
  }
  if (shape.hidden.empty()) return fmt::format("no hidden layer, {} outputs", shape.outputs);
  return fmt::format("hidden layers of {} neurons, {} output{}", fmt::join(shape.hidden, " and "),
                     shape.outputs, shape.outputs == 1 ? "" : "s");
}

}  // namespace

std::string wide_text(const model::ModelFile& file) {
  const auto& wide = *file.model.wide;
  const auto& shape = wide.net().shape();
  std::string out;
  if (!shape.fields.empty()) {
    TextTable table(
        {"column", "ids", "numbers a vector", shape.two_tower() ? "side" : "pooled by"});
    for (const auto& [column, field] : field_lines(file)) {
      table.add({base::printable(column), fmt::format("{}", field.rows),
                 fmt::format("{}", field.width), shape.two_tower() ? side(field) : pooled(field)});
    }
    out += table.text() + "\n";
  }
  return out + fmt::format("{} numbers and categories as they are; {}; {}linear part; {} numbers\n",
                           shape.dense.size(), layers_text(shape),
                           shape.linear == model::LinearPart::present ? "" : "no ",
                           wide.numbers().size());
}

ordered_json wide_json(const model::ModelFile& file) {
  const auto& wide = *file.model.wide;
  const auto& shape = wide.net().shape();
  ordered_json out;
  out["fields"] = ordered_json::array();
  for (const auto& [column, field] : field_lines(file)) {
    ordered_json entry{{"column", column}, {"ids", field.rows}, {"dim", field.width}};
    entry["pooling"] = pooled(field);
    if (shape.two_tower()) entry["side"] = side(field);
    out["fields"].push_back(std::move(entry));
  }
  out["dense"] = shape.dense.size();
  out["hidden"] = shape.hidden;
  out["head"] = shape.two_tower() ? "two-tower" : "layers";
  out["linear_part"] = shape.linear == model::LinearPart::present;
  out["outputs"] = shape.outputs;
  out["numbers"] = wide.numbers().size();
  return out;
}

}  // namespace tacet::apps
