#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tacet/learn/plan/calibration.h"

/// Schedules of localised private minimisation: a chain of regularised problems. Each is centred at
/// the noisy answer of the last one, and has less noise. All of it is chosen from public facts.
///
/// Phase t minimises the mean loss over its records plus (l2 / 2) |w - centre|^2. Its exact
/// minimiser moves by at most `gradient_diameter / (m l2)` when one of its m records is exchanged
/// (Shalev-Shwartz et al. 2009; here with the diameter, which is at most twice the Lipschitz
/// constant). Noise with a scale proportional to that protects it.
namespace tacet::learn {

struct LocalPhase {
  std::int64_t first = 0;  ///< reads records first, ..., last - 1 of the file
  std::int64_t last = 0;
  double mean_l2 = 1;  ///< weight of |w - centre|^2 / 2, added to the mean loss
  /// of a ball around the centre, in the paper's version
  double radius = std::numeric_limits<double>::infinity();
  double sensitivity = 0;  ///< L2, of the exact minimiser
  /// The size of the noise. If delta is 0: the scale b of the density exp(-|z| / b), or of Laplace
  /// noise on each coordinate. Otherwise: the standard deviation per coordinate.
  double noise = 0;
  /// The part of the budget that this phase pays, if all phases read the same records: of epsilon
  /// if delta is 0, otherwise of the squared inverse noise multiplier. All parts add up to 1.
  double budget = 1;

  [[nodiscard]] std::int64_t records() const { return last - first; }
};

struct LocalFacts {
  std::int64_t rows = 0;  ///< public
  std::int64_t columns = 0;
  double lipschitz = 1;  ///< L: of each record's loss in w
  /// largest distance between the gradients of two records; L under zero_out
  double gradient_diameter = 2;
  double diameter = 1;  ///< D: of the domain
  double epsilon = 1;
  double delta = 0;  ///< 0: pure

  [[nodiscard]] bool pure() const { return delta == 0; }
  /// d / epsilon or sqrt(d) sigma(epsilon, delta): the norm of the noise of a release with
  /// sensitivity 1.
  [[nodiscard]] double noise_unit() const;
};

/// Whether each phase reads all records, and pays for that by composition, or a block of its own.
enum class RecordUse { reuse, disjoint };

struct LadderOptions {
  double ratio = 3;       ///< c: factor on the regularisation from phase to phase, above 1
  double min_growth = 2;  ///< the chain is long enough for growth exponents from this one up
  double population = 1;  ///< b: weight of the generalisation term L / sqrt(n)
  RecordUse use = RecordUse::reuse;
  std::optional<std::int64_t> phases;
  /// If records are reused: the share of the budget that falls by 0.7 from phase to phase; the rest
  /// is divided equally. The first phases matter most if records are few, and no phase gets less
  /// than 1 - front of an equal part. In [0, 1).
  double front = 0.5;
  double solver_share = 0;  ///< r: the solver ends within r * sensitivity / 2 of the minimiser
};

/// The ladder: T phases over all records (or T blocks) whose regularisation grows by `ratio`. It
/// reaches the rate of each growth exponent from `min_growth` on without knowing it
/// (docs/proofs/ladder.md).
[[nodiscard]] std::vector<LocalPhase> ladder_schedule(const LocalFacts& facts,
                                                      const LadderOptions& options = {});

/// Asi, Levy, Duchi 2021, algorithm 1, as printed: ceil(ln n) blocks, steps falling by 16, the
/// paper's noise. `first` is the first record's index in the file.
[[nodiscard]] std::vector<LocalPhase> localized_paper_schedule(const LocalFacts& facts,
                                                               std::int64_t first = 0);
/// The same algorithm with the proved sensitivity and its noise, and with only as many phases as
/// needed to lower the noise below the sampling error.
[[nodiscard]] std::vector<LocalPhase> localized_schedule(const LocalFacts& facts);

/// Asi, Levy, Duchi 2021, algorithm 2: epochs of algorithm 1 on balls that halve, for growth
/// exponents of at least `min_growth`, which is above 1. The inner vectors are the epochs.
struct Epoch {
  double radius;  ///< of the ball around the first centre of the epoch
  std::vector<LocalPhase> phases;
};
[[nodiscard]] std::vector<Epoch> growth_paper_schedule(const LocalFacts& facts, double min_growth);
/// Epochs of two phases over all records on balls that shrink by four.
[[nodiscard]] std::vector<Epoch> growth_schedule(const LocalFacts& facts, double min_growth);

/// How far all phases together can move, relative to the diameter of the domain: each moves at most
/// L / l2. Below 1 the chain cannot reach an optimum on the other side, whatever the data are.
[[nodiscard]] double travel(const LocalFacts& facts, const std::vector<LocalPhase>& phases);

/// Feldman, Koren, Talwar 2020, phased minimisation: blocks that halve, steps that fall by 4.
[[nodiscard]] std::vector<LocalPhase> phased_erm_schedule(const LocalFacts& facts,
                                                          Calibration calibration);

}  // namespace tacet::learn
