#include "tacet/mechanism/select/noisy_max.h"

#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/select/exponential.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"

namespace tacet::mechanism {
namespace {

privacy::Released<std::int64_t> select_with_laplace_noise(const Scores& scores,
                                                          privacy::Epsilon epsilon,
                                                          const ReleaseContext& context) {
  const std::int64_t factor = scores.movement() == Movement::one_way ? 1 : 2;
  const auto scale = internal::laplace_scale(scores.sensitivity(), factor, round_down(epsilon));
  const auto event = noisy_max_event(NoisyMax::laplace, epsilon, scores.adjacency());
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  internal::StreamDraws draws(context.claim(random::Purpose::selection));
  return {access, internal::laplace_noisy_max(scores.open(access), scale, draws), event};
}

}  // namespace

privacy::Event noisy_max_event(NoisyMax noise, privacy::Epsilon epsilon,
                               privacy::Adjacency adjacency) {
  if (noise == NoisyMax::gumbel) return exponential_event(epsilon, adjacency);
  // Discrete Laplace noise, ties to the first: docs/proofs/selection.md, section 4.
  return privacy::PureDp{epsilon.value(), adjacency};
}

privacy::Released<std::int64_t> select_noisy_max(NoisyMax noise, const Scores& scores,
                                                 privacy::Epsilon epsilon,
                                                 const ReleaseContext& context) {
  switch (noise) {
    case NoisyMax::gumbel:
      return select_exponential(scores, epsilon, context);
    case NoisyMax::exponential:
      return select_permute_and_flip(scores, epsilon, context);
    case NoisyMax::laplace:
      break;
  }
  return select_with_laplace_noise(scores, epsilon, context);
}

}  // namespace tacet::mechanism
