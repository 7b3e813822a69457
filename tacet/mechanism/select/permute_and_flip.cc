#include "tacet/mechanism/select/permute_and_flip.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/mechanism/select/sparse_pool.h"

namespace tacet::mechanism {

privacy::Event permute_and_flip_event(privacy::Epsilon epsilon, privacy::Adjacency adjacency) {
  // McKenna, Sheldon 2020. A fraction below epsilon is used instead of epsilon:
  // docs/proofs/selection.md, section 2.
  return privacy::PureDp{epsilon.value(), adjacency};
}

privacy::Released<std::int64_t> select_permute_and_flip(const Scores& scores,
                                                        privacy::Epsilon epsilon,
                                                        const ReleaseContext& context) {
  const auto rate =
      internal::score_rate(round_down(epsilon), scores.sensitivity(), scores.movement());
  const auto event = permute_and_flip_event(epsilon, scores.adjacency());
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  internal::StreamDraws draws(context.claim(random::Purpose::selection));
  return {access, internal::permute_and_flip(scores.open(access), rate, draws), event};
}

privacy::Event permute_and_flip_top_event(std::int64_t count, privacy::Epsilon epsilon_each,
                                          privacy::Adjacency adjacency) {
  // Not of bounded range: each draw is randomised response (Kairouz, Oh, Viswanath 2015).
  return privacy::Repeated{count, permute_and_flip_event(epsilon_each, adjacency)};
}

namespace {

void check_visits(const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each) {
  constexpr double max_visits = 0x1p26;
  if (count < 1 || count > scores.population()) {
    throw base::UsageError("of {} candidates, 1 to {} can be selected, got {}", scores.population(),
                           scores.population(), count);
  }
  const double factor = scores.movement() == Movement::one_way ? 1 : 2;
  const double range = scores.bounds() ? static_cast<double>(scores.bounds()->score_bound) : 0x1p61;
  const double visits = std::min(static_cast<double>(scores.population()),
                                 std::exp(epsilon_each.value() * range /
                                          (factor * static_cast<double>(scores.sensitivity()))));
  if (visits * static_cast<double>(count) <= max_visits) return;
  throw base::UsageError(
      "so many candidates with so wide a range of scores take permute-and-flip more than 2^26 "
      "visits; use the exponential selection, fewer draws, a smaller epsilon or a smaller bound of "
      "the scores");
}

template <typename Means>
privacy::Released<std::vector<std::int64_t>> flipped(const SparseScores& scores, std::int64_t count,
                                                     privacy::Epsilon epsilon_each,
                                                     const Means& context) {
  check_visits(scores, count, epsilon_each);
  const auto rate =
      internal::score_rate(round_down(epsilon_each), scores.sensitivity(), scores.movement());
  auto event =
      internal::pay(scores.sample(),
                    permute_and_flip_top_event(count, epsilon_each, scores.adjacency()), context);
  const auto access = AccessKeys::key();
  internal::StreamDraws draws(context.source.claim(random::Purpose::selection, context.address.step,
                                                   context.address.tensor));
  internal::SparsePool pool(scores.population(), scores.open(access));
  std::vector<std::int64_t> chosen;
  while (std::ssize(chosen) < count) {
    chosen.push_back(internal::permute_and_flip(pool, rate, draws));
  }
  return {access, std::move(chosen), std::move(event)};
}

}  // namespace

privacy::Released<std::vector<std::int64_t>> select_top_permute_and_flip(
    const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const ReleaseContext& context) {
  return flipped(scores, count, epsilon_each, context);
}

privacy::Released<std::vector<std::int64_t>> select_top_permute_and_flip(
    const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const PermitContext& context) {
  return flipped(scores, count, epsilon_each, context);
}

}  // namespace tacet::mechanism
