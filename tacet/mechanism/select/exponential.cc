#include "tacet/mechanism/select/exponential.h"

#include <vector>

#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"

namespace tacet::mechanism {

privacy::Event exponential_event(privacy::Epsilon epsilon, privacy::Adjacency adjacency) {
  // The log ratios of one draw span epsilon (Dong, Durfee, Rogers 2020). docs/proofs/selection.md,
  // sections 1 and 2, shows that the drawn law is exactly the stated one.
  return privacy::BoundedRange{epsilon.value(), adjacency};
}

privacy::Released<std::int64_t> select_exponential(const Scores& scores, privacy::Epsilon epsilon,
                                                   const ReleaseContext& context) {
  const auto rate =
      internal::score_rate(round_down(epsilon), scores.sensitivity(), scores.movement());
  const auto event = exponential_event(epsilon, scores.adjacency());
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  std::vector<random::WeightedLevel> items;
  items.reserve(static_cast<std::size_t>(scores.size()));
  for (const std::int64_t score : scores.open(access)) items.push_back({1, -score});
  random::Stream stream(context.claim(random::Purpose::selection));
  const auto chosen = random::ExponentialChoice(items, rate).draw(stream);
  return {access, static_cast<std::int64_t>(chosen), event};
}

}  // namespace tacet::mechanism
