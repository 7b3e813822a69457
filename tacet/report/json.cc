#include "tacet/report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/base/text.h"

namespace tacet::report {

using nlohmann::ordered_json;

ordered_json json_number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::string json_text(const ordered_json& json) {
  return base::printable_json(json.dump(1, ' ', false, ordered_json::error_handler_t::replace)) +
         "\n";
}

}  // namespace tacet::report
