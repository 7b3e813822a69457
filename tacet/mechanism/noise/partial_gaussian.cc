#include "tacet/mechanism/noise/partial_gaussian.h"

#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/noise/gaussian_reals.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noise_scale.h"

namespace tacet::mechanism {
namespace {

privacy::Released<std::vector<double>> with_noise(privacy::PartialSum partial,
                                                  privacy::NoiseMultiplier multiplier,
                                                  const privacy::Event& event, NoiseAddress address,
                                                  random::Source& source) {
  const auto door = DoorKeeper::door();
  privacy::BoundedSum sum = std::move(partial).take(door);
  const double grid = sum.grid();
  const double sigma =
      internal::noise_scale(multiplier.value(), static_cast<double>(sum.contribution_bound()));
  std::vector<std::int64_t> values = std::move(sum).take(door);
  auto lease =
      source.lease(random::Purpose::noise, address.step, address.tensor, std::ssize(values));
  return {door, internal::gaussian_reals(values, grid, std::move(lease), sigma), event};
}

privacy::Sample sample_of(const privacy::PartialSum& sum) {
  const auto* sample = std::get_if<privacy::Sample>(&sum.part());
  if (sample == nullptr || sample->fixed() == nullptr) {
    throw base::InternalError("the sum is not over a sample of fixed size");
  }
  return *sample;
}

}  // namespace

privacy::Released<std::vector<double>> release_gaussian_of_sample(
    privacy::PartialSum sum, privacy::NoiseMultiplier multiplier, NoiseAddress address,
    random::Source& source, privacy::Reservation& reservation) {
  const auto event =
      internal::debit_sampled(sample_of(sum), privacy::Gaussian{multiplier.value()}, reservation);
  return with_noise(std::move(sum), multiplier, event, address, source);
}

privacy::Released<std::vector<double>> release_gaussian_of_sample(
    privacy::PartialSum sum, privacy::NoiseMultiplier multiplier, NoiseAddress address,
    random::Source& source, SamplePermit& permit) {
  permit.take(sample_of(sum), privacy::Gaussian{multiplier.value()});
  return with_noise(std::move(sum), multiplier, permit.event(), address, source);
}

privacy::Event BlockGaussian::event(privacy::NoiseMultiplier multiplier) {
  // A record is in one block: parallel composition (McSherry 2009, theorem 4), adaptively too.
  return privacy::Partitioned{privacy::Assignment::by_position,
                              {privacy::Gaussian{multiplier.value()}}};
}

privacy::Released<std::vector<double>> BlockGaussian::release(privacy::PartialSum sum,
                                                              NoiseAddress address,
                                                              random::Source& source) {
  const auto* part = std::get_if<privacy::PassBlock>(&sum.part());
  if (part == nullptr || part->block < next_) {
    throw base::InternalError("a block is released once, and after those before it");
  }
  const auto whole = event(multiplier_);
  if (next_ == 0) reservation_.debit(whole);
  next_ = part->block + 1;
  return with_noise(std::move(sum), multiplier_, whole, address, source);
}

}  // namespace tacet::mechanism
