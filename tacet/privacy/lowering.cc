#include "tacet/privacy/lowering.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/privacy/own_profile.h"
#include "tacet/privacy/product_pair.h"
#include "tacet/privacy/rdp.h"
#include "tacet/privacy/shuffle.h"
#include "tacet/privacy/structure.h"

namespace tacet::privacy::internal {
namespace {

using pairs::Order;
using pairs::PairPointer;

/// An event that happens `count` times.
struct Occurrence {
  Event event;
  std::int64_t count;
};

/// Splits compositions and repetitions into occurrences of indivisible events, equal ones joined.
/// False where a part would occur more than 2^63 times.
bool flatten(const Event& event, std::int64_t times, std::vector<Occurrence>& out) {
  if (const auto* repeated = event.as<Repeated>()) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(times, repeated->count, &product)) return false;
    return flatten(*repeated->base, product, out);
  }
  if (const auto* composed = event.as<Composed>()) {
    return std::all_of(composed->parts.begin(), composed->parts.end(),
                       [&](const Event& part) { return flatten(part, times, out); });
  }
  if (const auto* blocks = event.as<Partitioned>()) {
    const auto& parts = blocks->parts;
    const bool equal = std::all_of(parts.begin(), parts.end(),
                                   [&](const Event& part) { return part == parts.front(); });
    if (equal) return flatten(parts.front(), times, out);
  }
  const auto found = std::find_if(out.begin(), out.end(),
                                  [&](const Occurrence& one) { return one.event == event; });
  if (found == out.end()) {
    out.push_back({event, times});
    return true;
  }
  return !__builtin_add_overflow(found->count, times, &found->count);
}

/// The symmetric pair of an indivisible event, or null.
struct PairOf {
  Adjacency adjacency;
  bool* attained;

  PairPointer unattained(PairPointer pair) const {
    *attained = false;
    return pair;
  }
  PairPointer operator()(const Laplace& e) const {
    if (e.noise_multiplier == 0 || std::isinf(e.noise_multiplier)) return nullptr;
    return pairs::laplace(e.noise_multiplier / distance_factor(adjacency));
  }
  PairPointer operator()(const DiscreteGaussian& e) const {
    // Beyond this the list of atoms becomes long; the Renyi route covers it.
    constexpr double largest_sigma = 3000;
    if (e.dimension != 1 || e.sigma <= 0 || e.sigma > largest_sigma || e.sensitivity == 0) {
      return nullptr;
    }
    const double shift = distance_factor(adjacency) * static_cast<double>(e.sensitivity);
    if (shift > 40 * e.sigma) return nullptr;
    return pairs::discrete_gaussian(e.sigma, shift);
  }
  PairPointer by_pure(double epsilon) const {
    if (epsilon > largest_loss) return nullptr;
    return unattained(pairs::approximate(epsilon, 0));
  }
  PairPointer operator()(const DiscreteLaplace& e) const {
    const double shift = distance_factor(adjacency) * static_cast<double>(e.sensitivity);
    if (e.scale <= 0 || e.sensitivity == 0 || shift / e.scale > largest_loss) return nullptr;
    if (shift > 0x1p52) return by_pure(pure_epsilon(e, adjacency));  // no longer exact
    auto law = pairs::discrete_laplace(e.scale, shift);
    return law.exact ? std::move(law.pair) : unattained(std::move(law.pair));
  }
  PairPointer operator()(const PureDp& e) const { return by_pure(e.epsilon); }
  PairPointer operator()(const ApproximateDp& e) const {
    if (e.epsilon > largest_loss || e.delta >= 1) return nullptr;
    return unattained(pairs::approximate(e.epsilon, e.delta));
  }
  PairPointer operator()(const BoundedRange& e) const { return by_range(e.epsilon); }
  PairPointer operator()(const ScoreSelection& e) const {
    return by_range(multiply_up(e.eta, e.range_sensitivity));
  }
  PairPointer by_range(double epsilon) const {
    if (std::isinf(epsilon) || epsilon > 500 || epsilon == 0) return nullptr;
    return unattained(pairs::bounded_range(epsilon));
  }
  PairPointer operator()(const Profile& e) const {
    std::vector<pairs::Point> points;
    for (const auto& point : e.points) {
      if (point.delta < 1 && point.epsilon < largest_loss)
        points.push_back({point.epsilon, point.delta});
    }
    if (points.empty()) return nullptr;
    return unattained(pairs::profile(points));
  }
  PairPointer operator()(const ShuffledLocal& e) const {
    std::vector<pairs::Point> points;
    constexpr int count = 48;
    for (int i = 0; i < count; ++i) {
      const double epsilon = e.local_epsilon * std::pow(1e-3, 1 - i / (count - 1.0));
      const double delta = shuffle::clones_delta(e.reports, e.local_epsilon, epsilon);
      if (points.empty() || delta < points.back().delta) points.push_back({epsilon, delta});
    }
    if (points.empty() || points.back().epsilon > 300) return nullptr;
    return unattained(pairs::profile(points));
  }
  template <typename Other>
  PairPointer operator()(const Other&) const {
    return nullptr;
  }
};

