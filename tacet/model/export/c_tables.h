#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "tacet/model/export/c_text.h"
#include "tacet/model/export/export_notes.h"

namespace tacet::model::internal {

/// A table of one type. An empty table gets a single zero, since C has no empty arrays.
template <typename Value>
void c_table(std::string& out, std::string_view type, std::string_view name,
             std::span<const Value> values) {
  put(out, "static const {} tacet_{}[{}] = {{", type, name,
      std::max<std::size_t>(values.size(), 1));
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k % 12 == 0) out += "\n  ";
    if constexpr (std::is_integral_v<Value>) {
      put(out, "{}{}, ", values[k], std::is_unsigned_v<Value> ? "u" : "");
    } else {
      out += double_text(static_cast<double>(values[k]));
      out += std::is_same_v<Value, float> ? "f, " : ", ";
    }
  }
  out += values.empty() ? "0};\n" : "};\n";
}

}  // namespace tacet::model::internal
