#include "tacet/mechanism/select/permute_and_flip.h"

#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"

namespace tacet::mechanism {

privacy::Event permute_and_flip_event(privacy::Epsilon epsilon, privacy::Adjacency adjacency) {
  // McKenna, Sheldon 2020; a fraction below epsilon instead of it: docs/proofs/selection.md,
  // section 2.
  return privacy::PureDp{epsilon.value(), adjacency};
}

privacy::Released<std::int64_t> select_permute_and_flip(const Scores& scores,
                                                        privacy::Epsilon epsilon,
                                                        const ReleaseMeans& means) {
  const auto rate =
      internal::score_rate(round_down(epsilon), scores.sensitivity(), scores.movement());
  const auto event = permute_and_flip_event(epsilon, scores.adjacency());
  means.reservation.debit(event);
  const auto door = DoorKeeper::door();
  internal::StreamDraws draws(means.lease(random::Purpose::selection));
  return {door, internal::permute_and_flip(scores.open(door), rate, draws), event};
}

}  // namespace tacet::mechanism
