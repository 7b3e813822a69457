#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

/// Finds facts about a column that a schema needs and nobody knows: whether it contains numbers,
/// their bounds, and frequent texts. docs/proofs/schema_fit.md.
///
/// A record is one value of the column, or none if it is missing. Under replace_one the number of
/// values would be as private as the values, so that adjacency is refused with a UsageError.
namespace tacet::mechanism {

/// The price of one answer: (epsilon, delta), pure if delta is 0. If units of several records are
/// protected, the noise covers all values that a unit may contribute; the caller bounds their
/// number.
struct AnswerCost {
  privacy::Epsilon epsilon;
  privacy::Delta delta;
  privacy::Adjacency adjacency;
  std::int64_t max_values_per_unit = 1;  ///< N, at least 1; 1 if a record is the unit

  /// UsageError under replace_one, and if epsilon is too small for an exact answer.
  [[nodiscard]] privacy::Event event() const;
  /// The epsilon for one of the N values: epsilon / N.
  [[nodiscard]] privacy::Epsilon epsilon_per_value() const;
};

/// How many values of a column are of each kind.
struct KindCounts {
  std::int64_t numbers = 0;
  std::int64_t codes = 0;  ///< texts of one or two words
  std::int64_t prose = 0;
};

/// The counts plus discrete Laplace noise of scale N/epsilon, since a value changes one of them by
/// 1. Debits `cost`.
[[nodiscard]] privacy::Released<KindCounts> release_kinds(
    const privacy::Private<KindCounts>& counts, const AnswerCost& cost,
    const ReleaseContext& context);

/// A difference of two noisy counts that noise alone reaches with a probability below 0.001. A kind
/// that leads by less is not the most frequent one for certain.
[[nodiscard]] double kind_margin(const AnswerCost& cost);

/// The number of values that two quantiles, each at half of epsilon, need so that each lies beyond
/// all values with a probability below 0.01 if a quarter of the values is to be left out. With
/// fewer values there are no bounds.
[[nodiscard]] double min_values_for_bounds(privacy::Epsilon epsilon);

/// `coverage`, or the smaller share that about `count` values and two quantiles, each at half of
/// epsilon, can determine: the values beyond each bound must outweigh all points beyond them.
[[nodiscard]] double attainable_coverage(double coverage, std::int64_t count,
                                         privacy::Epsilon epsilon);

struct Bounds {
  double lower;
  double upper;
};

/// Bounds between which about the share `coverage` of the values lies, lower < upper: two quantiles
/// by inverse sensitivity among the points of magnitude_grid.h, at half of epsilon / N each. Debits
/// `cost`. A UsageError unless 0 < coverage < 1. Uses the noise of address.tensor and of the next
/// tensor.
[[nodiscard]] privacy::Released<Bounds> release_bounds(
    const privacy::Private<std::vector<double>>& values, double coverage, const AnswerCost& cost,
    const ReleaseContext& context);

struct FrequentText {
  std::string text;
  std::int64_t noisy_count;
};

/// The count from which a text is released. The probability that any text of a single unit reaches
/// it, whichever N values the unit has, is at most delta.
[[nodiscard]] std::int64_t frequency_threshold(const AnswerCost& cost);

/// The texts whose count plus discrete Laplace noise of scale N/epsilon reaches
/// frequency_threshold, the most frequent first (Korolova and others 2009; Bun, Nissim and Stemmer
/// 2019 as stability-based histogram). No list of possible texts is needed. Therefore delta must be
/// above 0; UsageError otherwise. Debits `cost`.
[[nodiscard]] privacy::Released<std::vector<FrequentText>> release_frequent(
    const privacy::Private<std::map<std::string, std::int64_t>>& counts, const AnswerCost& cost,
    const ReleaseContext& context);

}  // namespace tacet::mechanism
