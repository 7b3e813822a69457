#include "tacet/mechanism/noise/block_laplace.h"

#include <cmath>
#include <limits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/noise/grid_values.h"
#include "tacet/mechanism/noise/record_norm.h"
#include "tacet/random/noise/laplace.h"
#include "tacet/random/noise/vector_laplace.h"

namespace tacet::mechanism {
namespace {

double up(double value) { return std::nextafter(value, std::numeric_limits<double>::infinity()); }

/// The place of the next block; InternalError for one that was released, or is none.
std::int64_t place_of(const privacy::PartialSum& sum, std::int64_t next) {
  const auto* part = std::get_if<privacy::PassBlock>(&sum.part());
  if (part == nullptr || part->block < next) {
    throw base::InternalError("a block is released once, and after those before it");
  }
  return part->block;
}

}  // namespace

privacy::Event BlockL2Laplace::event(privacy::Epsilon epsilon, privacy::Adjacency adjacency) {
  // A record is in one block: parallel composition (McSherry 2009, theorem 4), adaptively too.
  return privacy::Partitioned{privacy::Assignment::by_position,
                              {privacy::PureDp{epsilon.value(), adjacency}}};
}

privacy::Released<std::vector<double>> BlockL2Laplace::release(privacy::PartialSum sum,
                                                               NoiseAddress address,
                                                               random::Source& source) {
  const std::int64_t block = place_of(sum, next_);
  const auto whole = event(epsilon_, adjacency_);
  if (next_ == 0) reservation_.debit(whole);
  next_ = block + 1;
  const auto door = DoorKeeper::door();
  privacy::BoundedSum bounded = std::move(sum).take(door);
  const double grid = bounded.grid();
  const double scale = up(bounded.sensitivity(adjacency_) / epsilon_.value());
  std::vector<std::int64_t> values = std::move(bounded).take(door);
  random::add_rounded_l2_laplace(source.lease(random::Purpose::noise, address.step, address.tensor),
                                 scale, values);
  return {door, internal::in_real_units(values, grid), whole};
}

privacy::Event BlockLaplace::event(privacy::NoiseMultiplier multiplier) {
  return privacy::Partitioned{privacy::Assignment::by_position,
                              {privacy::Laplace{multiplier.value()}}};
}

privacy::Released<std::vector<double>> BlockLaplace::release(privacy::PartialSum sum,
                                                             NoiseAddress address,
                                                             random::Source& source) {
  const std::int64_t block = place_of(sum, next_);
  const auto whole = event(multiplier_);
  if (next_ == 0) reservation_.debit(whole);
  next_ = block + 1;
  const auto door = DoorKeeper::door();
  privacy::BoundedSum bounded = std::move(sum).take(door);
  const double grid = bounded.grid();
  const double scale =
      up(multiplier_.value() * static_cast<double>(internal::absolute_norm_bound(bounded)));
  std::vector<std::int64_t> values = std::move(bounded).take(door);
  random::add_rounded_laplace(
      source.lease(random::Purpose::noise, address.step, address.tensor, std::ssize(values)), scale,
      values);
  return {door, internal::in_real_units(values, grid), whole};
}

}  // namespace tacet::mechanism
