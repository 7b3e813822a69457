#include <algorithm>

#include "tacet/ledger/currency.h"

namespace tacet::ledger {
namespace {

struct Sums {
  ExactSum value;
  ExactSum delta;
};

Sums sums_of(const Amount& amount) {
  Sums sums;
  if (amount.as_stated) {
    sums.value.add_decimal(amount.value);
    sums.delta.add_decimal(amount.delta);
  } else {
    sums.value.add(amount.value);
    sums.delta.add(amount.delta);
  }
  return sums;
}

bool in_epsilons(const Cap& cap) {
  return cap.currency == Currency::basic || cap.currency == Currency::pure;
}

Sums limits_of(const Cap& cap) {
  if (cap.currency == Currency::gdp) {
    Sums limits;
    limits.value.add_product(cap.value, cap.value);
    return limits;
  }
  return sums_of({cap.value, cap.delta, in_epsilons(cap)});
}

Amount shown(const Sums& sums, double (ExactSum::*rounded)() const) {
  const auto value = sums.value.as_decimal();
  const auto delta = sums.delta.as_decimal();
  if (value && delta) return {*value, *delta, true};
  return {(sums.value.*rounded)(), (sums.delta.*rounded)()};
}

}  // namespace

void Tally::add(const Amount& amount) {
  const auto sums = sums_of(amount);
  value_.add(sums.value);
  delta_.add(sums.delta);
}

void Tally::subtract(const Amount& amount) {
  const auto sums = sums_of(amount);
  value_.subtract(sums.value);
  delta_.subtract(sums.delta);
}

bool Tally::within(const Cap& cap) const {
  const auto limits = limits_of(cap);
  if (value_ <= limits.value && delta_ <= limits.delta) return true;
  if (!in_epsilons(cap)) return false;
  // A cap of 0.1 is the decimal and the double that it is read as, whichever is larger: one run at
  // just the cap costs the double.
  ExactSum value;
  ExactSum delta;
  value.add(cap.value);
  delta.add(cap.delta);
  return (value_ <= limits.value || value_ <= value) && (delta_ <= limits.delta || delta_ <= delta);
}

Amount Tally::total() const { return shown({value_, delta_}, &ExactSum::rounded_up); }

Amount Tally::remaining(const Cap& cap) const {
  const auto limits = limits_of(cap);
  return shown({limits.value.minus(value_), limits.delta.minus(delta_)}, &ExactSum::rounded_down);
}

Tally Tally::from_text(std::string_view text) {
  const auto blank = std::min(text.find(' '), text.size());
  Tally tally;
  tally.value_ = ExactSum::from_text(text.substr(0, blank));
  tally.delta_ = ExactSum::from_text(text.substr(std::min(blank + 1, text.size())));
  return tally;
}

Amount amount_of(const Cap& cap) { return shown(limits_of(cap), &ExactSum::rounded_up); }

}  // namespace tacet::ledger
