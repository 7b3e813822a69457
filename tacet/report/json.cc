#include "tacet/report/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/base/text.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t line_width = 100;

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

bool is_number_list(const ordered_json& value) {
  return value.is_array() && !value.empty() && std::ranges::all_of(value, [](const auto& one) {
           return one.is_number() || one.is_null();
         });
}

/// Numbers side by side, as many as a line takes; one blank a level before a line.
void write_numbers(const ordered_json& list, std::size_t level, std::string& out) {
  // What stands before the list on its line, as the name of a key.
  std::size_t before = out.size() - (out.rfind('\n') + 1);
  std::string line = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto number = dumped(list[i]) + (i + 1 < list.size() ? "," : "]");
    const bool first = line.size() <= level + 1;
    if (!first && before + line.size() + 1 + number.size() > line_width) {
      out += line + "\n";
      before = 0;
      line = std::string(level + 1, ' ');
    } else if (i > 0) {
      line += ' ';
    }
    line += number;
  }
  out += line;
}

void write(const ordered_json& value, std::size_t level, std::string& out) {
  if (!value.is_structured() || value.empty()) {
    out += dumped(value);
    return;
  }
  if (is_number_list(value)) return write_numbers(value, level, out);
  const bool object = value.is_object();
  out += object ? "{" : "[";
  bool first = true;
  for (const auto& [key, one] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(level + 1, ' ');
    if (object) out += dumped(ordered_json(key)) + ": ";
    write(one, level + 1, out);
  }
  out += "\n" + std::string(level, ' ') + (object ? "}" : "]");
}

}  // namespace

ordered_json json_number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::string json_text(const ordered_json& json) {
  std::string out;
  write(json, 0, out);
  return base::printable_json(out) + "\n";
}

}  // namespace tacet::report
