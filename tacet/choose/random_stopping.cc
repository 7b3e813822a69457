#include "tacet/choose/random_stopping.h"

#include <algorithm>
#include <cmath>

#include "tacet/accounting/routes/repetition.h"
#include "tacet/base/error.h"

namespace tacet::choose {
namespace {

using privacy::RandomlyRepeated;
using privacy::RepetitionLaw;

__extension__ using Wide = unsigned __int128;
constexpr int wide_bits = 120;

/// P(K = first), and P(K = k + 1) / P(K = k): 64 bits, where every step rounds twice.
struct Recursion {
  std::int64_t first;
  long double start;
  long double eta;
  long double factor;

  explicit Recursion(const RandomlyRepeated& event)
      : first(event.law == RepetitionLaw::poisson ? 0 : 1), start(0), eta(event.eta), factor(0) {
    if (event.law == RepetitionLaw::poisson) {
      start = std::exp(-static_cast<long double>(event.mean));
      factor = event.mean;
      return;
    }
    const long double gamma = event.gamma;
    factor = 1 - gamma;
    start = event.eta == 0 ? factor / -std::log(gamma)
                           : eta * factor / std::expm1(-eta * std::log(gamma));
  }
  [[nodiscard]] long double ratio(std::int64_t k) const {
    const auto next = static_cast<long double>(k + 1);
    return first == 0 ? factor / next : factor * (static_cast<long double>(k) + eta) / next;
  }
};

}  // namespace

RandomlyRepeated stopping_event(TrialLaw law, double mean, std::int64_t cap, privacy::Event base) {
  constexpr double max = 1e4;
  if (!(mean > 1 && mean <= max)) {
    throw base::UsageError("trials must be above 1 and at most {:g}, got {:g}", max, mean);
  }
  RandomlyRepeated event{RepetitionLaw::poisson, 0, 0, mean, 0, 0, cap, std::move(base)};
  if (law == TrialLaw::poisson) return event;
  event.law = RepetitionLaw::truncated_negative_binomial;
  event.eta = law == TrialLaw::geometric ? 1 : 0;
  event.gamma = accounting::repetition::gamma_for_mean(event.eta, mean);
  event.mean = 0;
  return event;
}

double beyond(const RandomlyRepeated& event, std::int64_t cap) {
  return accounting::repetition::tail(accounting::repetition::law_of(event), cap);
}

std::int64_t min_cap(const RandomlyRepeated& event, double probability) {
  std::int64_t enough = 1;
  while (beyond(event, enough) > probability) enough *= 2;
  std::int64_t few = enough / 2;
  while (enough - few > 1) {
    const auto middle = few + (enough - few) / 2;
    (beyond(event, middle) > probability ? few : enough) = middle;
  }
  return enough;
}

std::int64_t draw_count(const RandomlyRepeated& event, std::int64_t cap, random::Stream& stream) {
  const Recursion law(event);
  const Wide high = stream.next();
  const Wide uniform = (high << 64 | stream.next()) >> (128 - wide_bits);
  long double probability = law.start;
  Wide sum = 0;
  for (std::int64_t k = law.first; k < cap; ++k) {
    sum += static_cast<Wide>(std::ldexp(probability, wide_bits));
    if (uniform < sum) return k;
    probability *= law.ratio(k);
  }
  return cap;
}

// Each probability is off by at most 4 k + 8 roundings of 2^-64 of itself and 2^-120, and what is
// missing falls on the cap: sum p_k (4 k + 8) 2^-64 is (4 E[K] + 8) 2^-64.
double count_distance(const RandomlyRepeated& event) {
  return 0x1p-60 *
         std::max(1.0, accounting::repetition::mean(accounting::repetition::law_of(event)));
}

}  // namespace tacet::choose
