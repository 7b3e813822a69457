#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacet/audit/evidence.h"
#include "tacet/base/progress.h"
#include "tacet/base/threads.h"

/// Attacks that know nothing of a release but what it shows: it is run very often on two
/// neighbouring data sets, and how well its outcomes tell them apart is compared with what is
/// claimed. A bound above the claim refutes it; a bound below it proves nothing.
namespace tacet::audit {

/// How the outcomes of one run are looked at.
enum class Statistic {
  ratio,     ///< a number that rises with the likelihood ratio of both laws: cuts
  cells,     ///< one of few outcomes: each of them, with Bonferroni
  direction  ///< several numbers: along the direction in which pilot runs differ most, then cuts
};
[[nodiscard]] std::string to_string(Statistic statistic);

/// What is attacked: a release on two neighbouring data sets.
struct Subject {
  std::string pair;  ///< the neighbours, in words
  Statistic statistic = Statistic::ratio;
  /// The release costs what Gaussian noise does, so that what any test shows of it converts to a mu
  /// (Dong, Roth, Su 2019). Not for samples, whose curve is another.
  bool gaussian = false;
  privacy::Guarantee claim;  ///< its epsilon is an upper end of the accountant
  /// What the release costs, for its trade-off curve; nothing where only the claim is stated.
  std::optional<privacy::Event> event = {};
  std::size_t width = 1;  ///< numbers that a run shows
  /// Fills `out` with what independent runs show, `width` numbers each. All randomness comes from
  /// `seed`; several threads call it at once.
  std::function<void(bool other, std::uint64_t seed, std::span<double> out)> draw;
};

struct AuditOptions {
  std::int64_t trials = 100000;  ///< runs on each data set
  double confidence = 1 - 1e-6;  ///< of the bound
  std::uint64_t seed = 0;        ///< one seed, one result, on any number of threads
  std::int64_t block = 1000;     ///< runs that share a seed
};

/// What an audit found.
struct Finding {
  double epsilon_at_least = 0;             ///< at the claim's delta
  std::optional<double> mu_at_least = {};  ///< of Gaussian releases
  double p_value = 1;                      ///< of the claim
  bool refuted = false;                    ///< at the confidence asked for
  bool below_curve = false;                ///< refuted by the event's trade-off curve
  std::int64_t trials = 0;                 ///< on each data set, the pilot runs included
  double confidence = 0;
  std::string how;  ///< the statistic, in words
  struct Point {
    double alarms;  ///< share of runs on the first data set that a cut takes for the second
    double misses;
    friend bool operator==(const Point&, const Point&) = default;
  };
  std::vector<Point> points;  ///< measured, of cuts over the whole range
};

/// The bounds of the number of runs. With fewer, the pilot runs choose nothing. With more, what
/// they show would not fit into memory.
constexpr std::int64_t min_trials = 100;
constexpr std::int64_t max_trials = 1000000000;

/// The largest epsilon that `trials` runs can refute at this level: with an event that is always
/// seen on one data set and never on the other.
[[nodiscard]] double max_refutable(std::int64_t trials, double delta, double level);

/// Runs the attack. A tenth of the runs, the pilot, choose cuts and directions; the others alone
/// are counted, so that bounds are exact. They also choose whether both directions are two
/// statements or one. For the curve, equal outcomes at a cut may be split by Bernoulli draws.
/// UsageError for a confidence that is none and for so few trials that no outcome could refute the
/// claim.
[[nodiscard]] Finding audit(const Subject& subject, const AuditOptions& options,
                            base::ThreadPool& threads, const base::Supervision& supervision = {});

}  // namespace tacet::audit
