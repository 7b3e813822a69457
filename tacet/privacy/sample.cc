#include "tacet/privacy/sample.h"

#include <mutex>

#include "tacet/base/error.h"
#include "tacet/base/number_set.h"

namespace tacet::privacy {
namespace {

/// The serial numbers of this process's samples, and which of them were claimed. Claimed numbers
/// are mostly consecutive, so the set is small.
class Register {
 public:
  static Register& instance() {
    static Register samples;
    return samples;
  }
  std::uint64_t next() {
    const std::lock_guard lock(mutex_);
    return ++last_;
  }
  bool claim(std::uint64_t serial) {
    const std::lock_guard lock(mutex_);
    return claimed_.insert(serial);
  }

 private:
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  base::NumberSet claimed_;
};

}  // namespace

Sample Sample::poisson(SamplingRate rate, std::int64_t max_records_per_unit) {
  if (max_records_per_unit < 1 || max_records_per_unit > records_per_unit_limit) {
    throw base::UsageError("records per unit must be 1 to {}, got {}", records_per_unit_limit,
                           max_records_per_unit);
  }
  if (rate.value() == 1) return {};
  return {rate, Register::instance().next(), max_records_per_unit};
}

Sample Sample::fixed_size(FixedSizeSelection selection) {
  if (selection.sample < 0 || selection.sample > selection.population) {
    throw base::UsageError("a sample of {} out of {} records is impossible", selection.sample,
                           selection.population);
  }
  return {selection, Register::instance().next()};
}

Event Sample::event(Event noise) const {
  if (is_all()) return noise;
  if (const auto* probability = rate()) {
    return PoissonSampled{probability->value(), std::move(noise), max_records_per_unit_};
  }
  return FixedSizeSampled{fixed()->sample, fixed()->population, std::move(noise)};
}

void Sample::claim() const {
  if (is_all() || Register::instance().claim(serial_)) return;
  throw base::InternalError(
      "a second release from one secret sample: booked apart, the two would cost more than both "
      "debits; take one SamplePermit for everything that is read from the sample");
}

DrawnSample DrawnSample::poisson(random::BlockClaim claim, random::PoissonRate rate,
                                 std::int64_t population, std::int64_t max_records_per_unit) {
  auto rows = random::poisson_sample(std::move(claim), rate, population);
  return {Sample::poisson(SamplingRate(rate.value()), max_records_per_unit), population,
          std::move(rows)};
}

DrawnSample DrawnSample::fixed_size(random::BlockClaim claim, FixedSizeSelection selection) {
  auto rows = random::uniform_subset(std::move(claim), selection.sample, selection.population);
  return {Sample::fixed_size(selection), selection.population, std::move(rows)};
}

}  // namespace tacet::privacy
