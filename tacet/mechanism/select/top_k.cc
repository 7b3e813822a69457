#include "tacet/mechanism/select/top_k.h"

#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/random/choose/peeling.h"

namespace tacet::mechanism {

privacy::Event top_event(std::int64_t count, privacy::Epsilon epsilon_each,
                         privacy::Adjacency adjacency) {
  // Peeling: adaptive composition of exponential mechanisms (Durfee, Rogers 2019).
  return privacy::Repeated{count, privacy::BoundedRange{epsilon_each.value(), adjacency}};
}

privacy::Released<std::vector<std::int64_t>> select_top(const Scores& scores, std::int64_t count,
                                                        privacy::Epsilon epsilon_each,
                                                        const ReleaseContext& context) {
  if (count < 1 || count > scores.size()) {
    throw base::UsageError("of {} candidates, 1 to {} can be selected, got {}", scores.size(),
                           scores.size(), count);
  }
  const auto rate =
      internal::score_rate(round_down(epsilon_each), scores.sensitivity(), scores.movement());
  const auto event = top_event(count, epsilon_each, scores.adjacency());
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  std::vector<random::WeightedLevel> items;
  items.reserve(static_cast<std::size_t>(scores.size()));
  for (const std::int64_t score : scores.open(access)) items.push_back({1, -score});
  random::Stream stream(context.claim(random::Purpose::selection));
  std::vector<std::int64_t> chosen;
  while (static_cast<std::int64_t>(chosen.size()) < count) {
    const std::size_t next = random::ExponentialChoice(items, rate).draw(stream);
    items[next].count = 0;
    chosen.push_back(static_cast<std::int64_t>(next));
  }
  return {access, std::move(chosen), event};
}

double score_weight(const ScoreBounds& bounds, privacy::Epsilon epsilon_each) {
  const double exact =
      round_down(epsilon_each).value() / (2 * static_cast<double>(bounds.sensitivity));
  int exponent = 0;
  const double mantissa = std::frexp(std::nextafter(exact, 0.0), &exponent);
  return std::ldexp(std::floor(std::ldexp(mantissa, 24)), exponent - 24);
}

privacy::Event top_event(const ScoreBounds& bounds, std::int64_t count,
                         privacy::Epsilon epsilon_each) {
  // Peeling: one draw after the other. The last draw has the smallest pool; its bound covers all
  // draws.
  return privacy::Repeated{
      count, privacy::ScoreSelection{score_weight(bounds, epsilon_each),
                                     static_cast<double>(bounds.score_bound), bounds.l2_sensitivity,
                                     bounds.range_sensitivity, bounds.population - count + 1,
                                     bounds.support, bounds.adjacency}};
}

namespace {

/// The weight of a unit of score, exactly: it is a double with an odd part of 24 bits.
random::WideRatio as_ratio(double weight) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(weight, &exponent), 24);
  exponent -= 24;
  const auto odd = static_cast<random::Wide>(mantissa);
  return exponent >= 0 ? random::WideRatio{odd << exponent, 1}
                       : random::WideRatio{odd, static_cast<random::Wide>(1) << -exponent};
}

/// Proposals are faster than a race if a public bound of their number is small: at most e^3 per
/// draw.
bool by_proposals(const SparseScores& scores, double weight, std::int64_t count) {
  return scores.bounds() && weight * static_cast<double>(scores.bounds()->score_bound) <= 3 &&
         count <= scores.population() / 2;
}

template <typename Means>
privacy::Released<std::vector<std::int64_t>> top_of(const SparseScores& scores, std::int64_t count,
                                                    privacy::Epsilon epsilon_each,
                                                    const Means& context) {
  if (count < 1 || count > scores.population()) {
    throw base::UsageError("of {} candidates, 1 to {} can be selected, got {}", scores.population(),
                           scores.population(), count);
  }
  const double factor = scores.movement() == Movement::one_way ? 1 : 2;
  // Without bounds: one draw spans weight * factor * sensitivity, at most epsilon_each.
  const double weight =
      scores.bounds() ? score_weight(*scores.bounds(), epsilon_each)
                      : std::nextafter(round_down(epsilon_each).value() /
                                           (factor * static_cast<double>(scores.sensitivity())),
                                       0.0);
  auto event = internal::pay(scores.sample(),
                             scores.bounds() ? top_event(*scores.bounds(), count, epsilon_each)
                                             : top_event(count, epsilon_each, scores.adjacency()),
                             context);
  const auto access = AccessKeys::key();
  auto claim = context.source.claim(random::Purpose::selection, context.address.step,
                                    context.address.tensor);
  auto chosen = by_proposals(scores, weight, count)
                    ? random::proposed_choices(
                          std::move(claim),
                          {scores.population(), scores.open(access), scores.bounds()->score_bound},
                          as_ratio(weight), count)
                    : random::exponential_race(std::move(claim), scores.population(),
                                               scores.open(access), weight, count);
  return {access, std::move(chosen), std::move(event)};
}

}  // namespace

privacy::Released<std::vector<std::int64_t>> select_top(const SparseScores& scores,
                                                        std::int64_t count,
                                                        privacy::Epsilon epsilon_each,
                                                        const ReleaseContext& context) {
  return top_of(scores, count, epsilon_each, context);
}

privacy::Released<std::vector<std::int64_t>> select_top(const SparseScores& scores,
                                                        std::int64_t count,
                                                        privacy::Epsilon epsilon_each,
                                                        const PermitContext& context) {
  return top_of(scores, count, epsilon_each, context);
}

}  // namespace tacet::mechanism
