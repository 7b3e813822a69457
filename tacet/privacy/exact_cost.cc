#include "tacet/privacy/exact_cost.h"

#include <algorithm>

namespace tacet::privacy {
namespace {

using numeric::ExactSum;

void add_to(ExactSum& sum, double value, bool as_stated) {
  if (as_stated) {
    sum.add_decimal(value);
  } else {
    sum.add(value);
  }
}

bool within_written(const ExactSum& sum, double cap) {
  ExactSum decimal;
  decimal.add_decimal(cap);
  ExactSum binary;
  binary.add(cap);
  return sum <= decimal || sum <= binary;
}

Amount shown(const ExactSum& value, const ExactSum& delta, double (ExactSum::*rounded)() const) {
  const auto value_decimal = value.as_decimal();
  const auto delta_decimal = delta.as_decimal();
  if (value_decimal && delta_decimal) return {*value_decimal, *delta_decimal, true};
  return {(value.*rounded)(), (delta.*rounded)()};
}

}  // namespace

void ExactCost::add(const Amount& amount) {
  add_to(value_, amount.value, amount.as_stated);
  add_to(delta_, amount.delta, amount.as_stated);
}

void ExactCost::subtract(const Amount& amount) {
  const ExactCost part(amount);
  value_.subtract(part.value_);
  delta_.subtract(part.delta_);
}

bool ExactCost::within(const ExactCost& limit) const {
  return value_ <= limit.value_ && delta_ <= limit.delta_;
}

bool ExactCost::within_written(const Amount& cap) const {
  return privacy::within_written(value_, cap.value) && privacy::within_written(delta_, cap.delta);
}

Amount ExactCost::rounded_up() const { return shown(value_, delta_, &ExactSum::rounded_up); }

Amount ExactCost::left_of(const ExactCost& limit) const {
  return shown(limit.value_.minus(value_), limit.delta_.minus(delta_), &ExactSum::rounded_down);
}

ExactCost ExactCost::from_text(std::string_view text) {
  const auto blank = std::min(text.find(' '), text.size());
  return {ExactSum::from_text(text.substr(0, blank)),
          ExactSum::from_text(text.substr(std::min(blank + 1, text.size())))};
}

}  // namespace tacet::privacy
