#include "tacet/accounting/shapes/rewrite.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "tacet/accounting/routes/sampling.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

struct Rewrite {
  Adjacency adjacency;

  [[nodiscard]] Event of(const Event& event) const {
    return std::visit([&](const auto& node) { return (*this)(node); }, event.node());
  }

  Event operator()(const PoissonSampled& e) const {
    // Around several records of a unit stands no sample, and none within: nothing to join.
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
    // Poisson samples of disjoint blocks are independent, so that the laws on neighbours differ in
    // the block of their record alone.
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
      // k of m of n are k of n.
      if (inner->population == size) {
        return FixedSizeSampled{inner->sample_size, population, inner->base};
      }
    }
    // The law of a run mixes those of the samples that have the record in one block; hockey-stick
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
