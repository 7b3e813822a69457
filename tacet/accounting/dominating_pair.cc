#include "tacet/accounting/dominating_pair.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "tacet/accounting/loss/pairs.h"
#include "tacet/accounting/loss/product_pair.h"
#include "tacet/accounting/profile_pair.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/objective.h"
#include "tacet/accounting/routes/occurrences.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/accounting/routes/shuffle.h"
#include "tacet/accounting/shapes/grouping.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

using pairs::Order;
using pairs::PairPointer;

/// The symmetric pair of an indivisible event; null if it has none.
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
    // With larger sigma the list of atoms becomes long; the Renyi route covers those.
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
    // beyond this, integers are not exact in a double
    if (shift > 0x1p52) return by_pure(pure_epsilon(e, adjacency));
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
    return by_range(numeric::multiply_up(e.eta, e.range_sensitivity));
  }
  PairPointer by_range(double epsilon) const {
    if (std::isinf(epsilon) || epsilon > 500 || epsilon == 0) return nullptr;
    return unattained(pairs::bounded_range(epsilon));
  }
  template <typename Other>
  PairPointer operator()(const Other&) const {
    return nullptr;
  }
};

/// Points of the (epsilon, delta) curve, in both orders of the neighbours, for events whose
/// analysis gives such points; empty for all others.
struct PointsOf {
  using Points = std::vector<pairs::Point>;
  Adjacency adjacency;

  Points operator()(const Profile& e) const {
    Points points;
    for (const auto& point : e.points) {
      if (point.delta < 1 && point.epsilon < largest_loss)
        points.push_back({point.epsilon, point.delta});
    }
    return points;
  }
  Points operator()(const ShuffledLocal& e) const {
    Points points;
    constexpr int count = 48;
    for (int i = 0; i < count; ++i) {
      const double epsilon = e.local_epsilon * std::pow(1e-3, 1 - i / (count - 1.0));
      const double delta = shuffle::clones_delta(e.reports, e.local_epsilon, epsilon);
      if (points.empty() || delta < points.back().delta) points.push_back({epsilon, delta});
    }
    if (!points.empty() && points.back().epsilon > 300) points.clear();
    return points;
  }
  Points operator()(const ObjectivePerturbation& e) const {
    return objective::exact_profile(e, adjacency);
  }
  template <typename Other>
  Points operator()(const Other&) const {
    return {};
  }
};

struct UsesOf {
  Adjacency adjacency;
  UseOptions options;
  bool* attained;

  [[nodiscard]] Uses of(const Event& event) const {
    Uses uses;
    if (is_sampled(event)) {
      uses = of_sample(event);
    } else if (const auto* blocks = event.as<Partitioned>();
               blocks != nullptr && !squared_mu(event, adjacency)) {
      uses = worst_block(*blocks);
    } else if (is_several(event)) {
      uses = product(event, First::by_order);
    } else {
      uses = single(event);
    }
    return uses ? uses : by_profile(event);
  }

  /// The pair of a sample, from the pair of the event that reads it. An event that has its own
  /// accountants is asked through them here.
  [[nodiscard]] Uses of_sample(const Event& event) const {
    if (const auto* sampled = event.as<PoissonSampled>()) return poisson(*sampled);
    return fixed_size(*event.as<FixedSizeSampled>());
  }

  /// Which of the two laws comes first in a pair.
  enum class First {
    /// as the order says: the law with the record for `remove`, the one without it for `add`
    by_order,
    /// always the law with the record; in the order `add` the bound is then one of sup_S Q(S) - a
    /// P(S)
    record
  };

  [[nodiscard]] static Uses exact(std::function<PairPointer()> make) {
    return [make = std::move(make)](Order) { return Use{make(), nullptr}; };
  }