/// What happens to events without a loss distribution of their own.
enum class Missing {
  none,        ///< they have no pair
  own_profile  ///< the profile that their own accountants prove stands for them
};

PairPointer symmetric_pair(const Event& event, Adjacency adjacency, bool* attained,
                           Missing missing = Missing::none) {
  if (const auto square = squared_mu(event, adjacency)) {
    if (*square == 0 || std::isinf(*square)) return nullptr;
    return pairs::gaussian(sqrt_up(*square));
  }
  auto pair = std::visit(PairOf{adjacency, attained}, event.node());
  if (pair || missing == Missing::none) return pair;
  const auto points = own_profile(event, adjacency);
  if (points.empty()) return nullptr;
  *attained = false;
  return pairs::profile(points);
}

bool costs_nothing(const Event& event) {
  if (const auto* sampled = event.as<PoissonSampled>()) {
    return sampled->rate == 0 || costs_nothing(*sampled->base);
  }
  if (const auto* sampled = event.as<FixedSizeSampled>()) {
    return sampled->sample_size == 0 || costs_nothing(*sampled->base);
  }
  return pure_epsilon(event, Adjacency::add_remove) == 0 ||
         pure_epsilon(event, Adjacency::replace_one) == 0 ||
         pure_epsilon(event, Adjacency::zero_out) == 0;
}

/// All full-batch Gaussian noise becomes one Gaussian, what costs nothing is left out. False where
/// the noise is too small for a number.
bool join_gaussians(std::vector<Occurrence>& parts, Adjacency adjacency) {
  Composed gaussians;
  std::vector<Occurrence> others;
  for (auto& one : parts) {
    if (squared_mu(one.event, adjacency)) {
      gaussians.parts.emplace_back(Repeated{one.count, one.event});
    } else if (!costs_nothing(one.event)) {
      others.push_back(std::move(one));
    }
  }
  parts = std::move(others);
  const double square = *squared_mu(gaussians, adjacency);
  if (std::isinf(square)) return false;
  if (square > 0) {
    parts.push_back({Gaussian{divide_down(distance_factor(adjacency), sqrt_up(square))}, 1});
  }
  return true;
}

/// What reads one sample, as a maker of its symmetric pair and, where that is a bound only, of one
/// below it. Null pairs where there is none. Bounds are of sup_S P(S) - a Q(S). A Poisson sample in
/// the order `add` asks for sup_S Q(S) - a P(S) of its base, so it takes their mirror images.
struct SampleBase {
  std::function<PairPointer(Order)> pair;
  std::function<PairPointer(Order)> below;

