#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/category_groups.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/model/linear_model.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"

namespace tacet::optimize {
class PartSums;
}

/// How well a model predicts private records, with differential privacy.
///
/// It is one release of the Gaussian mechanism with counts and sums of scores in [0, 1], for each
/// group if groups are asked for. The counts: for two classes a histogram of scores by actual
/// class; for up to max_matrix_classes classes a confusion matrix; for more classes, one count per
/// class; for numbers, the number of records. The scores: for many classes, whether the answer is
/// right; else the loss, capped at a public value. For numbers also the error, its square, the
/// target and its square; for counts and probabilities the target's entropy. From these follow
/// accuracy, sensitivity and the like, mean losses, the mean absolute error, its root mean square,
/// R2, deviance and D2. For two classes also the confusion matrix, the area under the ROC curve,
/// the Brier score and calibration by tenths, with intervals for what the bins leave open. Under
/// add_remove a record moves one count by 1 and each sum of scores, from which one half per record
/// is subtracted, by at most 1/2. The sensitivity is sqrt(5/4), or 3/2 for numbers and sqrt(5/2)
/// for counts and probabilities. Under replace_one and zero_out the number of records is public and
/// stated exactly, and counts have their even share subtracted, which lowers the sensitivity
/// (docs/proofs/evaluation.md). The accountant's exact curve of one Gaussian applies under every
/// adjacency (Balle, Wang 2018). If the data have units, the first record of each unit takes part.
/// The metrics are then about units, and a unit moves the vector no more than a record does
/// otherwise.
namespace tacet::learn {

/// With more classes, the noise of k^2 cells would drown the sums. Then k cells count the classes,
/// and a score counts the right answers.
inline constexpr std::int64_t max_matrix_classes = 10;

struct EvaluationOptions {
  privacy::Epsilon epsilon;  ///< positive and finite
  privacy::Delta delta;      ///< above 0
  privacy::Adjacency adjacency;
  std::optional<double> loss_cap = {};  ///< positive; absent: a public rule chooses it
  std::string privacy_unit = "record";  ///< or the unit column's name
  std::optional<std::int64_t> public_row_count = {};  ///< the number of records, if it is declared
  double threshold = 0;     ///< above this margin the second of two classes is predicted
  std::int64_t groups = 1;  ///< the number of groups with separate figures
  /// Whether records without a target are left out. Their number is then as private as a record, so
  /// the records with a target are counted with noise even if the number of records is public.
  bool targets_may_miss = false;
};

struct EvaluationPlan {
  privacy::Guarantee guarantee;
  privacy::Event event;
  double noise_multiplier;
  int norm_bits;
  /// 2 score_bins() for a histogram, k^2 for a confusion matrix, k for many classes (2, right and
  /// wrong, if there are too many groups for that), 1 for numbers
  std::int64_t cells;
  std::int64_t groups;
  std::int64_t classes;  ///< 0 for numbers
  /// absent for several classes, for which no single loss is measured
  std::optional<double> loss_cap;
  double error_unit;  ///< for numbers: half of the target's range; else 0
  double threshold;
  std::string privacy_unit;
  std::optional<std::int64_t> public_row_count;
  double prg_slack;  ///< the PRG slack, for one word per released number
  bool targets_may_miss = false;
  model::Link link = model::Link::identity;  ///< for numbers; with another link there is a deviance
  /// For two classes, unless there are too many groups: the margins between the histogram's bins
  /// (learn/evaluation_histogram.h).
  std::vector<double> score_edges = {};
  bool probabilities =
      false;  ///< margins are log odds, so predictions are probabilities that can be checked