  /// The pair of an event without structure, which is symmetric.
  [[nodiscard]] Uses single(const Event& event) const {
    if (const auto square = squared_mu(event, adjacency)) {
      if (*square == 0 || std::isinf(*square)) return {};
      return exact([mu = numeric::sqrt_up(*square)] { return pairs::gaussian(mu); });
    }
    spend(options.work, work_of_pair(event));
    if (std::visit(PairOf{adjacency, attained}, event.node())) {
      return exact([event, adjacency = adjacency] {
        bool met = true;
        return std::visit(PairOf{adjacency, &met}, event.node());
      });
    }
    return through(std::visit(PointsOf{adjacency}, event.node()));
  }
  [[nodiscard]] Uses through(std::vector<pairs::Point> points) const {
    if (points.empty()) return {};
    *attained = false;
    return exact([points = std::move(points)] { return pairs::profile(points); });
  }
  [[nodiscard]] Uses by_profile(const Event& event) const {
    if (options.missing == Missing::none) return {};
    return through(proved_profile(event, adjacency, options.work));
  }

  [[nodiscard]] Uses poisson(const PoissonSampled& event) const {
    if (event.rate == 1) return of(*event.base);
    // Smaller rates lose digits in the masses. They count as this one, which costs more.
    constexpr double min_rate = 1e-250;
    if (event.rate > 0 && event.rate < min_rate) {
      *attained = false;
      return poisson({min_rate, event.base, event.max_records_per_unit});
    }
    if (event.max_records_per_unit > 1) return of_units(event);
    if (is_replaced(event, adjacency)) return replaced(event);
    auto base = with_record_first(*event.base);
    if (!base) return base;
    return [base = std::move(base), rate = event.rate](Order order) {
      return mixed(base(order),
                   [&](PairPointer pair) { return pairs::poisson(std::move(pair), rate, order); });
    };
  }

  /// A Poisson sample of units with several records (docs/proofs/sampled_units.md). For Gaussian
  /// noise: what each number of sampled records moves. For anything else: as if a unit joined whole
  /// or not at all.
  [[nodiscard]] Uses of_units(const PoissonSampled& event) const {
    const bool other = is_replaced(event, adjacency);
    const auto square = squared_mu(*event.base, other ? Adjacency::add_remove : adjacency);
    // with larger squared shifts the losses lose their digits
    constexpr double largest_square = 1e8;
    if (square && *square > 0 && *square < largest_square) {
      const pairs::SampledUnit unit{numeric::sqrt_up(*square), event.rate,
                                    event.max_records_per_unit};
      spend(options.work, work_of_pair(event));
      if (!pairs::is_exact(unit)) *attained = false;
      if (other) return exact([unit] { return pairs::replaced_binomial_gaussian(unit); });
      return [unit](Order order) { return Use{pairs::binomial_gaussian(unit, order), nullptr}; };
    }
    *attained = false;
    return poisson({unit_rate(event), event.base});
  }

  /// The pair of a Poisson sample under replace_one. It is made from the base's pair under
  /// add_remove, and is symmetric (docs/proofs/replaced_record.md).
  [[nodiscard]] Uses replaced(const PoissonSampled& event) const {
    const UsesOf inside{Adjacency::add_remove, options, attained};
    const auto base = inside.of(*event.base);
    if (!base) return {};
    auto first = base(Order::remove);
    // Of several releases, the best test for one record against none may differ from the best test
    // for the other record against none.
    if (first.below) *attained = false;
    if (first.pair->replaced(event.rate)) {
      return exact([base, rate = event.rate] { return base(Order::remove).pair->replaced(rate); });
    }
    *attained = false;
    std::vector<pld::Component> alone;
    alone.push_back({std::move(first.pair), 1});
    const auto law = pld::product(alone, options.fineness, options.work);
    if (!law) return {};
    return exact([list = law->above, rate = event.rate] { return list.pair()->replaced(rate); });
  }

  [[nodiscard]] Uses fixed_size(const FixedSizeSampled& event) const {
    *attained = false;
    const UsesOf inside{inner_adjacency(event, adjacency), options, attained};
    auto base = inside.of(*event.base);
    if (!base || event.sample_size == event.population) return base;
    return [base = std::move(base), rate = sampled_fraction(event)](Order order) {
      return mixed(base(order),
                   [&](PairPointer pair) { return pairs::fixed_size(std::move(pair), rate); });
    };
  }

