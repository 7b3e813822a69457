#include "tacet/privacy/receipt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "tacet/base/error.h"
#include "tacet/privacy/prg_share.h"
#include "tacet/privacy/receipt_notes.h"
#include "tacet/privacy/strict_json.h"

namespace tacet::privacy {
namespace {

using Json = nlohmann::ordered_json;

constexpr int receipt_format_version = 1;
constexpr std::size_t max_receipt_bytes = std::size_t{4} << 20;
constexpr int max_receipt_depth = 100;

constexpr std::array keys{
    "version",   "algorithm",        "calibration", "parameters",         "events",
    "guarantee", "privacy_unit",     "sampling",    "public_row_count",   "randomness",
    "prg_slack", "software_version", "protected",   "unprotected_reason", "notes"};
constexpr std::array guarantee_keys{"epsilon", "delta", "adjacency"};

[[noreturn]] void bad(const std::string& what) { throw base::DataError("receipt: " + what); }

const Json& at(const Json& object, const char* key) {
  if (!object.is_object()) bad(fmt::format("an object with the key '{}' was expected", key));
  const auto found = object.find(key);
  if (found == object.end()) bad(fmt::format("the key '{}' is missing", key));
  return *found;
}

void expect_only(const Json& object, std::span<const char* const> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, std::string_view(key)) == known.end()) {
      bad(fmt::format("unknown key '{}'", key));
    }
  }
}

std::string text_at(const Json& object, const char* key) {
  const auto& value = at(object, key);
  if (!value.is_string()) bad(fmt::format("'{}' must be a string", key));
  return value.get<std::string>();
}

double real_at(const Json& object, const char* key) {
  const auto& value = at(object, key);
  if (value.is_string() && value.get<std::string>() == "inf") return HUGE_VAL;
  if (!value.is_number()) bad(fmt::format("'{}' must be a number or \"inf\"", key));
  return value.get<double>();
}

void read_optional_parts(const Json& json, Receipt& receipt) {
  const auto& rows = at(json, "public_row_count");
  if (rows.is_number_integer()) {
    receipt.public_row_count = rows.get<std::int64_t>();
  } else if (!rows.is_null()) {
    bad("'public_row_count' must be an integer or null");
  }
  const auto randomness = text_at(json, "randomness");
  if (randomness == "secure") {
    receipt.randomness = Randomness::secure;
  } else if (randomness == "seeded: not private") {
    receipt.randomness = Randomness::seeded;
  } else {
    bad("'randomness' must be \"secure\" or \"seeded: not private\"");
  }
}

/// "tight", "paper", or a first author and a year. Each method knows its own paper.
bool names_calibration(std::string_view name) {
  if (name == "tight" || name == "paper") return true;
  constexpr std::size_t year = 4;
  if (name.size() <= year || name.size() > 40) return false;
  const auto within = [](char low, char high) {
    return [=](char c) { return c >= low && c <= high; };
  };
  return std::ranges::all_of(name.substr(0, name.size() - year), within('a', 'z')) &&
         std::ranges::all_of(name.substr(name.size() - year), within('0', '9'));
}

}  // namespace

Receipt checked(Receipt receipt) {
  static_cast<void>(checked(receipt.guarantee));
  if (receipt.algorithm.empty()) throw base::UsageError("a receipt must name its algorithm");
  if (!names_calibration(receipt.calibration)) {
    throw base::UsageError("calibration must be tight or name a paper as wang2021, got '{}'",
                           receipt.calibration);
  }
  if (receipt.privacy_unit.empty()) throw base::UsageError("a receipt must name its privacy unit");
  if (!Json::accept(receipt.parameters) || !Json::parse(receipt.parameters).is_object()) {
    throw base::UsageError("the parameters of a receipt must be a JSON object");
  }
  check_notes(receipt.notes);
  if (receipt.public_row_count && *receipt.public_row_count < 0) {
    throw base::UsageError("public_row_count must be 0 or more, got {}", *receipt.public_row_count);
  }
  if (!(receipt.prg_slack >= 0 && receipt.prg_slack <= 1)) {
    throw base::UsageError("prg_slack must lie in [0, 1], got {}", receipt.prg_slack);
  }
  const bool unproved =
      receipt.randomness == Randomness::seeded || std::isinf(receipt.guarantee.epsilon);
  if (unproved && receipt.is_protected()) {
    throw base::UsageError(
        "a result with seeded noise or infinite epsilon must be marked unprotected");
  }
  if (receipt.is_protected()) {
    static_cast<void>(delta_left(receipt.guarantee, receipt.prg_slack));
  }
  return receipt;
}

std::string receipt_to_json(const Receipt& given, int indent) {
  const auto receipt = checked(given);
  auto json = Json::object();
  json["version"] = receipt_format_version;
  json["algorithm"] = receipt.algorithm;
  json["calibration"] = receipt.calibration;
  json["protected"] = receipt.is_protected();
  json["unprotected_reason"] = receipt.unprotected_reason;
  json["guarantee"] = {{"epsilon", internal::number_json(receipt.guarantee.epsilon)},
                       {"delta", internal::number_json(receipt.guarantee.delta)},
                       {"adjacency", to_string(receipt.guarantee.adjacency)}};
  json["privacy_unit"] = receipt.privacy_unit;
  json["sampling"] = receipt.sampling;
  json["public_row_count"] = receipt.public_row_count ? Json(*receipt.public_row_count) : Json();
  json["randomness"] = receipt.randomness == Randomness::secure ? "secure" : "seeded: not private";
  json["prg_slack"] = internal::number_json(receipt.prg_slack);
  json["software_version"] = receipt.software_version;
  if (!receipt.notes.empty()) json["notes"] = notes_to_json(receipt.notes);
  json["parameters"] = Json::parse(receipt.parameters);
  json["events"] = Json::parse(event_to_json(receipt.events));
  return json.dump(indent);
}

Receipt receipt_from_json(std::string_view text) {
  const auto json = internal::parse_strictly(
      text, {.what = "receipt", .max_bytes = max_receipt_bytes, .max_depth = max_receipt_depth});
  if (at(json, "version") != receipt_format_version) {
    bad(fmt::format("this program reads version {}", receipt_format_version));
  }
  expect_only(json, keys);
  Receipt receipt;
  const auto& protection = at(json, "protected");
  if (!protection.is_boolean()) bad("'protected' must be true or false");
  try {
    receipt.algorithm = text_at(json, "algorithm");
    receipt.calibration = text_at(json, "calibration");
    receipt.parameters = at(json, "parameters").dump();
    receipt.events = event_from_json(at(json, "events").dump());
    const auto& guarantee = at(json, "guarantee");
    expect_only(guarantee, guarantee_keys);
    receipt.guarantee = {real_at(guarantee, "epsilon"), real_at(guarantee, "delta"),
                         parse_adjacency(text_at(guarantee, "adjacency"))};
    receipt.privacy_unit = text_at(json, "privacy_unit");
    receipt.sampling = text_at(json, "sampling");
    read_optional_parts(json, receipt);
    receipt.prg_slack = real_at(json, "prg_slack");
    receipt.software_version = text_at(json, "software_version");
    receipt.unprotected_reason = text_at(json, "unprotected_reason");
    if (json.contains("notes")) receipt.notes = notes_from_json(json["notes"]);
    receipt = checked(std::move(receipt));
  } catch (const base::UsageError& error) {
    bad(error.what());
  }
  if (protection.get<bool>() != receipt.is_protected()) {
    bad("'protected' contradicts 'unprotected_reason'");
  }
  return receipt;
}

}  // namespace tacet::privacy