  [[nodiscard]] bool has_histogram() const { return !score_edges.empty(); }
  [[nodiscard]] std::int64_t score_bins() const { return std::ssize(score_edges) + 1; }
  [[nodiscard]] bool has_matrix() const {
    return has_histogram() || (classes > 0 && cells == classes * classes);
  }
  /// Whether there are many classes: then the records of each are counted, and right answers are a
  /// score.
  [[nodiscard]] bool counts_classes() const {
    return classes > max_matrix_classes && cells == classes;
  }
  [[nodiscard]] bool has_majority() const { return has_matrix() || counts_classes(); }
  /// How many scores a record has: the capped loss, or whether the answer is right; for numbers
  /// those that NumberScore names.
  [[nodiscard]] std::int64_t scores() const {
    if (classes == 0) return has_deviance() ? 6 : 5;
    return loss_cap || counts_classes() ? 1 : 0;
  }
  [[nodiscard]] bool has_deviance() const { return classes == 0 && link != model::Link::identity; }
  /// The cap of one record's deviance.
  [[nodiscard]] double deviance_cap() const { return 4 * error_unit * *loss_cap; }
};

/// Calibrates the noise and chooses the cap before a record is read. For classes, probabilities and
/// counts the cap is four times the loss of a margin of 0; for numbers it is the largest loss
/// between two values in the target's bounds. UsageError or GuaranteeError if the options make no
/// sense.
[[nodiscard]] EvaluationPlan plan_evaluation(const model::LinearModel& model,
                                             const EvaluationOptions& options);

struct NoisyValue {
  double value;
  double noise_stddev;  ///< standard deviation of the privacy noise in it; 0: exact
};

/// A share or a mean; absent if the noise drowns it.
using NoisyRatio = std::optional<NoisyValue>;

/// An interval that contains the exact figure in at least 95 of 100 runs, and an estimate.
struct NoisyInterval {
  double value;
  double noise_stddev;  ///< standard deviation of the privacy noise in the estimate alone
  double lower;
  double upper;
};

/// Records whose predicted probability lies in one tenth of [0, 1].
struct NoisyTenth {
  NoisyValue records;
  NoisyRatio positive;  ///< the share of them that is in the second class
};

/// One class against the rest, as model::class_ratios names the figures.
struct NoisyClass {
  std::int64_t of = 0;
  std::vector<std::pair<std::string, NoisyRatio>> figures;
};

struct NoisyFigures {
  NoisyValue records;              ///< records with a target; exact if their number is public
  NoisyRatio accuracy = {};        ///< for classes
  NoisyRatio majority_share = {};  ///< share of the most frequent class, if each class is counted
  std::optional<NoisyInterval> auc = {};     ///< of two classes
  std::optional<NoisyInterval> brier = {};   ///< of two classes with probabilities
  std::vector<NoisyTenth> calibration = {};  ///< for two classes: ten tenths, or empty
  NoisyRatio mean_loss = {};                 ///< of losses that are capped at the plan's cap
  NoisyRatio r2 = {};                        ///< for numbers; at most 1
  NoisyRatio mae = {};                       ///< for numbers, in the target's units
  NoisyRatio rmse = {};                      ///< likewise
  NoisyRatio deviance = {};                  ///< for counts and probabilities, of capped losses
  NoisyRatio d2 = {};               ///< for the same: relative to the best constant; at most 1
  std::vector<double> matrix = {};  ///< noisy counts by actual class (rows) and predicted class
  double matrix_stddev = 0;         ///< the largest one of its entries' noise
  std::vector<NoisyClass> by_class = {};  ///< for two classes only the second one
};

struct Evaluation {
  NoisyFigures all;
  std::vector<NoisyFigures> groups;  ///< empty if none were asked for
  privacy::Receipt receipt;
};

/// The inputs of an evaluation.
struct EvaluationData {
  const data::Dataset& dataset;
  const model::LinearModel& model;
  /// as many groups as in the plan; null for one group
  const data::CategoryGroups* groups = nullptr;
};

/// The model to evaluate, on records that may lie elsewhere.
struct EvaluatedModel {
  const model::LinearModel& model;
  /// as many groups as in the plan; null for one group
  const data::CategoryGroups* groups = nullptr;
};

/// The event of an evaluation, from the parameters of its receipt, for the adjacency and the unit
/// that the receipt states. DataError if they contradict each other.
[[nodiscard]] privacy::Event recorded_evaluation(const privacy::Receipt& receipt,
                                                 RecordedParameters& parameters,
                                                 const privacy::Event& own);

/// Releases and commits the reservation, which must have been booked for plan.event before the
/// records were read.
[[nodiscard]] Evaluation evaluate(const EvaluationData& data, const EvaluationPlan& plan,
                                  random::Source& source, privacy::Reservation& reservation,
                                  const base::CancelToken* cancel = nullptr);
/// The same figures for records of which only sums are asked (optimize/parts/part_sums.h).
[[nodiscard]] Evaluation evaluate(optimize::PartSums& records, const EvaluatedModel& of,
                                  const EvaluationPlan& plan, random::Source& source,
                                  privacy::Reservation& reservation);

}  // namespace tacet::learn