  SampleBase(const Event& base, Adjacency adjacency, double fineness, Missing missing,
             bool* attained) {
    below = [](Order) { return PairPointer(); };
    pair = [&base, adjacency, missing, attained](Order) {
      return symmetric_pair(base, adjacency, attained, missing);
    };
    if (base.as<Composed>() == nullptr && base.as<Repeated>() == nullptr) return;
    std::vector<Occurrence> parts;
    if (squared_mu(base, adjacency) || !flatten(base, 1, parts)) return;
    if (!join_gaussians(parts, adjacency) || parts.empty()) return;
    std::vector<pld::Component> factors;
    for (const auto& one : parts) {
      auto factor = symmetric_pair(one.event, adjacency, attained, missing);
      if (!factor) return;
      factors.push_back({std::move(factor), one.count});
    }
    auto law = pld::product(factors, fineness);
    if (!law) return;
    const auto facing = [](const pld::FiniteLaw& one, Order order) {
      return order == Order::add ? one.mirrored() : one.pair();
    };
    pair = [facing, above = std::move(law->above)](Order order) { return facing(above, order); };
    below = [facing, under = std::move(law->below)](Order order) { return facing(under, order); };
  }
};

/// One pair as finitely many losses that dominate it, where it can be listed.
PairPointer listed(PairPointer pair, double fineness) {
  std::vector<pld::Component> alone;
  alone.push_back({std::move(pair), 1});
  const auto law = pld::product(alone, fineness);
  return law ? law->above.pair() : nullptr;
}

/// The pair of a Poisson sample in which one record replaces another, from what the base tells of a
/// sample with a record against the same one without it; null where it has none.
PairPointer replaced_pair(const Event& event, double rate, double fineness, Missing missing,
                          bool* attained) {
  const SampleBase base(event, Adjacency::add_remove, fineness, missing, attained);
  auto pair = base.pair(Order::remove);
  if (!pair) return nullptr;
  // Of several releases two records may not be best told from none by the same tests.
  if (base.below(Order::remove)) *attained = false;
  auto replaced = pair->replaced(rate);
  if (replaced) return replaced;
  *attained = false;
  const auto list = listed(std::move(pair), fineness);
  return list ? list->replaced(rate) : nullptr;
}

/// A Poisson sample of a Poisson sample is one at the product of the rates.
struct Sample {
  const Event* base;
  double rate;
};
Sample nested_sample(const PoissonSampled& event) {
  Sample sample{&*event.base, event.rate};
  while (const auto* inner = sample.base->as<PoissonSampled>()) {
    sample = {&*inner->base, std::min(1.0, multiply_up(sample.rate, inner->rate))};
  }
  return sample;
}

/// Adds the pairs of one indivisible event to both orders; false where it has none.
bool add_pairs(const Occurrence& one, Adjacency adjacency, double fineness, Missing missing,
               Lowered& out) {
  const auto both = [&](const SampleBase& base, const auto& mix, bool mirrors = false) {
    for (const Order order : {Order::remove, Order::add}) {
      const auto facing = mirrors ? order : Order::remove;
      auto pair = base.pair(facing);
      if (!pair) return false;
      auto below = base.below(facing);
      (order == Order::remove ? out.remove : out.add)
          .push_back({mix(std::move(pair), order), one.count,
                      below ? mix(std::move(below), order) : nullptr});
    }
    return true;
  };
  const auto unmixed = [](PairPointer pair, Order) { return pair; };
  if (const auto* sampled = one.event.as<PoissonSampled>()) {
    const auto sample = nested_sample(*sampled);
    if (sample.rate < 1 && is_replaced(*sampled, adjacency)) {
      for (auto* order : {&out.remove, &out.add}) {
        auto pair = replaced_pair(*sample.base, sample.rate, fineness, missing, &out.attained);
        if (!pair) return false;
        order->push_back({std::move(pair), one.count});
      }
      return true;
    }
    const SampleBase base(*sample.base, adjacency, fineness, missing, &out.attained);
    const auto mix = [&](PairPointer pair, Order order) {
      return sample.rate == 1 ? std::move(pair)
                              : pairs::poisson(std::move(pair), sample.rate, order);
    };
    return both(base, mix, sample.rate < 1);
  }
  if (const auto* sampled = one.event.as<FixedSizeSampled>()) {
    out.attained = false;
    const SampleBase base(*sampled->base, inner_adjacency(*sampled, adjacency), fineness, missing,
                          &out.attained);
    return both(base, [&](PairPointer pair, Order) {
      if (sampled->sample_size == sampled->population) return pair;
      return pairs::fixed_size(std::move(pair), sampled_fraction(*sampled));
    });
  }
  return both(SampleBase(one.event, adjacency, fineness, missing, &out.attained), unmixed);
}

