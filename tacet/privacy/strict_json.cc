#include "tacet/privacy/strict_json.h"

#include <fmt/format.h>
#include <cmath>

#include <set>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::privacy::internal {

nlohmann::ordered_json parse_strictly(std::string_view text, const JsonLimits& limits) {
  using Json = nlohmann::ordered_json;
  const auto refuse = [&limits](const std::string& why) {
    throw base::DataError("{}: {}", limits.what, why);
  };
  if (text.size() > limits.max_bytes) {
    refuse(fmt::format("{} bytes, at most {} are read", text.size(), limits.max_bytes));
  }
  refuse_zero_byte(text, limits.what);
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > limits.max_depth) {
      refuse(fmt::format("nested deeper than {} levels", limits.max_depth));
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) refuse(fmt::format("the key '{}' is repeated", key));
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception& error) {
    refuse(fmt::format("not valid JSON: {}", error.what()));
  }
  throw base::InternalError("a refusal that returned");
}

void refuse_zero_byte(std::string_view text, std::string_view what) {
  const auto place = text.find('\0');
  if (place == std::string_view::npos) return;
  throw base::DataError("{}: not valid JSON: byte {} is zero: the text is damaged", what,
                        place + 1);
}

nlohmann::ordered_json number_json(double value) {
  if (std::isinf(value)) return "inf";
  return value;
}

}  // namespace tacet::privacy::internal
