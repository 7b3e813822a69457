#include "tacet/accounting/shapes/event_work.h"

#include <algorithm>
#include <vector>

namespace tacet::accounting::internal {

double work_of_reading(const Event& event) {
  constexpr double part = 2e4;
  constexpr double search = 2e7;
  const auto all = [](const std::vector<Event>& parts) {
    double sum = part;
    for (const auto& one : parts) sum += work_of_reading(one);
    return sum;
  };
  if (const auto* composed = event.as<Composed>()) return all(composed->parts);
  if (const auto* blocks = event.as<Partitioned>()) return all(blocks->parts);
  if (const auto* repeated = event.as<Repeated>()) return part + work_of_reading(*repeated->base);
  if (const auto* sampled = event.as<PoissonSampled>())
    return part + work_of_reading(*sampled->base);
  if (const auto* sampled = event.as<FixedSizeSampled>()) {
    return part + work_of_reading(*sampled->base);
  }
  if (const auto* tuning = event.as<RandomlyRepeated>()) {
    return (tuning->cap > 0 ? search : part) + work_of_reading(*tuning->base);
  }
  const bool searched =
      event.as<ShuffledLocal>() != nullptr || event.as<ObjectivePerturbation>() != nullptr;
  return searched ? search : part;
}

double work_of_pair(const Event& event) {
  if (event.as<ShuffledLocal>() != nullptr) return 5e7;
  if (event.as<ObjectivePerturbation>() != nullptr) return 1e8;
  if (event.as<DiscreteGaussian>() != nullptr) return 1e7;
  if (const auto* sampled = event.as<PoissonSampled>()) {
    // A loss distribution takes some 10^5 masses, each a sum over the likely numbers of records.
    constexpr std::int64_t most_parts = 128;
    return 1e6 * static_cast<double>(std::min(sampled->records_a_unit, most_parts));
  }
  return 1e4;
}

}  // namespace tacet::accounting::internal
