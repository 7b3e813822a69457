#include "tacet/run/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tacet::run {
namespace {

/// The largest number of one digit that is not above `value`.
double one_digit(double value) {
  const auto text = fmt::format("{:.0e}", value);
  const double near = std::strtod(text.c_str(), nullptr);
  if (near <= value) return near;
  const int power = std::atoi(text.c_str() + text.find('e') + 1);
  const int digit = text.front() - '0';
  const auto below =
      digit > 1 ? fmt::format("{}e{}", digit - 1, power) : fmt::format("9e{}", power - 1);
  return std::strtod(below.c_str(), nullptr);
}

}  // namespace

std::optional<AccountTerms> terms_of(const std::string& data, const Front& front, const Use& use) {
  const auto found = find_account(data, front, use);
  if (!found) return std::nullopt;
  const auto snapshot = found->ledger->snapshot();
  const auto& account = snapshot.account(found->data_set);
  return AccountTerms{.data_set = account.name(),
                      .ledger = found->ledger->path(),
                      .adjacency = account.enrolled.adjacency,
                      .currency = account.cap().currency,
                      .delta_left = std::max(account.counted.remaining(account.cap()).delta, 0.0),
                      .past_the_cap = !front.account.override_reason.empty()};
}

std::optional<double> fitting_delta(const AccountTerms& terms, std::optional<double> usual) {
  if (terms.past_the_cap) return usual;
  if (terms.currency == ledger::Currency::pure) return 0;
  if (terms.currency != ledger::Currency::basic) return usual;
  if (usual && *usual <= terms.delta_left / 2) return usual;
  constexpr double share = 0.1;
  // What roundings of a calibration left of a delta that was meant to be spent whole buys nothing.
  constexpr double dust = 1e-12;
  if (usual && terms.delta_left < dust * *usual) return 0;
  return terms.delta_left > 0 ? one_digit(share * terms.delta_left) : 0;
}

}  // namespace tacet::run
