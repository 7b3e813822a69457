#include "tacet/accounting/dominating.h"

#include <algorithm>
#include <utility>

#include "tacet/accounting/dominating_pair.h"
#include "tacet/accounting/profile_pair.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/occurrences.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/base/error.h"
#include "tacet/base/progress.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

using pairs::Order;

/// Adds the pairs that an indivisible event dominates and that real data sets attain, if any are
/// known.
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
    // The worst data sets have all other records at -C. A sample without the record then always has
    // the same sum, and one with it moves by the record's distance: 2C, or C if the others are at
    // 0.
    base = &*subset->base;
    rate = numeric::divide_down(static_cast<double>(subset->sample_size),
                                static_cast<double>(subset->population));
  }
  // Of several releases from one sample, take the Gaussian ones. Together they are one Gaussian.
  std::vector<Occurrence> parts;
  Event first = *base;
  if (flatten(*base, 1, parts) && parts.size() > 1 && join_gaussians(parts, distance) &&
      !parts.empty()) {
    first = parts.back().event;
  }
  if (has_orders(first, distance)) return;
  bool attained = true;
  if (records > 1 && rate < 1) {
    // For units of several records, an attained pair is known for Gaussian noise only.
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

/// Whether to compute profiles of the parts without a loss distribution although a Renyi bound
/// covers everything. Only if they are quick, and not if a Renyi bound is all that is known of
/// every part: the profiles would then prove less than that bound.
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
    // An event's profile must not ask for itself.
    const bool itself = one->event == event && !is_sampled(event);
    if (!add_pairs(*one, itself ? Missing::none : Missing::proved_profile)) return std::nullopt;
  }
  const bool orders = std::any_of(parts.begin(), parts.end(), [&](const Occurrence& one) {
    return has_orders(one.event, adjacency);
  });
  if (!orders) out.add.clear();
  return out;
}

namespace {

constexpr double wide = 10;  // tolerances

bool is_narrow(double lower, double upper, const AccountOptions& options) {
  return upper <= lower * (1 + wide * options.tolerance);
}

/// The time is cells times different pairs. With more than 16 pairs each gets fewer cells.
pld::PldOptions pld_options(const AccountOptions& options, const DominatingPairs& dominating) {
  int size = options.largest_log2_size;
  for (std::size_t pairs = 16; pairs < dominating.remove.size() && size > 12; pairs *= 2) --size;
  return {.tolerance = options.tolerance, .largest_log2_size = size, .work = options.work};
}

/// The interval of a composition. With many rare uses, the usual transforms may leave it wide; it
/// is then tried once more with longer ones.
pld::Bracket composed(const DominatingPairs& dominating, const ComposePairs& compose,
                      const AccountOptions& options) {
  constexpr double many = 0x1p20;
  auto allowed = pld_options(options, dominating);
  auto bracket = compose(dominating.remove, dominating.add, allowed);
  double uses = 0;
  for (const auto& one : dominating.remove) uses += static_cast<double>(one.count);
  if (is_narrow(bracket.lower, bracket.upper, options) || uses < many ||
      allowed.largest_log2_size < options.largest_log2_size) {
    return bracket;
  }
  allowed.largest_log2_size += 2;
  const auto longer = compose(dominating.remove, dominating.add, allowed);
  bracket.lower = std::max(bracket.lower, longer.lower);
  bracket.upper = std::min(bracket.upper, longer.upper);
  return bracket;
}

/// A lower bound from data sets, for an event whose dominating pair no data sets attain.
double attained_end(const Event& event, Adjacency adjacency, const ComposePairs& compose,
                    const AccountOptions& options) {
  const auto part = attained_pairs(event, adjacency);
  if (!part) return 0;
  try {
    return composed(*part, compose, options).lower;
  } catch (const base::NumericError&) {
    return 0;
  }
}

/// The pairs of an event; nothing if its losses do not fit a grid.
std::optional<DominatingPairs> pairs_or_none(const Event& event, Adjacency adjacency,
                                             const AccountOptions& options) {
  try {
    return dominating_pairs(event, adjacency, options.tolerance, options.work);
  } catch (const base::NumericError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<PairBounds> bounds_by_pairs(const Event& event, Adjacency adjacency,
                                          const ComposePairs& compose,
                                          const AccountOptions& options) {
  const auto dominating = pairs_or_none(event, adjacency, options);
  if (!dominating) return std::nullopt;
  PairBounds bounds{.data_meet = dominating->attained};
  try {
    bounds.bracket = composed(*dominating, compose, options);
  } catch (const base::NumericError&) {
    bounds.bracket.reset();
  }
  if (options.attained && !dominating->attained) {
    bounds.attained = attained_end(event, adjacency, compose, options);
  }
  return bounds;
}

double upper_of_more_uses(const Event& event, Adjacency adjacency, const ComposePairs& compose,
                          const AccountOptions& options, const PrivacyInterval& best) {
  constexpr std::int64_t few = 1000;
  double upper = best.upper;
  const auto* repeated = event.as<Repeated>();
  if (repeated == nullptr || repeated->count > few) return upper;
  for (const std::int64_t factor : {2, 4, 8}) {
    if (is_narrow(best.lower, upper, options)) break;
    try {
      const Event more = Repeated{factor * repeated->count, repeated->base};
      if (const auto dominating =
              dominating_pairs(more, adjacency, options.tolerance, options.work)) {
        upper = std::min(upper, composed(*dominating, compose, options).upper);
      }
    } catch (const base::NumericError&) {
      continue;
    }
  }
  return upper;
}

}  // namespace tacet::accounting::internal
