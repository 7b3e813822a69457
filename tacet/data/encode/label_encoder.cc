#include "tacet/data/encode/label_encoder.h"

#include <algorithm>
#include <cmath>

namespace tacet::data {
namespace {

std::vector<std::string> listed_values(const Target& target) {
  if (const auto* multi = std::get_if<MultiClassTarget>(&target.rule)) return multi->classes;
  std::vector<std::string> values;
  if (const auto* binary = std::get_if<BinaryTarget>(&target.rule)) {
    values = binary->positive;
    values.insert(values.end(), binary->negative.begin(), binary->negative.end());
  }
  return values;
}

bool unlisted_is_missing(const Target& target) {
  const auto* binary = std::get_if<BinaryTarget>(&target.rule);
  const bool one_list = binary != nullptr && binary->negative.empty();
  return target.missing_target == MissingTarget::drop_unlisted && !one_list;
}

}  // namespace

LabelEncoder::LabelEncoder(const Schema& schema)
    : target_(*schema.target),
      index_(listed_values(target_)),
      missing_(schema.missing, target_.spelling.missing),
      reader_(false, merged(schema.format.spelling, target_.spelling)) {}

std::optional<double> LabelEncoder::encode(const Value& value) const { return kept(find(value)); }

std::optional<double> LabelEncoder::encode_number(double value) const {
  return kept(find_number(value));
}

double LabelEncoder::rule_label(const Value& value) const { return find(value).label; }

bool LabelEncoder::is_missing(const Value& value) const { return find(value).missing; }

double LabelEncoder::label_without_target() const {
  return std::holds_alternative<BinaryTarget>(target_.rule) ? -1.0 : 0.0;
}

LabelEncoder::Found LabelEncoder::find(const Value& value) const {
  if (const auto* number = std::get_if<float>(&value)) return find_number(*number);
  if (!target_.regression()) {
    const auto index = index_.find_value(value);
    return {from_index(index), !index && (unlisted_is_missing(target_) || missing_.has(value))};
  }
  const auto number = missing_.has(value) ? std::nullopt : number_of(value, reader_);
  if (!number || missing_.has_number(*number)) return {0.0, true};
  return {from_value(*number), false};
}

LabelEncoder::Found LabelEncoder::find_number(double value) const {
  const bool missing = std::isnan(value) || missing_.has_number(value);
  if (!target_.regression()) {
    const auto index = index_.find_number(value);
    return {from_index(index), !index && (unlisted_is_missing(target_) || missing)};
  }
  if (missing || !std::isfinite(value)) return {0.0, true};
  return {from_value(value), false};
}

std::optional<double> LabelEncoder::kept(const Found& found) const {
  const bool dropped = found.missing && target_.missing_target != MissingTarget::bounds;
  return dropped ? std::nullopt : std::optional(found.label);
}

double LabelEncoder::from_index(std::optional<std::uint32_t> index) const {
  if (const auto* binary = std::get_if<BinaryTarget>(&target_.rule)) {
    const bool positive = index ? *index < binary->positive.size() : binary->unknown_is_positive;
    return positive ? 1.0 : -1.0;
  }
  const auto& multi = std::get<MultiClassTarget>(target_.rule);
  return index ? static_cast<double>(*index) : static_cast<double>(multi.unknown);
}

double LabelEncoder::from_value(double value) const {
  const auto& bounds = std::get<RegressionTarget>(target_.rule);
  const double clipped = std::clamp(value, bounds.lower, bounds.upper);
  const double share = (clipped - bounds.lower) / (bounds.upper - bounds.lower);
  if (bounds.kind != NumberKind::number) return std::clamp(share, 0.0, 1.0);
  const double mapped = 2 * share - 1;
  return std::clamp(mapped, -1.0, 1.0);
}

}  // namespace tacet::data
