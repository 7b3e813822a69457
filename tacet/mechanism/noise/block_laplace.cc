#include "tacet/mechanism/noise/block_laplace.h"

#include <cmath>
#include <utility>

#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/mechanism/noise/noisy_sum.h"
#include "tacet/random/noise/discrete.h"
#include "tacet/random/noise/vector_laplace.h"

namespace tacet::mechanism {

privacy::Event BlockL2Laplace::event(privacy::Epsilon epsilon, privacy::Adjacency adjacency) {
  // A record is in one block: parallel composition (McSherry 2009, theorem 4), adaptively too.
  return privacy::Partitioned{privacy::Assignment::by_position,
                              {privacy::PureDp{epsilon.value(), adjacency}}};
}

privacy::Released<std::vector<double>> BlockL2Laplace::release(privacy::PartialSum sum,
                                                               NoiseAddress address,
                                                               random::Source& source) {
  const auto whole = event(epsilon_, adjacency_);
  auto bounded = pass_.open(std::move(sum), whole);
  const double scale = internal::next_above(bounded.sensitivity(adjacency_) / epsilon_.value());
  return internal::with_noise(std::move(bounded), whole,
                              source.claim(random::Purpose::noise, address.step, address.tensor),
                              [&](random::BlockClaim claim, std::span<std::int64_t> values) {
                                random::add_rounded_l2_laplace(std::move(claim), scale, values);
                              });
}

privacy::Event BlockLaplace::event(privacy::NoiseMultiplier multiplier) {
  return privacy::Partitioned{privacy::Assignment::by_position,
                              {privacy::Laplace{multiplier.value()}}};
}

privacy::Released<std::vector<double>> BlockLaplace::release(privacy::PartialSum sum,
                                                             NoiseAddress address,
                                                             random::Source& source) {
  const auto whole = event(multiplier_);
  auto bounded = pass_.open(std::move(sum), whole);
  const double scale = internal::next_above(
      multiplier_.value() * static_cast<double>(internal::absolute_norm_bound(bounded)));
  const auto size = static_cast<std::int64_t>(bounded.size());
  return internal::with_noise(
      std::move(bounded), whole,
      source.claim(random::Purpose::noise, address.step, address.tensor, size),
      [&](random::BlockClaim claim, std::span<std::int64_t> values) {
        random::add_rounded_laplace(std::move(claim), scale, values);
      });
}

}  // namespace tacet::mechanism
