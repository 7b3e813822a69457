#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// How the threshold is hidden.
enum class SparseVectorForm {
  single_threshold,   ///< one noisy threshold for all; query noise grows with the number of
                      ///< positives (Lyu, Su, Li 2017, algorithm 1)
  redrawn_threshold,  ///< a fresh noisy threshold after each positive; each stretch is a run of its
                      ///< own (Dwork, Roth 2014)
};

/// The quantity that is compared with the threshold.
enum class Compared {
  query,     ///< the query itself
  magnitude  ///< its distance from 0, which moves by no more; it may move either way, whatever the
             ///< queries do, and released values keep the query's sign
};

/// The sparse vector technique finds which of many queries reach a threshold; only the few that do
/// cost privacy. All options are public.
struct SparseVectorOptions {
  SparseVectorForm form = SparseVectorForm::single_threshold;
  Compared compared = Compared::query;
  double threshold = 0;                ///< in the caller's units
  std::int64_t max_positives = 1;      ///< the run ends there
  privacy::Epsilon selection_epsilon;  ///< for the whole run
  /// The budget of noisy values of the positives, with fresh noise; absent: none are released.
  std::optional<privacy::Epsilon> value_epsilon;
  /// The share of the selection's epsilon for the noise on the threshold, in (0, 1); 0: the share
  /// that minimises the noise of comparisons.
  double threshold_share = 0;
};

/// Algorithm 1 of Zhang, Mironov and Hejazinia (2021) by the scales of its Lemma 4, stated for
/// (epsilon, delta): 95 % of epsilon for the selection, thresholds redrawn, half of a stretch's
/// cost for the threshold, released values with fresh noise. The claim is true for epsilon up to
/// min(2.3 ln(2/delta), sqrt(8 c ln(2/delta))), but loose: sparse_vector_event has the cost of the
/// run. Its accuracy is not what the paper states (docs/proofs/wide.md, section 6). UsageError for
/// delta 0.
[[nodiscard]] SparseVectorOptions zhang2021_sparse_vector(std::int64_t max_positives,
                                                          double threshold,
                                                          const privacy::Guarantee& stated);

struct SparseVectorAnswer {
  struct Positive {
    std::int64_t index;
    std::optional<double> value;  ///< in the caller's units
  };
  std::vector<Positive> positives;  ///< in the order of the queries
};

/// The event of a run. single_threshold: pure selection_epsilon (+ value_epsilon).
/// redrawn_threshold: max_positives times the pure epsilon of one stretch (and of one value), which
/// composes better than the sum.
[[nodiscard]] privacy::Event sparse_vector_event(const SparseVectorOptions& options,
                                                 privacy::Adjacency adjacency);

/// Answers queries (their scores and sensitivity) in order by query + noise >= threshold + noise
/// until max_positives were found. The noise is discrete Laplace on the queries' grid. Let D be the
/// sensitivity, e1 and e2 the epsilon of the threshold and of the queries, and c = max_positives.
/// With single_threshold the scale is D/e1 on the threshold and 2cD/e2 on each query (e1 : e2 = 1 :
/// (2c)^(2/3)). With redrawn_threshold it is 2D/e2 on each query, for each of c stretches with
/// epsilon/c. If all queries move in the same direction, query noise is half of that (e1 : e2 = 1 :
/// c^(2/3)).
///
/// The variants that are known to be broken are not available: every query has its own noise, which
/// is never released; noise grows with c unless the threshold is drawn again; the number of
/// positives is bounded.
///
/// Debits `reservation` by sparse_vector_event before a random bit is drawn. A UsageError for a
/// threshold that is not finite or max_positives < 1.
[[nodiscard]] privacy::Released<SparseVectorAnswer> release_sparse_vector(
    const Scores& queries, const SparseVectorOptions& options, const ReleaseContext& context);

/// The same law over very many queries, of which the unlisted ones are 0 and cost no time: the gaps
/// between their positives are geometric with the exact probability. Thresholds are in units of the
/// scores. Under the sample of the queries, if they have one.
[[nodiscard]] privacy::Released<SparseVectorAnswer> release_sparse_vector(
    const SparseScores& queries, const SparseVectorOptions& options, const ReleaseContext& context);

/// One of several releases from one sample: takes sparse_vector_event out of the permit.
[[nodiscard]] privacy::Released<SparseVectorAnswer> release_sparse_vector(
    const SparseScores& queries, const SparseVectorOptions& options, const PermitContext& context);

/// Public facts about the queries of an interactive run.
struct QueryKind {
  double sensitivity;  ///< largest change of a query between neighbours
  Movement movement;   ///< how a neighbour moves the queries of a run together
  privacy::Adjacency adjacency;
};

/// The sparse vector technique for queries that come one by one. Each may depend on all earlier
/// answers. The whole run is paid for when it begins; answers cost nothing more. Not for several
/// threads at once.
class InteractiveSparseVector {
 public:
  /// Debits `reservation` by sparse_vector_event before a random bit is drawn. Errors as
  /// release_sparse_vector and Scores::rounded. The source must outlive the run.
  InteractiveSparseVector(const SparseVectorOptions& options, const QueryKind& kind,
                          const ReleaseContext& context);
  InteractiveSparseVector(const InteractiveSparseVector&) = delete;
  InteractiveSparseVector& operator=(const InteractiveSparseVector&) = delete;
  ~InteractiveSparseVector();

  struct Answer {
    bool above;
    std::optional<double> value;  ///< of positive answers, if values are released
  };
  /// Answers one query. NumericError if it is NaN, before anything is drawn. BudgetError once
  /// max_positives queries were answered positively.
  [[nodiscard]] privacy::Released<Answer> ask(const privacy::Private<double>& query);

  [[nodiscard]] bool ended() const;
  /// The event of the run, however many queries it answers.
  [[nodiscard]] const privacy::Event& event() const { return event_; }

 private:
  struct Run;
  QueryKind kind_;
  privacy::Event event_;
  std::unique_ptr<Run> run_;
};

}  // namespace tacet::mechanism
