#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/certified.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/sample.h"
#include "tacet/random/exact/race.h"

namespace tacet::mechanism {

/// How a neighbour may move several scores at once.
enum class Movement {
  any,      ///< each score on its own, up or down
  one_way,  ///< all in the same direction (counts, sums of losses with one more record): halves the
            ///< noise; exists for add_remove neighbours only
};

/// Private integer scores of a public list of candidates, higher is better, and how far one
/// neighbour moves each of them. Selections take nothing else: the sensitivity has one owner.
class Scores {
 public:
  /// Scores that were integers from the start: sums of clipped contributions in grid units. The
  /// caller states that no score moves by more than `sensitivity` between neighbours, and why.
  /// UsageError for an empty list, a sensitivity outside of [1, 2^40], or one_way without
  /// add_remove.
  [[nodiscard]] static Scores integers(std::vector<std::int64_t> values, std::int64_t sensitivity,
                                       Movement movement, privacy::Adjacency adjacency);

  /// Real scores, rounded to multiples of about 2^-20 of the sensitivity, which grows by that much.
  /// Scores beyond 2^40 sensitivities count as that. A NumericError when a score is not a number,
  /// before anything is drawn; a UsageError as above.
  [[nodiscard]] static Scores rounded(std::span<const double> values, double sensitivity,
                                      Movement movement, privacy::Adjacency adjacency);

  /// s_i - s_{i+1} for all neighbours in the list: such differences move any way, whatever the
  /// scores do, by at most the sum of both moves (one move where the scores go one way). A
  /// UsageError for fewer than two candidates.
  [[nodiscard]] Scores differences() const;

  [[nodiscard]] std::int64_t sensitivity() const { return sensitivity_; }
  [[nodiscard]] Movement movement() const { return movement_; }
  [[nodiscard]] privacy::Adjacency adjacency() const { return adjacency_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }
  /// The value of one unit of the scores in the caller's terms.
  [[nodiscard]] double unit() const { return unit_; }

  [[nodiscard]] std::span<const std::int64_t> open(privacy::AccessKey /*key*/) const {
    return values_;
  }

 private:
  Scores(std::vector<std::int64_t> values, std::int64_t sensitivity, double unit, Movement movement,
         privacy::Adjacency adjacency);

  std::vector<std::int64_t> values_;
  std::int64_t sensitivity_;
  double unit_;
  Movement movement_;
  privacy::Adjacency adjacency_;
};

/// What is public about scores in [0, score_bound] of which neighbours move several at once: how
/// far each of them, all together (as a vector), and how many.
struct ScoreBounds {
  std::int64_t population;
  std::int64_t score_bound;
  std::int64_t sensitivity;  ///< no score moves by more
  double l2_sensitivity;     ///< the vector of all moves is no longer
  double range_sensitivity;  ///< no two moves lie further apart
  std::int64_t support;      ///< at most so many scores move
  privacy::Adjacency adjacency;
  friend bool operator==(const ScoreBounds&, const ScoreBounds&) = default;
};

/// How neighbours move scores of which no more is known than what one of them can do.
struct ScoreMoves {
  std::int64_t sensitivity;
  Movement movement;
  privacy::Adjacency adjacency;
};

/// Private integer scores of so many public candidates that only those that are not 0 are held.
/// Which ones are listed is as private as the scores. Otherwise as Scores::integers.
class SparseScores {
 public:
  /// Only the code that clips records (the optimize module) may state bounds; the check of floors
  /// enforces it. Scores are cut to [0, score_bound]. UsageError for bounds out of range:
  /// population, score_bound and sensitivity of at least 1, the others finite and not negative.
  [[nodiscard]] static SparseScores from_certified(privacy::Certified proof,
                                                   const ScoreBounds& bounds,
                                                   std::vector<random::ScoredCandidate> listed,
                                                   privacy::Sample sample = privacy::Sample::all());
  /// `listed` ascends by index and lies in 0..population-1; a UsageError if not.
  [[nodiscard]] static SparseScores integers(std::int64_t population,
                                             std::vector<random::ScoredCandidate> listed,
                                             const ScoreMoves& moves,
                                             privacy::Sample sample = privacy::Sample::all());

  /// Absent where no more than the sensitivity of one score was stated.
  [[nodiscard]] const std::optional<ScoreBounds>& bounds() const { return bounds_; }
  /// The records that they are computed from.
  [[nodiscard]] const privacy::Sample& sample() const { return sample_; }
  [[nodiscard]] std::int64_t population() const { return population_; }
  [[nodiscard]] std::int64_t sensitivity() const { return moves_.sensitivity; }
  [[nodiscard]] Movement movement() const { return moves_.movement; }
  [[nodiscard]] privacy::Adjacency adjacency() const { return moves_.adjacency; }

  [[nodiscard]] std::span<const random::ScoredCandidate> open(privacy::AccessKey /*key*/) const {
    return listed_;
  }

 private:
  SparseScores(std::int64_t population, std::vector<random::ScoredCandidate> listed,
               const ScoreMoves& moves, privacy::Sample sample)
      : population_(population), listed_(std::move(listed)), moves_(moves), sample_(sample) {}

  std::int64_t population_;
  std::vector<random::ScoredCandidate> listed_;
  ScoreMoves moves_;
  privacy::Sample sample_;
  std::optional<ScoreBounds> bounds_;
};

}  // namespace tacet::mechanism
