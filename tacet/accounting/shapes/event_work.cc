#include "tacet/accounting/shapes/event_work.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace tacet::accounting::internal {

double work_of_reading(const Event& whole) {
  return fold<double>(whole, [](const Event& event, std::span<const double> within) {
    constexpr double part = 2e4;
    constexpr double search = 2e7;
    const auto* selection = event.as<RandomlyRepeated>();
    const bool searched = (selection != nullptr && selection->cap > 0) ||
                          event.as<ShuffledLocal>() != nullptr ||
                          event.as<ObjectivePerturbation>() != nullptr;
    return std::accumulate(within.begin(), within.end(), searched ? search : part);
  });
}

double work_of_pair(const Event& event) {
  if (event.as<ShuffledLocal>() != nullptr) return 5e7;
  if (event.as<ObjectivePerturbation>() != nullptr) return 1e8;
  if (event.as<DiscreteGaussian>() != nullptr) return 1e7;
  if (const auto* sampled = event.as<PoissonSampled>()) {
    // A loss distribution takes some 10^5 masses, each a sum over the likely numbers of records.
    constexpr std::int64_t max_parts = 128;
    return 1e6 * static_cast<double>(std::min(sampled->max_records_per_unit, max_parts));
  }
  return 1e4;
}

}  // namespace tacet::accounting::internal
