#include "tacet/accounting/shapes/replacement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "tacet/accounting/routes/refusal.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting {
namespace {

[[noreturn]] void refuse(const char* kind, std::string_view why) {
  throw base::UsageError(
      "{} {}, so it does not convert from add_remove to replace_one release by release", kind, why);
}

/// (1 + e^epsilon) delta, rounded up: D to D - x costs (epsilon, delta), D - x to D' the same, and
/// the second delta is seen through the first epsilon.
double both_deltas(double epsilon, double delta) {
  if (delta == 0) return 0;
  constexpr double rounding = 1 + 1e-15;  // of exp; the other operations round up
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
    // The loss is the sum of those of both steps, and so is its range.
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
      // A larger epsilon may look worse now; the point before it says more.
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
  // The accountant has its own rules for these, which hold where they state no cost themselves.
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