  template <typename Mix>
  static Use mixed(Use base, const Mix& mix) {
    return {mix(std::move(base.pair)), base.below ? mix(std::move(base.below)) : nullptr};
  }

  /// The pair of an event that reads a Poisson sample, with the law of the record first.
  [[nodiscard]] Uses with_record_first(const Event& base) const {
    if (is_several(base)) {
      auto uses = product(base, First::record);
      return uses ? uses : by_profile(base);
    }
    return has_orders(base, adjacency) ? by_profile(base) : of(base);
  }

  [[nodiscard]] Uses worst_block(const Partitioned& blocks) const {
    std::vector<Uses> parts;
    for (const auto& part : blocks.parts) {
      if (costs_nothing(part)) continue;
      auto uses = of(part);
      if (!uses) return {};
      parts.push_back(std::move(uses));
    }
    if (parts.empty()) return {};
    // Each block may be attained, but nobody has shown that the worst of them is attained at every
    // epsilon.
    *attained = false;
    return [parts = std::move(parts), work = options.work](Order order) {
      spend(work, 1e6 * static_cast<double>(parts.size()));
      std::vector<PairPointer> all;
      for (const auto& part : parts) all.push_back(part(order).pair);
      return Use{pairs::worst(all), nullptr};
    };
  }

  /// The summed loss of several releases from the same records, as one pair.
  [[nodiscard]] Uses product(const Event& event, First first) const {
    if (const auto square = squared_mu(event, adjacency)) return single(event);
    std::vector<Occurrence> parts;
    if (!flatten(event, 1, parts)) return {};
    split_minima(parts, adjacency);
    if (!join_gaussians(parts, adjacency) || parts.empty()) return {};
    std::vector<std::pair<Uses, std::int64_t>> factors;
    for (const auto& one : parts) {
      auto uses = of(one.event);
      if (!uses) return {};
      factors.emplace_back(std::move(uses), one.count);
    }
    const auto law = [&](Order order) {
      std::vector<pld::Component> components;
      for (const auto& [uses, count] : factors) components.push_back({uses(order).pair, count});
      return pld::product(components, options.fineness, options.work);
    };
    struct Laws {
      pld::Product remove;
      std::optional<pld::Product> add;  ///< if it differs from `remove`
    };
    auto remove = law(Order::remove);
    if (!remove) return {};
    Laws laws{*remove, std::nullopt};
    if (has_orders(event, adjacency)) {
      const auto add = law(Order::add);
      if (!add) return {};
      laws.add = *add;
    }
    return [laws = std::move(laws), first](Order order) {
      const bool add = order == Order::add;
      const auto& found = add && laws.add ? *laws.add : laws.remove;
      const auto facing = [&](const pld::FiniteLaw& one) {
        return add && first == First::record ? one.mirrored() : one.pair();
      };
      return Use{facing(found.above), facing(found.below)};
    };
  }
};

/// Whether the two orders of an event differ. This happens only for a Poisson sample of an event
/// whose own orders agree.
struct HasOrders {
  bool operator()(const PoissonSampled& e) const {
    return (e.rate > 0 && e.rate < 1) || of(*e.base);
  }
  bool operator()(const Partitioned& e) const { return any(e.parts); }
  bool operator()(const Composed& e) const { return any(e.parts); }
  bool operator()(const Repeated& e) const { return of(*e.base); }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }
  static bool of(const Event& event) { return std::visit(HasOrders{}, event.node()); }
  static bool any(const std::vector<Event>& parts) {
    return std::any_of(parts.begin(), parts.end(), [](const Event& part) { return of(part); });
  }
};

}  // namespace

bool has_orders(const Event& event, Adjacency adjacency) {
  return adjacency != Adjacency::replace_one && HasOrders::of(event);
}

Uses uses_of(const Event& event, Adjacency adjacency, const UseOptions& options, bool* attained) {
  const UsesOf uses{adjacency, options, attained};
  return is_sampled(event) ? uses.of_sample(event) : uses.of(event);
}

}  // namespace tacet::accounting::internal
