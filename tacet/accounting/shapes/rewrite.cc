#include "tacet/accounting/shapes/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "tacet/accounting/routes/refusal.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

struct Rewrite {
  Adjacency adjacency;

  [[nodiscard]] Event of(const Event& event) const {
    return std::visit([&](const auto& node) { return (*this)(node); }, event.node());
  }

  Event operator()(const PoissonSampled& e) const {
    // Around several records per unit there is no sample, and inside there is none either: nothing
    // to join.
    if (e.max_records_per_unit > 1 && e.rate < 1) {
      return PoissonSampled{e.rate, of(*e.base), e.max_records_per_unit};
    }
    return poisson(e.rate, of(*e.base));
  }
  [[nodiscard]] Event poisson(double rate, Event base) const {
    if (rate == 1) return base;
    if (const auto* inner = base.as<PoissonSampled>()) {
      return poisson(std::min(1.0, numeric::multiply_up(rate, inner->rate)), *inner->base);
    }
    // Poisson samples of disjoint blocks are independent. So the laws on neighbours differ only in
    // the block of their record.
    const auto* blocks = base.as<Partitioned>();
    if (blocks != nullptr && adjacency != Adjacency::replace_one &&
        blocks_are_parallel(*blocks, adjacency)) {
      return with_inside(base, [&](const Event& part) { return poisson(rate, part); });
    }
    return PoissonSampled{rate, std::move(base)};
  }

  Event operator()(const FixedSizeSampled& e) const {
    return subset(e.sample_size, e.population, Rewrite{inner_adjacency(e, adjacency)}.of(*e.base));
  }
  [[nodiscard]] Event subset(std::int64_t size, std::int64_t population, Event base) const {
    if (size == population && adjacency == Adjacency::replace_one) return base;
    if (const auto* inner = base.as<FixedSizeSampled>()) {
      // a subset of k out of m out of n is a subset of k out of n
      if (inner->population == size) {
        return FixedSizeSampled{inner->sample_size, population, inner->base};
      }
    }
    // The law of a run is a mixture over the samples by the block that has the record; hockey-stick
    // divergences are jointly convex.
    const auto* blocks = base.as<Partitioned>();
    if (blocks != nullptr && adjacency != Adjacency::add_remove &&
        blocks_are_parallel(*blocks, Adjacency::replace_one)) {
      return with_inside(base, [&](const Event& part) { return subset(size, population, part); });
    }
    return FixedSizeSampled{size, population, std::move(base)};
  }

  [[nodiscard]] Event changed_inside(const Event& event) const {
    return with_inside(event, [&](const Event& child) { return of(child); });
  }
  Event operator()(const Partitioned& e) const { return changed_inside(e); }
  Event operator()(const Composed& e) const {
    auto result = changed_inside(e);
    const auto parts = inside(result);
    return parts.size() == 1 ? Event(parts.front()) : result;
  }
  Event operator()(const Repeated& e) const {
    auto base = of(*e.base);
    if (e.count == 1) return base;
    if (const auto* inner = base.as<Repeated>()) {
      std::int64_t count = 0;
      if (!__builtin_mul_overflow(e.count, inner->count, &count)) {
        return Repeated{count, inner->base};
      }
    }
    return Repeated{e.count, std::move(base)};
  }
  Event operator()(const RandomlyRepeated& e) const { return changed_inside(e); }
  template <typename Leaf>
  Event operator()(const Leaf& leaf) const {
    return leaf;
  }
};

}  // namespace

Event rewritten(const Event& event, Adjacency adjacency) { return Rewrite{adjacency}.of(event); }

}  // namespace tacet::accounting::internal

namespace tacet::accounting {
namespace {

[[noreturn]] void refuse(const char* kind, std::string_view why) {
  throw base::UsageError(
      "{} {}, so it does not convert from add_remove to replace_one release by release", kind, why);
}

/// (1 + e^epsilon) delta, rounded up. From D to D - x the cost is (epsilon, delta), and from D - x
/// to D' it is the same; the first epsilon multiplies the second delta.
double both_deltas(double epsilon, double delta) {
  if (delta == 0) return 0;
  constexpr double rounding = 1 + 1e-15;  // for the rounding of exp; the other operations round up
  const double factor = numeric::add_up(1, std::exp(epsilon) * rounding);
  return std::min(1.0, numeric::multiply_up(factor, delta));
}

struct Replacement {
  Event operator()(const PureDp& e) const {
    expect_add_remove("pure_dp", e.adjacency);
    return PureDp{2 * e.epsilon, Adjacency::replace_one};
  }
  Event operator()(const ApproximateDp& e) const {
    expect_add_remove("approximate_dp", e.adjacency);
    return ApproximateDp{2 * e.epsilon, both_deltas(e.epsilon, e.delta), Adjacency::replace_one};
  }
  Event operator()(const BoundedRange& e) const {
    // The loss is the sum of the losses of both steps, so its range is the sum of their ranges.
    expect_add_remove("bounded_range", e.adjacency);
    return BoundedRange{2 * e.epsilon, Adjacency::replace_one};
  }
  Event operator()(const Zcdp& e) const {
    expect_add_remove("zcdp", e.adjacency);
    return Zcdp{4 * e.rho, Adjacency::replace_one};
  }
  Event operator()(const Profile& e) const {
    expect_add_remove("profile", e.adjacency);
    Profile both{.points = {}, .adjacency = Adjacency::replace_one};
    for (const auto& point : e.points) {
      const double delta = both_deltas(point.epsilon, point.delta);
      // At a larger epsilon the doubled delta may be larger. Such a point says less than the one
      // before it.
      if (!both.points.empty() && delta >= both.points.back().delta) continue;
      both.points.push_back({2 * point.epsilon, delta});
    }
    return both;
  }
  Event operator()(const Composed& e) const { return with_inside(e, under_replace_one); }
  Event operator()(const Repeated& e) const { return with_inside(e, under_replace_one); }
  Event operator()(const Gaussian& e) const { return e; }
  Event operator()(const Laplace& e) const { return e; }
  Event operator()(const DiscreteGaussian& e) const { return e; }
  Event operator()(const DiscreteLaplace& e) const { return e; }
  Event operator()(const ObjectivePerturbation& e) const { return e; }
  Event operator()(const ScoreSelection& e) const {
    expect_add_remove("score_selection", e.adjacency);
    const double range = numeric::multiply_up(e.eta, e.range_sensitivity);
    return BoundedRange{2 * range, Adjacency::replace_one};
  }
  // The accountant has its own rules for these kinds, which hold unless they state a cost
  // themselves.
  template <typename Other>
  Event operator()(const Other& e) const {
    const Event same(e);
    if (internal::refusal(same, Adjacency::replace_one).empty()) return same;
    refuse(kind_name(same).c_str(), "has no bound of its own under replace_one");
  }

  static void expect_add_remove(const char* kind, Adjacency stated) {
    if (stated == Adjacency::add_remove) return;
    refuse(kind, fmt::format("was proved for {} neighbours", to_string(stated)));
  }
};

}  // namespace

Event under_replace_one(const Event& event) { return std::visit(Replacement{}, event.node()); }

}  // namespace tacet::accounting
