#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/rdp.h"

/// What is asked of an event: epsilon at a delta, or delta at an epsilon. The way through the
/// routes is one text for both (accountant.cc); here is what differs between them. Everything here
/// answers with a number, and the accountant alone decides which one stands.
namespace tacet::accounting::internal {

/// A proved upper bound, and what gave it (PrivacyInterval::route). Infinity where a route has
/// none.
struct Bound {
  double value;
  const char* route;
};

using EndOf = std::function<double(double)>;

struct EpsilonAt {
  Delta delta;
  static EpsilonAt of(double delta) { return {Delta(delta)}; }

  /// Whether nothing can cost anything.
  [[nodiscard]] static bool is_free() { return false; }
  /// The cost of an event that is Gaussian noise throughout, at mu^2 = `square`.
  [[nodiscard]] PrivacyInterval gaussian(const Event& event, Adjacency adjacency,
                                         double square) const;
  /// What needs no route, from the pure epsilon of the event.
  [[nodiscard]] std::optional<PrivacyInterval> at_once(const Event& event, Adjacency adjacency,
                                                       double pure) const;
  /// From an event's own analysis: private selection, shuffled reports, objective perturbation.
  [[nodiscard]] std::optional<Bound> dedicated(const Event& event, Adjacency adjacency,
                                               const AccountOptions& options) const;
  /// Where the search for the best route starts.
  [[nodiscard]] static double start(double pure) { return pure; }
  /// The bound that says nothing.
  [[nodiscard]] static double trivial() { return std::numeric_limits<double>::infinity(); }
  [[nodiscard]] pld::Bracket by_pairs(const std::vector<pld::Component>& remove,
                                      const std::vector<pld::Component>& add,
                                      const pld::PldOptions& pld_options) const;
  [[nodiscard]] double by_renyi(const rdp::Curve& curve) const;
  /// Bounds that take no search: from the pure epsilon; from Gaussian noise on all records, at mu^2
  /// = `square`, instead of samples; from sums of epsilons and deltas.
  [[nodiscard]] static double by_pure(double pure) { return pure; }
  [[nodiscard]] double by_all_records(double square) const;
  [[nodiscard]] std::array<Bound, 2> by_sums(const Event& event, Adjacency adjacency) const;
  /// Whether by_group is known to be above `upper` from one delta where it would take many: the
  /// delta of two records falls with epsilon, and is too large at `upper`. To be wrong about that
  /// would leave a bound out, no more.
  [[nodiscard]] bool group_is_dearer(const Event& event, double upper) const;
  /// From one(x), the upper end for a record more or less with x in place of what is given here.
  [[nodiscard]] double by_group(const EndOf& one, double upper) const;
  /// The smallest cost of an event that is not free.
  [[nodiscard]] static double min() { return 0; }
};

/// The same for delta at an epsilon.
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
    return false;  // by_group takes one delta itself
  }
  [[nodiscard]] double by_group(const EndOf& one, double upper) const;
  [[nodiscard]] static double min();
};

}  // namespace tacet::accounting::internal
