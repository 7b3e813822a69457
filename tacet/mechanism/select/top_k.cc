#include "tacet/mechanism/select/top_k.h"

#include <fmt/format.h>

#include "tacet/base/error.h"
#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"

namespace tacet::mechanism {

privacy::Event top_event(std::int64_t count, privacy::Epsilon epsilon_each,
                         privacy::Adjacency adjacency) {
  // Peeling: adaptive composition of exponential mechanisms (Durfee, Rogers 2019).
  return privacy::Repeated{count, privacy::BoundedRange{epsilon_each.value(), adjacency}};
}

privacy::Released<std::vector<std::int64_t>> select_top(const Scores& scores, std::int64_t count,
                                                        privacy::Epsilon epsilon_each,
                                                        const ReleaseMeans& means) {
  if (count < 1 || count > scores.size()) {
    throw base::UsageError(fmt::format("of {} candidates, 1 to {} can be selected, got {}",
                                       scores.size(), scores.size(), count));
  }
  const auto rate =
      internal::score_rate(round_down(epsilon_each), scores.sensitivity(), scores.movement());
  const auto event = top_event(count, epsilon_each, scores.adjacency());
  means.reservation.debit(event);
  const auto door = DoorKeeper::door();
  std::vector<random::WeightedLevel> items;
  items.reserve(static_cast<std::size_t>(scores.size()));
  for (const std::int64_t score : scores.open(door)) items.push_back({1, -score});
  random::Stream stream(means.lease(random::Purpose::selection));
  std::vector<std::int64_t> chosen;
  while (static_cast<std::int64_t>(chosen.size()) < count) {
    const std::size_t next = random::ExponentialChoice(items, rate).draw(stream);
    items[next].count = 0;
    chosen.push_back(static_cast<std::int64_t>(next));
  }
  return {door, std::move(chosen), event};
}

}  // namespace tacet::mechanism
