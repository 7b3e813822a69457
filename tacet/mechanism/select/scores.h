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

/// Private integer scores of a public list of candidates, higher is better, and a bound of how far
/// one neighbour moves each of them. Selections accept nothing else, so the sensitivity has a
/// single owner.
class Scores {
 public:
  /// Scores that are integers from the start: sums of clipped contributions in grid units. The
  /// caller has to prove that no score moves by more than `sensitivity` between neighbours.
  /// UsageError for an empty list, a sensitivity outside of [1, 2^40], or one_way without
  /// add_remove.
  [[nodiscard]] static Scores integers(std::vector<std::int64_t> values, std::int64_t sensitivity,
                                       Movement movement, privacy::Adjacency adjacency);

  /// Real scores, rounded to multiples of about 2^-20 of the sensitivity, which the rounding
  /// increases by as much. Scores are clamped to 2^40 sensitivities. NumericError if a score is
  /// NaN, before anything is drawn; UsageError as above.
  [[nodiscard]] static Scores rounded(std::span<const double> values, double sensitivity,
                                      Movement movement, privacy::Adjacency adjacency);

  /// s_i - s_{i+1} for all neighbours in the list: Such differences may move up or down, by at most
  /// the sum of both moves (one move if all scores move in the same direction). UsageError for
  /// fewer than two candidates.
  [[nodiscard]] Scores differences() const;

  [[nodiscard]] std::int64_t sensitivity() const { return sensitivity_; }
  [[nodiscard]] Movement movement() const { return movement_; }
  [[nodiscard]] privacy::Adjacency adjacency() const { return adjacency_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }
  /// The value of one unit of the scores, in the caller's units.
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

/// Public facts about scores in [0, score_bound] of which neighbours change several at once: how
/// far each one moves, how far all of them together (as a vector), and how many.
struct ScoreBounds {
  std::int64_t population;
  std::int64_t score_bound;
  std::int64_t sensitivity;  ///< no score moves by more
  double l2_sensitivity;     ///< largest L2 norm of the vector of all moves
  double range_sensitivity;  ///< largest difference between two moves
  std::int64_t support;      ///< largest number of scores that move
  privacy::Adjacency adjacency;
  friend bool operator==(const ScoreBounds&, const ScoreBounds&) = default;
};

/// How neighbours move scores if only the sensitivity of a single score is known.
struct ScoreMoves {
  std::int64_t sensitivity;
  Movement movement;
  privacy::Adjacency adjacency;
};

/// Private integer scores of very many public candidates. Only scores other than 0 are stored.
/// Which ones are listed is as private as the scores. Otherwise as Scores::integers.
class SparseScores {
 public:
  /// Only the code that clips records (the optimize module) may call this; scripts/check_floors
  /// enforces it. Scores are clamped to [0, score_bound]. UsageError unless population, score_bound
  /// and sensitivity are at least 1, and the other bounds finite and not negative.
  [[nodiscard]] static SparseScores from_certified(privacy::Certified proof,
                                                   const ScoreBounds& bounds,
                                                   std::vector<random::ScoredCandidate> listed,
                                                   privacy::Sample sample = privacy::Sample::all());
  /// `listed` ascends by index and lies in 0..population-1; a UsageError if not.
  [[nodiscard]] static SparseScores integers(std::int64_t population,
                                             std::vector<random::ScoredCandidate> listed,
                                             const ScoreMoves& moves,
                                             privacy::Sample sample = privacy::Sample::all());

  /// Absent if only the sensitivity of a single score was stated.
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
