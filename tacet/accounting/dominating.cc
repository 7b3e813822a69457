#include "tacet/accounting/dominating.h"

#include <algorithm>
#include <utility>

#include "tacet/accounting/dominating_pair.h"
#include "tacet/accounting/profile_pair.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/occurrences.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/base/progress.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

using pairs::Order;

/// What real data sets meet of one indivisible event, as pairs it dominates; leaves it out where
/// none are known.
void add_attained_pairs(const Occurrence& one, Adjacency adjacency, DominatingPairs& out) {
  const Event* base = &one.event;
  double rate = 1;
  auto distance = adjacency;
  bool replaced = false;
  std::int64_t records = 1;
  if (const auto* sampled = one.event.as<PoissonSampled>()) {
    base = &*sampled->base;
    rate = sampled->rate;
    records = sampled->max_records_per_unit;
    replaced = rate < 1 && is_replaced(*sampled, adjacency);
    if (replaced) distance = Adjacency::add_remove;
  } else if (const auto* subset = one.event.as<FixedSizeSampled>()) {
    // All other records at -C: a sample without the record is the same whoever it is, a sample with
    // it moves by what the record does (2C, or C from nothing to C among records at 0).
    base = &*subset->base;
    rate = numeric::divide_down(static_cast<double>(subset->sample_size),
                                static_cast<double>(subset->population));
  }
  // Of several releases from one sample the Gaussian ones, which are one Gaussian.
  std::vector<Occurrence> parts;
  Event first = *base;
  if (flatten(*base, 1, parts) && parts.size() > 1 && join_gaussians(parts, distance) &&
      !parts.empty()) {
    first = parts.back().event;
  }
  if (has_orders(first, distance)) return;
  bool attained = true;
  if (records > 1 && rate < 1) {
    // Only Gaussian noise has pairs that units of several records meet.
    if (!squared_mu(first, distance)) return;
    const Event units = PoissonSampled{rate, std::move(first), records};
    if (const auto uses = uses_of(units, adjacency, {}, &attained); attained && uses) {
      out.remove.push_back({uses(Order::remove).pair, one.count});
      out.add.push_back({uses(Order::add).pair, one.count});
    }
    return;
  }
  const auto uses = uses_of(first, distance, {}, &attained);
  if (!attained || !uses) return;
  auto remove = uses(Order::remove).pair;
  auto add = uses(Order::add).pair;
  if (replaced) {
    remove = remove->replaced(rate);
    add = add->replaced(rate);
    if (!remove || !add) return;
  } else if (rate < 1) {
    remove = pairs::poisson(std::move(remove), rate, Order::remove);
    add = pairs::poisson(std::move(add), rate, Order::add);
  }
  out.remove.push_back({std::move(remove), one.count});
  out.add.push_back({std::move(add), one.count});
}

}  // namespace

std::optional<DominatingPairs> attained_pairs(const Event& event, Adjacency adjacency) {
  std::vector<Occurrence> parts;
  if (!flatten(event, 1, parts)) return std::nullopt;
  DominatingPairs out;
  for (const auto& one : parts) {
    if (!costs_nothing(one.event)) add_attained_pairs(one, adjacency, out);
  }
  if (out.remove.empty()) return std::nullopt;
  return out;
}

namespace {

/// Whether profiles of the parts without a loss distribution are worth their time although a Renyi
/// bound covers everything: only where they are quick. Of mechanisms that are known by a Renyi
/// bound, and of nothing else, they tell less than that.
bool profiles_pay(const std::vector<const Occurrence*>& without, std::size_t parts,
                  Adjacency adjacency) {
  const auto known_by_renyi = [](const Occurrence* one) {
    return one->event.as<Zcdp>() != nullptr || one->event.as<DiscreteGaussian>() != nullptr;
  };
  return std::all_of(without.begin(), without.end(),
                     [adjacency](const Occurrence* one) {
                       return has_quick_profile(one->event, adjacency);
                     }) &&
         (without.size() < parts || !std::all_of(without.begin(), without.end(), known_by_renyi));
}

}  // namespace

std::optional<DominatingPairs> dominating_pairs(const Event& event, Adjacency adjacency,
                                                double fineness, WorkMeter* work) {
  std::vector<Occurrence> parts;
  if (!flatten(event, 1, parts) || !join_gaussians(parts, adjacency)) return std::nullopt;
  DominatingPairs out;
  const auto add_pairs = [&](const Occurrence& one, Missing missing) {
    const auto uses = uses_of(one.event, adjacency, {fineness, missing, work}, &out.attained);
    if (!uses) return false;
    for (const Order order : {Order::remove, Order::add}) {
      auto use = uses(order);
      (order == Order::remove ? out.remove : out.add)
          .push_back({std::move(use.pair), one.count, std::move(use.below)});
    }
    return true;
  };
  std::vector<const Occurrence*> without;
  for (const auto& one : parts) {
    if (!add_pairs(one, Missing::none)) without.push_back(&one);
  }
  if (!without.empty() && !profiles_pay(without, parts.size(), adjacency) &&
      rdp::curve(event, adjacency, work)) {
    return std::nullopt;
  }
  for (const auto* one : without) {
    // An event's own accountants are no help to itself.
    const bool itself = one->event == event && !is_sampled(event);
    if (!add_pairs(*one, itself ? Missing::none : Missing::proved_profile)) return std::nullopt;
  }
  const bool orders = std::any_of(parts.begin(), parts.end(), [&](const Occurrence& one) {
    return has_orders(one.event, adjacency);
  });
  if (!orders) out.add.clear();
  return out;
}

}  // namespace tacet::accounting::internal
