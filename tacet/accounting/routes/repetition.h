#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tacet/accounting/routes/language.h"

/// The cost of private selection: a base run, private together with its score, is repeated K times
/// with K secret, and only the best run is released (Liu, Talwar 2019; Papernot, Steinke 2022).
namespace tacet::accounting::repetition {

/// The law of K as RandomlyRepeated carries it.
struct Law {
  RepetitionLaw kind;
  double eta = 0;
  double gamma = 0;
  double mean = 0;
  std::int64_t trials = 0;
  double probability = 0;
};
[[nodiscard]] Law law_of(const RandomlyRepeated& event);

/// E[K].
[[nodiscard]] double mean(const Law& law);
/// P(K = k).
[[nodiscard]] double probability(const Law& law, std::int64_t k);
/// P(K > cap), rounded up.
[[nodiscard]] double tail(const Law& law, std::int64_t cap);
/// gamma of the truncated negative binomial law with the given shape and mean above 1.
[[nodiscard]] double gamma_for_mean(double eta, double mean);

/// delta_total(e) <= scale delta_base(e - shift) for all e >= 0, where delta_base holds in both
/// orders of the neighbours: the ratio of the derivatives of the generating function, bounded
/// through 1 - F <= e^x (1 - F') + delta_base(x) at the best x (x is `first`).
struct ProfileBound {
  double scale;
  double shift;
  double first;
};
/// Never below `known`, the bound of another curve: what holds for both is the larger of the two,
/// and looking whether `known` will do takes one delta where a search takes many. The best x is
/// found to the relative `tolerance`, from above, by few deltas where that is coarse.
[[nodiscard]] ProfileBound profile_bound(const Law& law,
                                         const std::function<double(double)>& base_delta,
                                         const std::optional<ProfileBound>& known = {},
                                         double tolerance = 1e-10);

/// Pure base epsilon: the total pure epsilon, never above (2 + eta) epsilon for the truncated
/// negative binomial law.
[[nodiscard]] double pure_epsilon(const Law& law, double base_epsilon);

/// How many tunings contain one another at the deepest place of an event. Profile bounds of more
/// than `deepest_profile` levels ask for more points of the inner curves than time allows; there
/// the Renyi bound or the pure one has to do.
[[nodiscard]] int depth(const Event& event);
inline constexpr int deepest_profile = 3;

}  // namespace tacet::accounting::repetition
