#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tacet/accounting/routes/language.h"

/// The cost of private selection: a base run, private together with its score, is repeated K times
/// with K secret, and only the best run is released (Liu, Talwar 2019; Papernot, Steinke 2022).
namespace tacet::accounting::repetition {

/// The law of the number of runs K, with the parameters of RandomlyRepeated.
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
/// The gamma of the truncated negative binomial law with the given shape and with a mean above 1.
[[nodiscard]] double gamma_for_mean(double eta, double mean);

/// delta_total(e) <= scale delta_base(e - shift) for all e >= 0, where delta_base holds in both
/// orders of the neighbours. It follows from the ratio of the derivatives of the generating
/// function, bounded by 1 - F <= e^x (1 - F') + delta_base(x) at the best x, which is `first`.
struct ProfileBound {
  double scale;
  double shift;
  double first;
};
/// A bound that is at least `known`, the bound of another curve: for both curves together the
/// larger bound counts. One delta shows whether `known` suffices, while a search takes many. The
/// best x is found from above, to the relative `tolerance`; a coarse one takes few deltas.
[[nodiscard]] ProfileBound profile_bound(const Law& law,
                                         const std::function<double(double)>& base_delta,
                                         const std::optional<ProfileBound>& known = {},
                                         double tolerance = 1e-10);

/// The total pure epsilon for a base with pure epsilon. At most (2 + eta) base_epsilon for the
/// truncated negative binomial law.
[[nodiscard]] double pure_epsilon(const Law& law, double base_epsilon);

/// The largest number of selections that contain one another in an event. With more than
/// `deepest_profile` levels, profile bounds would need too many points of the inner curves; then
/// only the Renyi bound and the pure bound are used.
[[nodiscard]] int depth(const Event& event);
inline constexpr int deepest_profile = 3;

}  // namespace tacet::accounting::repetition
