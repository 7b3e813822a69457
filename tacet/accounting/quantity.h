#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/rdp.h"

/// The two questions about an event: epsilon at a delta, and delta at an epsilon. accountant.cc
/// goes through the routes in the same way for both; this file contains the differences. Everything
/// here returns bounds, and the accountant alone decides which one counts.
namespace tacet::accounting::internal {

/// A proved upper bound, and the route that gave it (PrivacyInterval::route). Infinity if the route
/// has none.
struct Bound {
  double value;
  const char* route;
};

using EndOf = std::function<double(double)>;

struct EpsilonAt {
  Delta delta;
  static EpsilonAt of(double delta) { return {Delta(delta)}; }

  /// Whether the answer is 0 for every event (delta at an infinite epsilon).
  [[nodiscard]] static bool is_free() { return false; }
  /// The cost of an event that consists of Gaussian noise only, at mu^2 = `square`.
  [[nodiscard]] PrivacyInterval gaussian(const Event& event, Adjacency adjacency,
                                         double square) const;
  /// An answer in closed form from the event and its pure epsilon, if there is one.
  [[nodiscard]] std::optional<PrivacyInterval> at_once(const Event& event, Adjacency adjacency,
                                                       double pure) const;
  /// A bound from an event's own analysis: private selection, shuffled reports, objective
  /// perturbation.
  [[nodiscard]] std::optional<Bound> dedicated(const Event& event, Adjacency adjacency,
                                               const AccountOptions& options) const;
  /// The value with which the search for the best route starts.
  [[nodiscard]] static double start(double pure) { return pure; }
  /// The bound that is always true and says nothing.
  [[nodiscard]] static double trivial() { return std::numeric_limits<double>::infinity(); }
  [[nodiscard]] pld::Bracket by_pairs(const std::vector<pld::Component>& remove,
                                      const std::vector<pld::Component>& add,
                                      const pld::PldOptions& pld_options) const;
  [[nodiscard]] double by_renyi(const rdp::Curve& curve) const;
  /// Bounds without a search: from the pure epsilon; from Gaussian noise on all records instead of
  /// samples, at mu^2 = `square`; from sums of epsilons and deltas.
  [[nodiscard]] static double by_pure(double pure) { return pure; }
  [[nodiscard]] double by_all_records(double square) const;
  [[nodiscard]] std::array<Bound, 2> by_sums(const Event& event, Adjacency adjacency) const;
  /// Whether a single delta shows that by_group would be above `upper`, where by_group itself takes
  /// many. The delta of two records falls as epsilon grows, so it suffices that it is too large at
  /// `upper`. An error here only leaves a bound out.
  [[nodiscard]] bool group_is_dearer(const Event& event, double upper) const;
  /// Group privacy of two, from one(x): the upper end for one record more or less at x instead of
  /// the given number.
  [[nodiscard]] double by_group(const EndOf& one, double upper) const;
  /// The smallest cost of an event that is not free.
  [[nodiscard]] static double min() { return 0; }
};

/// delta at an epsilon; the members are those of EpsilonAt.
struct DeltaAt {
  Epsilon epsilon;
  static DeltaAt of(double epsilon) { return {Epsilon(epsilon)}; }

  [[nodiscard]] bool is_free() const;
  [[nodiscard]] PrivacyInterval gaussian(const Event& event, Adjacency adjacency,
                                         double square) const;
  [[nodiscard]] std::optional<PrivacyInterval> at_once(const Event& event, Adjacency adjacency,
                                                       double pure) const;
  [[nodiscard]] std::optional<Bound> dedicated(const Event& event, Adjacency adjacency,
                                               const AccountOptions& options) const;
  [[nodiscard]] static double start(double pure);
  [[nodiscard]] static double trivial() { return 1; }
  [[nodiscard]] pld::Bracket by_pairs(const std::vector<pld::Component>& remove,
                                      const std::vector<pld::Component>& add,
                                      const pld::PldOptions& pld_options) const;
  [[nodiscard]] double by_renyi(const rdp::Curve& curve) const;
  [[nodiscard]] double by_pure(double pure) const;
  [[nodiscard]] double by_all_records(double square) const;
  [[nodiscard]] std::array<Bound, 2> by_sums(const Event& event, Adjacency adjacency) const;
  [[nodiscard]] static bool group_is_dearer(const Event& /*event*/, double /*upper*/) {
    return false;  // by_group itself takes one delta
  }
  [[nodiscard]] double by_group(const EndOf& one, double upper) const;
  [[nodiscard]] static double min();
};

}  // namespace tacet::accounting::internal
