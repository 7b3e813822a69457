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

}  // namespace

LabelEncoder::LabelEncoder(const Target& target) : target_(target), index_(listed_values(target)) {}

double LabelEncoder::encode(const Value& value) const {
  if (const auto* number = std::get_if<float>(&value)) return encode_number(*number);
  if (!target_.regression()) return from_index(index_.find_value(value));
  static const NumericColumn any_number;
  const auto number = number_of(value, any_number);
  return number ? from_value(*number) : 0.0;
}

double LabelEncoder::encode_number(double value) const {
  if (!target_.regression()) return from_index(index_.find_number(value));
  return std::isfinite(value) ? from_value(value) : 0.0;
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
