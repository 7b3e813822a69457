#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/rdp.h"

/// What is asked of an event: epsilon at a delta, or delta at an epsilon. The way through the
/// routes is one text for both (accountant.cc); here is what differs between them.
namespace tacet::accounting::internal {

/// What costs nothing.
[[nodiscard]] PrivacyInterval no_cost();
/// Ends around a value that data sets attain.
[[nodiscard]] PrivacyInterval around(double lower, double upper, const char* route);
/// Takes a bound of another route where it is smaller.
void offer(PrivacyInterval& best, double upper, const char* route);

/// A bound from an event's own analysis: private selection, shuffled reports and objective
/// perturbation.
struct DedicatedBound {
  double value;
  const char* route;
};

using EndOf = std::function<double(double)>;

struct EpsilonAt {
  Delta delta;
  static EpsilonAt of(double delta) { return {Delta(delta)}; }

  /// Whether nothing can cost anything.
  [[nodiscard]] static bool is_free() { return false; }
  /// Of an event that is Gaussian noise throughout, at mu^2 = `square`.
  [[nodiscard]] PrivacyInterval gaussian(const Event& event, Adjacency adjacency,
                                         double square) const;
  /// What needs no route, from the pure epsilon of the event.
  [[nodiscard]] std::optional<PrivacyInterval> at_once(const Event& event, Adjacency adjacency,
                                                       double pure) const;
  [[nodiscard]] std::optional<DedicatedBound> dedicated(const Event& event, Adjacency adjacency,
                                                        const AccountOptions& options) const;
  /// Where the search for the best route starts.
  [[nodiscard]] static double start(double pure) { return pure; }
  [[nodiscard]] pld::Bracket by_pairs(const std::vector<pld::Component>& remove,
                                      const std::vector<pld::Component>& add,
                                      const pld::PldOptions& pld_options) const;
  [[nodiscard]] double by_renyi(const rdp::Curve& curve) const;
  /// Bounds that take no search: from the pure epsilon beside a dedicated bound; from all records
  /// instead of samples, where no route has a bound; from sums of epsilons and deltas.
  static void offer_pure(PrivacyInterval& best, double pure);
  void offer_unsampled(PrivacyInterval& best, const Event& event, Adjacency adjacency) const;
  void offer_sums(PrivacyInterval& best, const Event& event, Adjacency adjacency) const;
  /// Whether by_group is known to be above `upper` from one delta where it would take many: the
  /// delta of two records falls with epsilon, and is too large at `upper`. To be wrong about that
  /// would leave a bound out, no more.
  [[nodiscard]] bool group_is_dearer(const Event& event, double upper) const;
  /// From one(x), the upper end for a record more or less with x in place of what is given here.
  [[nodiscard]] double by_group(const EndOf& one, double upper) const;
  /// What an event that costs something costs at least.
  [[nodiscard]] static double least() { return 0; }
};

/// The same of delta.
struct DeltaAt {
  Epsilon epsilon;
  static DeltaAt of(double epsilon) { return {Epsilon(epsilon)}; }

  [[nodiscard]] bool is_free() const;
  [[nodiscard]] PrivacyInterval gaussian(const Event& event, Adjacency adjacency,
                                         double square) const;
  [[nodiscard]] std::optional<PrivacyInterval> at_once(const Event& event, Adjacency adjacency,
                                                       double pure) const;
  [[nodiscard]] std::optional<DedicatedBound> dedicated(const Event& event, Adjacency adjacency,
                                                        const AccountOptions& options) const;
  [[nodiscard]] static double start(double pure);
  [[nodiscard]] pld::Bracket by_pairs(const std::vector<pld::Component>& remove,
                                      const std::vector<pld::Component>& add,
                                      const pld::PldOptions& pld_options) const;
  [[nodiscard]] double by_renyi(const rdp::Curve& curve) const;
  void offer_pure(PrivacyInterval& best, double pure) const;
  void offer_unsampled(PrivacyInterval& best, const Event& event, Adjacency adjacency) const;
  void offer_sums(PrivacyInterval& best, const Event& event, Adjacency adjacency) const;
  [[nodiscard]] static bool group_is_dearer(const Event& /*event*/, double /*upper*/) {
    return false;  // by_group takes one delta itself
  }
  [[nodiscard]] double by_group(const EndOf& one, double upper) const;
  [[nodiscard]] static double least();
};

}  // namespace tacet::accounting::internal