bool is_sampled(const Event& event) {
  return event.as<PoissonSampled>() != nullptr || event.as<FixedSizeSampled>() != nullptr;
}

/// Whether any part's two orders differ.
bool has_orders(const std::vector<Occurrence>& parts, Adjacency adjacency) {
  return std::any_of(parts.begin(), parts.end(), [&](const Occurrence& one) {
    return one.event.as<PoissonSampled>() != nullptr && adjacency != Adjacency::replace_one;
  });
}

/// What real data sets meet of one indivisible event, as pairs it dominates; leaves it out where
/// none are known.
void add_attained_pairs(const Occurrence& one, Adjacency adjacency, Lowered& out) {
  const Event* base = &one.event;
  double rate = 1;
  auto distance = adjacency;
  bool replaced = false;
  if (const auto* sampled = one.event.as<PoissonSampled>()) {
    const auto sample = nested_sample(*sampled);
    base = sample.base;
    rate = sample.rate;
    replaced = rate < 1 && is_replaced(*sampled, adjacency);
    if (replaced) distance = Adjacency::add_remove;
  } else if (const auto* subset = one.event.as<FixedSizeSampled>()) {
    // All other records at -C: a sample without the record is the same whoever it is, a sample with
    // it moves by what the record does (2C, or C from nothing to C among records at 0).
    base = &*subset->base;
    rate = divide_down(static_cast<double>(subset->sample_size),
                       static_cast<double>(subset->population));
  }
  // Of several releases from one sample the Gaussian ones, which are one Gaussian.
  std::vector<Occurrence> parts;
  Event first = *base;
  if (flatten(*base, 1, parts) && parts.size() > 1 && join_gaussians(parts, distance) &&
      !parts.empty()) {
    first = parts.back().event;
  }
  bool attained = true;
  auto remove = symmetric_pair(first, distance, &attained);
  auto add = symmetric_pair(first, distance, &attained);
  if (!attained || !remove || !add) return;
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

std::optional<Lowered> lower_attained(const Event& event, Adjacency adjacency) {
  std::vector<Occurrence> parts;
  if (!flatten(event, 1, parts)) return std::nullopt;
  Lowered out;
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

std::optional<Lowered> lower(const Event& event, Adjacency adjacency, double fineness) {
  std::vector<Occurrence> parts;
  if (!flatten(event, 1, parts) || !join_gaussians(parts, adjacency)) return std::nullopt;
  Lowered out;
  std::vector<const Occurrence*> without;
  for (const auto& one : parts) {
    if (!add_pairs(one, adjacency, fineness, Missing::none, out)) without.push_back(&one);
  }
  if (!without.empty() && !profiles_pay(without, parts.size(), adjacency) &&
      rdp::curve(event, adjacency)) {
    return std::nullopt;
  }
  for (const auto* one : without) {
    // An event's own accountants are no help to itself.
    const bool itself = one->event == event && !is_sampled(event);
    const auto missing = itself ? Missing::none : Missing::own_profile;
    if (!add_pairs(*one, adjacency, fineness, missing, out)) return std::nullopt;
  }
  if (!has_orders(parts, adjacency)) out.add.clear();
  return out;
}

}  // namespace tacet::privacy::internal
