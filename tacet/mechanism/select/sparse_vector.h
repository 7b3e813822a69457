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

/// What is held against the threshold.
enum class Compared {
  query,     ///< the query itself
  magnitude  ///< its distance from 0, which moves by no more; it may move either way, whatever the
             ///< queries do, and released values keep the query's sign
};

/// The sparse vector technique: which of many queries reach a threshold, paid for by the few that
/// do. All of it public.
struct SparseVectorOptions {
  SparseVectorForm form = SparseVectorForm::single_threshold;
  Compared compared = Compared::query;
  double threshold = 0;                ///< in the caller's units of the queries
  std::int64_t max_positives = 1;      ///< the run ends there
  privacy::Epsilon selection_epsilon;  ///< for the whole run
  /// For noisy values of the positives, with fresh noise; absent: none are released.
  std::optional<privacy::Epsilon> value_epsilon;
  /// The share of the selection's epsilon, between 0 and 1, that the threshold's noise gets; 0: the
  /// share that makes the noise of comparisons least.
  double threshold_share = 0;
};

/// Algorithm 1 of Zhang, Mironov and Hejazinia (2021) by the scales of its Lemma 4, stated for
/// (epsilon, delta): 95 % of epsilon for the selection, thresholds redrawn, half of a stretch's
/// cost for the threshold, released values with fresh noise. The statement is true for epsilon up
/// to min(2.3 ln(2/delta), sqrt(8 c ln(2/delta))) and loose: sparse_vector_event says what the run
/// costs. Its accuracy is not what the paper states (docs/proofs/wide.md, section 6). UsageError
/// for delta 0.
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

/// What a run costs. single_threshold: pure selection_epsilon (+ value_epsilon).
/// redrawn_threshold: max_positives times the pure epsilon of one stretch (and of one value),
/// which composes better than the sum.
[[nodiscard]] privacy::Event sparse_vector_event(const SparseVectorOptions& options,
                                                 privacy::Adjacency adjacency);

/// Answers queries (their scores and sensitivity) in order by query + noise >= threshold + noise
/// until max_positives were found. Noise is discrete Laplace on the queries' grid: with D the
/// sensitivity, e1 and e2 the shares of the threshold and of the queries and c = max_positives,
/// scale D/e1 on the threshold and 2cD/e2 on each query (single_threshold; shares 1 : (2c)^(2/3)),
/// or 2D/e2 for each of c stretches with epsilon/c (redrawn_threshold); half of the query noise
/// where queries move one way (shares 1 : c^(2/3)).
///
/// The variants known to be broken cannot be asked for: every query has noise of its own, which is
/// never shown; noise grows with c unless the threshold is drawn again; positives are bounded.
///
/// Debits `reservation` by sparse_vector_event before a random bit is drawn. A UsageError for a
/// threshold that is not finite or max_positives < 1.
[[nodiscard]] privacy::Released<SparseVectorAnswer> release_sparse_vector(
    const Scores& queries, const SparseVectorOptions& options, const ReleaseContext& context);

/// The same over very many queries, of which those not listed are 0: the same law, and no work for
/// them (geometric gaps of the very law that the others' noise has). Thresholds in units of the
/// scores.
/// Under the queries' sample, where they are of one.
[[nodiscard]] privacy::Released<SparseVectorAnswer> release_sparse_vector(
    const SparseScores& queries, const SparseVectorOptions& options, const ReleaseContext& context);

/// One of several releases from one sample: takes sparse_vector_event out of the permit.
[[nodiscard]] privacy::Released<SparseVectorAnswer> release_sparse_vector(
    const SparseScores& queries, const SparseVectorOptions& options, const PermitContext& context);

/// What is public about the queries of an interactive run.
struct QueryKind {
  double sensitivity;  ///< no query moves by more between neighbours
  Movement movement;   ///< how a neighbour moves the queries of one run together
  privacy::Adjacency adjacency;
};

/// The sparse vector technique as a conversation: queries come one by one, and each may depend on
/// all answers before. The whole run is paid for when it begins; answers cost nothing more. Not for
/// several threads at once.
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
    std::optional<double> value;  ///< of positive answers, where values are released
  };
  /// Answers one query. A NumericError when it is not a number, before anything is drawn. A
  /// BudgetError once max_positives queries were answered positively: nothing is left.
  [[nodiscard]] privacy::Released<Answer> ask(const privacy::Private<double>& query);

  [[nodiscard]] bool ended() const;
  /// What the run costs, however many queries it answers.
  [[nodiscard]] const privacy::Event& event() const { return event_; }

 private:
  struct Run;
  QueryKind kind_;
  privacy::Event event_;
  std::unique_ptr<Run> run_;
};

}  // namespace tacet::mechanism
