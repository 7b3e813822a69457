#include "tacet/report/recorded_result.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/privacy/strict_json.h"

namespace tacet::report {
namespace {

namespace limits = base::limits;

/// The parser's words without its error number, and without what it read: the text may be records.
std::string detail_of(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const auto begin = text.find("] ");
  const auto words = begin == std::string::npos ? text : text.substr(begin + 2);
  // "parse error at line 1, column 5: ...": what follows the place may quote the text. Words
  // without a place are of a value, which they quote.
  const auto place = words.find(':');
  return words.starts_with("parse error at ") && place != std::string::npos
             ? words.substr(0, place)
             : std::string("a number or a text that JSON does not have");
}

/// What a fit of a schema released.
RecordedResult result_of(data::Schema schema, const std::string& name) {
  if (!schema.cost) {
    throw base::DataError(
        "'{}' is a schema that was not fitted to records: it released nothing, and there is no "
        "guarantee to compute",
        name);
  }
  RecordedResult result{data::fit_receipt(schema)};
  result.schema = std::move(schema);
  return result;
}

/// Whether a text could be a schema in TOML: it has a line that begins a table of one.
bool looks_like_toml(const std::string& text) {
  const auto begins_line = [&](std::string_view table) {
    const auto at = text.find(table);
    return at != std::string::npos && (at == 0 || text[at - 1] == '\n');
  };
  return begins_line("[cost]") || begins_line("[[column]]");
}

/// A receipt by itself, or that of another result.
RecordedResult result_of(const std::string& text, bool inside) {
  const auto whole = privacy::internal::parse_strictly(
      text, {.what = "result",
             .max_bytes = static_cast<std::size_t>(limits::result_bytes),
             .max_depth = limits::model_depth});
  RecordedResult result{privacy::receipt_from_json(inside ? whole["receipt"].dump() : text)};
  if (!inside) return result;
  for (const auto& [key, value] : whole.items()) {
    if (key == "privacy" && value.is_string()) {
      result.statement = value.get<std::string>();
    } else if (key != "receipt") {
      result.other_keys.push_back(key);
    }
  }
  return result;
}

/// The keys of a JSON object's top level that tell kinds of files apart; nothing for what is no
/// object. No value is kept: a wide model need not stand in memory as a tree.
std::optional<std::set<std::string>> kind_of(const std::string& text, const std::string& name) {
  using Event = nlohmann::json::parse_event_t;
  std::set<std::string> keys;
  const auto note = [&keys](int depth, Event event, const nlohmann::json& value) {
    if (event == Event::key && depth == 1) {
      for (const auto* known : {"column", "format", "receipt", "guarantee"}) {
        if (value == known) keys.insert(known);
      }
    }
    return depth == 0;
  };
  privacy::internal::refuse_zero_byte(text, fmt::format("'{}'", name));
  try {
    if (!nlohmann::json::parse(text, note).is_object()) return std::nullopt;
    return keys;
  } catch (const nlohmann::json::exception& error) {
    throw base::DataError("'{}' is no JSON object, or a damaged one: {}", name, detail_of(error));
  }
}

}  // namespace

std::optional<RecordedResult> recorded_in(const std::string& text, const std::string& name) {
  if (looks_like_toml(text)) return result_of(data::schema_of_file(text, name), name);
  const auto keys = model::is_wide_file(text) ? std::optional(std::set<std::string>{"format"})
                                              : kind_of(text, name);
  if (!keys) throw base::DataError("'{}' is no JSON object: no model, receipt or event", name);
  if (keys->contains("column") && !keys->contains("receipt")) {
    const auto whole = privacy::internal::parse_strictly(
        text, {.what = "schema",
               .max_bytes = static_cast<std::size_t>(limits::schema_bytes),
               .max_depth = limits::model_depth});
    return result_of(data::schema_from_json(whole), name);
  }
  if (keys->contains("format")) {
    auto model = model::model_from_json(text, name);
    data::check_carries_cost(model.schema, model.receipt);
    const auto receipt = model.receipt;
    const auto statement = model.statement;
    return RecordedResult{receipt, std::move(model), statement, {}};
  }
  // Other results carry their receipt as a part of what they printed.
  const bool inside = keys->contains("receipt");
  if (!inside && !keys->contains("guarantee")) return std::nullopt;
  try {
    return result_of(text, inside);
  } catch (const base::DataError& error) {
    throw base::DataError("'{}': {}", name, error.what());
  }
}

RecordedResult result_in(const std::string& text, const std::string& name) {
  auto recorded = recorded_in(text, name);
  if (recorded) return *std::move(recorded);
  throw base::DataError(
      "'{}' has no receipt; a model file or a receipt is needed, and an accounting computes what "
      "events cost",
      name);
}

}  // namespace tacet::report
