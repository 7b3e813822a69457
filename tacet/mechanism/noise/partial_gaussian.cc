#include "tacet/mechanism/noise/partial_gaussian.h"

#include <utility>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noisy_sum.h"

namespace tacet::mechanism::internal {

privacy::BoundedSum PassBlocks::open(privacy::PartialSum sum, const privacy::Event& whole) {
  const auto* part = std::get_if<privacy::PassBlock>(&sum.part());
  if (part == nullptr || part->block < next_) {
    throw base::InternalError("a block is released once, and after those before it");
  }
  if (next_ == 0) reservation_.debit(whole);
  next_ = part->block + 1;
  return std::move(sum).take(AccessKeys::key());
}

}  // namespace tacet::mechanism::internal

namespace tacet::mechanism {
namespace {

privacy::Sample sample_of(const privacy::PartialSum& sum) {
  const auto* sample = std::get_if<privacy::Sample>(&sum.part());
  if (sample == nullptr || sample->fixed() == nullptr) {
    throw base::InternalError("the sum is not over a sample of fixed size");
  }
  return *sample;
}

}  // namespace

privacy::Released<std::vector<double>> release_gaussian_of_sample(
    privacy::PartialSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context,
    std::vector<double> storage) {
  const auto event = internal::debit_sampled(sample_of(sum), privacy::Gaussian{multiplier.value()},
                                             context.reservation);
  return internal::with_gaussian(std::move(sum).take(AccessKeys::key()), multiplier, event,
                                 context.address, context.source, std::move(storage));
}

privacy::Released<std::vector<double>> release_gaussian_of_sample(
    privacy::PartialSum sum, privacy::NoiseMultiplier multiplier, const PermitContext& context) {
  context.permit.take(sample_of(sum), privacy::Gaussian{multiplier.value()});
  return internal::with_gaussian(std::move(sum).take(AccessKeys::key()), multiplier,
                                 context.permit.event(), context.address, context.source);
}

privacy::Event BlockGaussian::event(privacy::NoiseMultiplier multiplier) {
  // A record is in one block: parallel composition (McSherry 2009, theorem 4), adaptively too.
  return privacy::Partitioned{privacy::Assignment::by_position,
                              {privacy::Gaussian{multiplier.value()}}};
}

privacy::Released<std::vector<double>> BlockGaussian::release(privacy::PartialSum sum,
                                                              NoiseAddress address,
                                                              random::Source& source,
                                                              std::vector<double> storage) {
  const auto whole = event(multiplier_);
  return internal::with_gaussian(pass_.open(std::move(sum), whole), multiplier_, whole, address,
                                 source, std::move(storage));
}

}  // namespace tacet::mechanism
