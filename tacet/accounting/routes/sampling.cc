#include "tacet/accounting/routes/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {

double amplified(double rate, double loss) {
  if (std::isinf(loss) || loss > 700 || rate == 1) return loss;
  // Products of tiny rates and losses are at least the smallest double, never 0.
  constexpr double margin = 1e-15;  // of expm1 and log1p
  const double change = numeric::multiply_up(rate, std::expm1(loss) * (1 + margin));
  return std::min(loss, numeric::round_up(std::log1p(change) * (1 + margin)));
}

double amplified_replaced(double rate, double loss) {
  if (std::isinf(loss) || loss == 0) return loss;
  const double whole = pairs::mixed_loss(rate, loss) - pairs::mixed_loss(rate, -loss);
  return std::max(whole * (1 + 1e-14), std::numeric_limits<double>::denorm_min());
}

double unit_rate(const PoissonSampled& event) {
  if (event.max_records_per_unit == 1 || event.rate == 0 || event.rate == 1) return event.rate;
  const double log_none = static_cast<double>(event.max_records_per_unit) * std::log1p(-event.rate);
  constexpr double rounding = 1 + 1e-15;
  return std::min(1.0, std::max(event.rate, -std::expm1(log_none * rounding) * rounding));
}

Adjacency inner_adjacency(const FixedSizeSampled& /*event*/, Adjacency /*adjacency*/) {
  return Adjacency::replace_one;
}

double sampled_fraction(const FixedSizeSampled& event) {
  // Both counts as doubles; the numerator is rounded up and the denominator down.
  const auto population = static_cast<double>(event.population);
  const double below =
      event.population > (std::int64_t{1} << 53) ? std::nextafter(population, 0) : population;
  return std::min(1.0, numeric::divide_up(numeric::count_up(event.sample_size), below));
}

Event without_sampling(const Event& event) {
  if (const auto* sampled = event.as<PoissonSampled>()) return without_sampling(*sampled->base);
  const bool several = event.as<Repeated>() != nullptr || event.as<Composed>() != nullptr;
  return several ? with_inside(event, without_sampling) : event;
}

bool blocks_are_parallel(const Partitioned& event, Adjacency adjacency) {
  if (adjacency == Adjacency::zero_out) return true;
  const bool by_position = event.assignment == Assignment::by_position;
  return by_position == (adjacency == Adjacency::replace_one);
}

namespace {

/// Whether an event contains a guarantee that is stated for whole records. For it an emptied record
/// is still a record.
bool has_stated(const Event& event) {
  if (event.as<FixedSizeSampled>() != nullptr) return false;
  return stated_adjacency(event) || std::ranges::any_of(inside(event), has_stated);
}

}  // namespace

bool is_replaced(const PoissonSampled& event, Adjacency adjacency) {
  return adjacency == Adjacency::replace_one ||
         (adjacency == Adjacency::zero_out && has_stated(*event.base));
}

double participation(const Event& whole) {
  const auto share = fold<double>(whole, [](const Event& event, std::span<const double> within) {
    if (const auto* sampled = event.as<PoissonSampled>()) {
      return numeric::multiply_up(unit_rate(*sampled), within.front());
    }
    if (const auto* sampled = event.as<FixedSizeSampled>()) {
      return numeric::multiply_up(sampled_fraction(*sampled), within.front());
    }
    if (const auto* repeated = event.as<Repeated>()) {
      return numeric::multiply_up(numeric::count_up(repeated->count), within.front());
    }
    if (event.as<Composed>() == nullptr) return 1.0;
    double total = 0;
    for (const double one : within) total = numeric::add_up(total, one);
    return total;
  });
  return std::min(1.0, share);
}

}  // namespace tacet::accounting::internal
