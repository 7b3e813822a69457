#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacet/api/release.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::mechanism {
class Scores;
}

/// Your own mechanism, composed of proved ones: the composition of their events is booked before a
/// record is read, and each release is debited from that permit.
///
/// Example:
///
///     const auto adjacency = privacy::Adjacency::add_remove;
///     const api::QuantileQuery median{.level = 0.5, .lower = 0, .upper = 100,
///                                     .adjacency = adjacency};
///     const privacy::Epsilon epsilon(0.5);
///     accounting::MemoryBudget budget(privacy::Guarantee{1, 0, adjacency});
///     auto permit = budget.reserve(api::quantile_event(median, epsilon), privacy::Delta(0));
///     const std::vector<double> ages{31, 18, 44};
///     const double found = api::Releases(permit).quantile(ages, median, epsilon);
///     permit.commit();
namespace tacet::api {

/// Which quantile of private numbers is released. All of it is public.
struct QuantileQuery {
  double level = 0.5;  ///< in [0, 1]: 0.5 is the median, 0 the smallest value, 1 the largest
  double lower = 0;    ///< of the possible answers
  double upper = 1;
  /// between possible answers; absent: about 2^-40 of the width, never less
  std::optional<double> step = {};
  privacy::StatedAdjacency adjacency;
};

/// How a neighbour may move several scores at once.
enum class Movement {
  any,      ///< each score on its own, up or down
  one_way,  ///< all in the same direction (counts, sums of losses with one more record): halves the
            ///< noise; exists for add_remove neighbours only
};

/// Private scores of a public list of candidates, and a bound of how far one neighbour moves each
/// score. Higher is better. The caller has to prove the bound.
class Scores {
 public:
  /// UsageError for an empty list, a sensitivity outside of [1, 2^40], or one_way without
  /// add_remove.
  [[nodiscard]] static Scores integers(std::vector<std::int64_t> values, std::int64_t sensitivity,
                                       Movement movement, privacy::Adjacency adjacency);
  /// Real scores, rounded to about 2^-20 of the sensitivity, which the rounding increases by as
  /// much. NumericError for a score that is not a number.
  [[nodiscard]] static Scores rounded(std::span<const double> values, double sensitivity,
                                      Movement movement, privacy::Adjacency adjacency);
  /// Errors with different sensitivities, lower is better. A selection at `epsilon` then finds a
  /// good candidate with probability at least 1 - failure (Raskhodnikova, Smith 2016).
  [[nodiscard]] static Scores generalized(std::span<const double> errors,
                                          std::span<const double> sensitivities,
                                          privacy::Epsilon epsilon, double failure,
                                          privacy::Adjacency adjacency);

 private:
  friend struct Inside;
  explicit Scores(std::shared_ptr<const mechanism::Scores> held) : held_(std::move(held)) {}
  std::shared_ptr<const mechanism::Scores> held_;
};

/// The sparse vector technique finds which of many queries reach a threshold. Only the few that do
/// cost privacy.
struct SparseVector {
  double threshold = 0;            ///< in the units of the scores
  std::int64_t max_positives = 1;  ///< the run ends after that many
  privacy::Epsilon epsilon;        ///< for the whole run
  /// The budget of noisy values of the positives, with fresh noise; absent: none are released.
  std::optional<privacy::Epsilon> value_epsilon = {};
};
/// A query that reached the threshold.
struct Positive {
  std::int64_t index = 0;
  std::optional<double> value = {};
};

// The event of each release. Gaussian noise has the event privacy::Gaussian{multiplier}.

/// The inverse sensitivity mechanism (Asi, Duchi 2020): bounded range epsilon.
[[nodiscard]] privacy::Event quantile_event(const QuantileQuery& query, privacy::Epsilon epsilon);
/// Permute-and-flip (McKenna, Sheldon 2020): pure epsilon. Use it for a single selection.
[[nodiscard]] privacy::Event selection_event(privacy::Epsilon epsilon,
                                             privacy::Adjacency adjacency);
/// Report noisy max with exponential noise: pure epsilon.
[[nodiscard]] privacy::Event noisy_max_event(privacy::Epsilon epsilon,
                                             privacy::Adjacency adjacency);
/// `count` draws of the exponential mechanism, each of bounded range `epsilon_each`.
[[nodiscard]] privacy::Event top_event(std::int64_t count, privacy::Epsilon epsilon_each,
                                       privacy::Adjacency adjacency);
/// The sparse vector technique: pure epsilons, for each threshold that is drawn and for the values.
[[nodiscard]] privacy::Event sparse_vector_event(const SparseVector& query,
                                                 privacy::Adjacency adjacency);

/// Releases under one permit. Each has its own noise, and is debited before a random bit is drawn.
/// BudgetError for a release that was not reserved. What is returned is public. The permit must
/// outlive this object. Not for several threads at once.
class Releases {
 public:
  explicit Releases(privacy::Reservation& permit);
  /// Draws the noise from this source.
  Releases(privacy::Reservation& permit, const Random& random);

  /// Gaussian noise of `multiplier` times the bound of one record's contribution, in real units.
  /// UsageError for noise that does not fit the sum's grid.
  [[nodiscard]] std::vector<double> gaussian(Sum sum, privacy::NoiseMultiplier multiplier);
  /// Each value counts as the nearest possible answer. UsageError for a level outside of [0, 1];
  /// DataError for an empty list under replace_one.
  [[nodiscard]] double quantile(std::span<const double> values, const QuantileQuery& query,
                                privacy::Epsilon epsilon);
  /// The index of one candidate, chosen as selection_event() describes.
  [[nodiscard]] std::int64_t select(const Scores& scores, privacy::Epsilon epsilon);
  /// The index of one candidate, chosen as noisy_max_event() describes.
  [[nodiscard]] std::int64_t noisy_max(const Scores& scores, privacy::Epsilon epsilon);
  /// The `count` best scores, best first. UsageError if there are fewer.
  [[nodiscard]] std::vector<std::int64_t> top(const Scores& scores, std::int64_t count,
                                              privacy::Epsilon epsilon_each);
  /// The queries that reach the threshold, in their order.
  [[nodiscard]] std::vector<Positive> sparse_vector(const Scores& queries,
                                                    const SparseVector& query);

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};

}  // namespace tacet::api
