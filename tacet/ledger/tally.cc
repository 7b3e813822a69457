#include "tacet/ledger/currency.h"

namespace tacet::ledger {
namespace {

bool in_epsilons(const Cap& cap) {
  return cap.currency == Currency::basic || cap.currency == Currency::pure;
}

privacy::ExactCost limits_of(const Cap& cap) {
  if (cap.currency == Currency::gdp) {
    numeric::ExactSum squared;
    squared.add_product(cap.value, cap.value);
    return {squared, {}};
  }
  return privacy::ExactCost({cap.value, cap.delta, in_epsilons(cap)});
}

}  // namespace

bool Tally::within(const Cap& cap) const {
  if (in_epsilons(cap)) return cost_.within_written({cap.value, cap.delta});
  return cost_.within(limits_of(cap));
}

Amount Tally::remaining(const Cap& cap) const { return cost_.left_of(limits_of(cap)); }

Amount amount_of(const Cap& cap) { return limits_of(cap).rounded_up(); }

}  // namespace tacet::ledger
