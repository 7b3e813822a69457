#include "tacet/mechanism/local/release_report.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/local/embedding.h"
#include "tacet/mechanism/local/sphere_report.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/noise/discrete.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/noise/vector_laplace.h"
#include "tacet/random/source/secure_memory.h"

namespace tacet::mechanism {
namespace {

/// The first words of a keystream block, one after the other.
class DrawWords {
 public:
  explicit DrawWords(CandidateReader& reader) { reader.words(0, words_); }
  DrawWords(const DrawWords&) = delete;
  DrawWords& operator=(const DrawWords&) = delete;
  ~DrawWords() { const random::internal::ScopedWipe wipe{std::span(words_)}; }
  std::uint64_t next() {
    if (place_ == words_.size())
      throw base::InternalError("a random draw took more words than it can");
    return words_[place_++];
  }

 private:
  std::array<std::uint64_t, draw_words> words_{};
  std::size_t place_ = 0;
};

/// The gradient as a direction of report_coordinates() integers.
std::vector<std::int64_t> direction_of(std::span<const std::int64_t> gradient,
                                       const LocalRandomizer& randomizer, DrawWords& draws) {
  const std::int64_t bound = std::int64_t{1} << randomizer.norm_bits();
  if (randomizer.spec().embedding == Embedding::lift) return lifted(gradient, bound);
  return with_random_sign(gradient, bound, [&draws] { return draws.next(); });
}

Report direction_report(std::span<const std::int64_t> gradient, const LocalRandomizer& randomizer,
                        random::BlockClaim claim) {
  const random::KeystreamBlock keystream(std::move(claim));
  CandidateReader reader(keystream, candidate_scale);
  DrawWords draws(reader);
  auto direction = direction_of(gradient, randomizer, draws);
  const random::internal::ScopedWipe wipe{std::span(direction)};
  // Exact trials of the smaller side: 1 - p would round (docs/proofs/local_randomizers.md, section
  // 3).
  const BitLaw bit = randomizer.bit();
  const bool smaller = random::bernoulli_real([&draws] { return draws.next(); }, bit.smaller);
  const bool inside = smaller == bit.inside_is_smaller;
  if (!randomizer.cap().has_value()) {
    const bool positive = (direction.front() > 0) == inside;
    return {{positive ? 1 : -1}};
  }
  return {
      choose_candidate(reader, *randomizer.cap(), make_direction(direction), inside).coordinates};
}

Report additive_report(std::vector<std::int64_t> values, const LocalRandomizer& randomizer,
                       random::BlockClaim claim) {
  const double scale = randomizer.grid_scale();
  switch (randomizer.spec().mechanism) {
    case LocalMechanism::l2_laplace:
      random::add_rounded_l2_laplace(std::move(claim), scale, values);
      break;
    case LocalMechanism::coordinate_laplace:
      random::add_rounded_laplace(std::move(claim), scale, values);
      break;
    default:
      random::add_rounded_gaussian(std::move(claim), scale, values);
  }
  Report report;
  report.coordinates.reserve(values.size());
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
  // Post-processing: values beyond 32 bits are cut.
  for (const std::int64_t x : values) {
    report.coordinates.push_back(static_cast<std::int32_t>(std::clamp(x, -max, max)));
  }
  return report;
}

void check_gradient(const privacy::PartialSum& gradient, const LocalRandomizer& randomizer) {
  const double grid = std::ldexp(randomizer.spec().clipping_norm, -randomizer.norm_bits());
  if (std::get_if<privacy::OneRecord>(&gradient.part()) == nullptr ||
      gradient.size() != static_cast<std::size_t>(randomizer.spec().dimension) ||
      gradient.grid() != grid) {
    throw base::InternalError(
        "a report is made of one record's gradient of {} coordinates on a grid of {}",
        randomizer.spec().dimension, grid);
  }
}

privacy::Released<Report> report_of(privacy::PartialSum gradient, const LocalRandomizer& randomizer,
                                    NoiseAddress address, random::Source& source) {
  const auto access = AccessKeys::key();
  privacy::BoundedSum sum = std::move(gradient).take(access);
  if (sum.contribution_bound() > std::int64_t{1} << randomizer.norm_bits()) {
    throw base::InternalError("a gradient is longer than its randomizer allows");
  }
  std::vector<std::int64_t> values = std::move(sum).take(access);
  auto claim =
      source.claim(random::Purpose::noise, address.step, address.tensor, randomizer.claim_words());
  auto report = reports_direction(randomizer.spec().mechanism)
                    ? direction_report(values, randomizer, std::move(claim))
                    : additive_report(std::move(values), randomizer, std::move(claim));
  return {access, std::move(report), randomizer.event()};
}

}  // namespace

privacy::Released<Report> release_report(privacy::PartialSum gradient,
                                         const LocalRandomizer& randomizer, NoiseAddress address,
                                         random::Source& source,
                                         privacy::Reservation& reservation) {
  check_gradient(gradient, randomizer);
  reservation.debit(randomizer.event());
  return report_of(std::move(gradient), randomizer, address, source);
}

privacy::Event DeviceReports::event(const LocalRandomizer& randomizer, std::int64_t contributions) {
  if (contributions == 1) return randomizer.event();
  return privacy::Repeated{contributions, randomizer.event()};
}

DeviceReports::DeviceReports(LocalRandomizer randomizer, std::int64_t devices,
                             std::int64_t contributions, privacy::Reservation& reservation)
    : randomizer_(std::move(randomizer)), contributions_(contributions) {
  if (devices < 0 || devices > std::int64_t{1} << 32 || contributions < 1 || contributions > 255) {
    throw base::UsageError(
        "0 to 2^32 devices send 1 to 255 reports each, got {} devices and {} reports", devices,
        contributions);
  }
  made_.resize(static_cast<std::size_t>(devices), 0);
  reservation.debit(event(randomizer_, contributions));
}

privacy::Released<Report> DeviceReports::release(privacy::PartialSum gradient, NoiseAddress address,
                                                 random::Source& source) {
  check_gradient(gradient, randomizer_);
  const std::int64_t record = std::get<privacy::OneRecord>(gradient.part()).record;
  if (record < 0 || record >= std::ssize(made_)) {
    throw base::InternalError("a report of device {}, there are {}", record, made_.size());
  }
  std::atomic_ref<std::uint8_t> made(made_[static_cast<std::size_t>(record)]);
  std::uint8_t before = made.load();
  do {
    if (before >= contributions_) {
      throw base::BudgetError("a device was asked for one report more than the {} it paid for",
                              contributions_);
    }
  } while (!made.compare_exchange_weak(before, static_cast<std::uint8_t>(before + 1)));
  return report_of(std::move(gradient), randomizer_, address, source);
}

}  // namespace tacet::mechanism
