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
/// One release of the Gaussian mechanism: of two classes a histogram of scores by actual class, of
/// more the counts of a confusion matrix (of at most max_matrix_classes classes; of each class
/// beyond, of records for numbers), and sums of scores in [0, 1]: beyond that many classes whether
/// the answer is right, else the loss capped at a public value, and for numbers the error, its
/// square, the target and its square, for counts and probabilities its entropy; by group where
/// groups are asked for. Accuracy, sensitivity and the like, mean losses, the mean absolute error,
/// its root mean square, R2, deviance and D2 are made of these; of two
/// classes also the confusion matrix, the area under the ROC curve, the Brier score and calibration
/// by tenths, with intervals for what the bins leave open. Under add_remove a record moves one
/// count by 1 and each sum of scores, told around one half, by at most 1/2: sqrt(5/4) in all, 3/2
/// for numbers, sqrt(5/2) for counts and probabilities. Under replace_one and zero_out the number
/// of records is public and stated exactly, and counts are told around the middle of all that are
/// possible, which makes a record shorter (docs/proofs/evaluation.md). The accountant's exact curve
/// of one Gaussian applies under every adjacency (Balle, Wang 2018). Where the data carry units,
/// the first record of each takes part and stands for it: metrics are about units, and a unit moves
/// the vector no more than a record does elsewhere.
namespace tacet::learn {

/// Beyond these the noise of k^2 cells would drown what their sums have to say: there k cells count
/// the classes, and a score the right answers.
inline constexpr std::int64_t max_matrix_classes = 10;

struct EvaluationOptions {
  privacy::Epsilon epsilon;  ///< positive and finite
  privacy::Delta delta;      ///< above 0
  privacy::Adjacency adjacency;
  std::optional<double> loss_cap = {};  ///< positive; a public rule chooses when absent
  std::string privacy_unit = "record";  ///< or the unit column's name
  std::optional<std::int64_t> public_row_count = {};  ///< of the records, where it is declared
  double threshold = 0;     ///< margins above it predict the second of two classes
  std::int64_t groups = 1;  ///< how many groups of records are told apart
  /// Whether records without a target are left out: their number then is as private as a record,
  /// and what has a target is counted with noise, also where the number of records is public.
  bool targets_may_miss = false;
};

struct EvaluationPlan {
  privacy::Guarantee guarantee;
  privacy::Event event;
  double noise_multiplier;
  int norm_bits;
  /// 2 score_bins() of a histogram, k^2 of a confusion matrix, k of many classes (2, for wrong and
  /// right, where there are too many groups of them), 1 for numbers
  std::int64_t cells;
  std::int64_t groups;
  std::int64_t classes;            ///< 0 for numbers
  std::optional<double> loss_cap;  ///< absent for several classes, which have no single loss
  double error_unit;               ///< of numbers: half of the target's range; else 0
  double threshold;
  std::string privacy_unit;
  std::optional<std::int64_t> public_row_count;
  double prg_slack;  ///< the PRG slack, a word a released number
  bool targets_may_miss = false;
  model::Link link = model::Link::identity;  ///< of numbers; another one has a deviance
  /// For two classes, unless there are too many groups: the margins between the bins of the
  /// histogram (learn/evaluation_histogram.h).
  std::vector<double> score_edges = {};
  bool probabilities =
      false;  ///< margins are log odds: what is predicted can be compared with them

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
  /// What one record's deviance counts as at most.
  [[nodiscard]] double deviance_cap() const { return 4 * error_unit * *loss_cap; }
};

/// Resolves noise and cap before a record is read. For classes the cap is four times the loss of a
/// margin of 0, and so for probabilities and counts; for numbers it is the largest loss between two
/// values in the target's bounds.
/// UsageError or GuaranteeError when the options make no sense.
[[nodiscard]] EvaluationPlan plan_evaluation(const model::LinearModel& model,
                                             const EvaluationOptions& options);

struct NoisyValue {
  double value;
  double noise_stddev;  ///< standard deviation of the privacy noise in it; 0: exact
};

/// A share or a mean; absent where the noise drowns it.
using NoisyRatio = std::optional<NoisyValue>;

/// What holds the exact figure in at least 95 of 100 runs, beside an estimate.
struct NoisyInterval {
  double value;
  double noise_stddev;  ///< standard deviation of the privacy noise in the estimate alone
  double lower;
  double upper;
};

/// Records whose predicted probability lies in one tenth.
struct NoisyTenth {
  NoisyValue records;
  NoisyRatio positive;  ///< the share of them that belongs to the second class
};

/// One class against the rest, as model::class_ratios names the figures.
struct NoisyClass {
  std::int64_t of = 0;
  std::vector<std::pair<std::string, NoisyRatio>> figures;
};

struct NoisyFigures {
  NoisyValue records;              ///< that have a target; exact where their number is public
  NoisyRatio accuracy = {};        ///< for classes
  NoisyRatio majority_share = {};  ///< of the class with most records, where each is counted
  std::optional<NoisyInterval> auc = {};     ///< of two classes
  std::optional<NoisyInterval> brier = {};   ///< of two classes with probabilities
  std::vector<NoisyTenth> calibration = {};  ///< likewise: ten, or none
  NoisyRatio mean_loss = {};                 ///< of losses capped at the plan's cap
  NoisyRatio r2 = {};                        ///< for numbers; at most 1
  NoisyRatio mae = {};                       ///< for numbers, in the target's units
  NoisyRatio rmse = {};                      ///< likewise
  NoisyRatio deviance = {};                  ///< for counts and probabilities, of capped losses
  NoisyRatio d2 = {};                        ///< likewise, beside the best constant's; at most 1
  std::vector<double> matrix = {};  ///< noisy counts by actual and predicted class, row by row
  double matrix_stddev = 0;         ///< of the noise in each of them, at most
  std::vector<NoisyClass> by_class = {};  ///< of two classes the second one alone
};

struct Evaluation {
  NoisyFigures all;
  std::vector<NoisyFigures> groups;  ///< empty where none were asked for
  privacy::Receipt receipt;
};

/// What an evaluation reads.
struct EvaluationData {
  const data::Dataset& dataset;
  const model::LinearModel& model;
  const data::CategoryGroups* groups = nullptr;  ///< as many as the plan's, or none for one
};

/// The model that is evaluated on records wherever they lie.
struct EvaluatedModel {
  const model::LinearModel& model;
  const data::CategoryGroups* groups = nullptr;  ///< as many as the plan's, or none for one
};

/// What an evaluation released by the parameters of its receipt, for the adjacency and the unit
/// that the receipt states. DataError where they contradict each other.
[[nodiscard]] privacy::Event recorded_evaluation(const privacy::Receipt& receipt,
                                                 RecordedParameters& parameters,
                                                 const privacy::Event& own);

/// Releases and commits the reservation, which must have been booked for plan.event before the
/// records were read.
[[nodiscard]] Evaluation evaluate(const EvaluationData& data, const EvaluationPlan& plan,
                                  random::Source& source, privacy::Reservation& reservation,
                                  const base::CancelToken* cancel = nullptr);
/// The same figures of records that nothing but sums is asked of (optimize/parts/part_sums.h).
[[nodiscard]] Evaluation evaluate(optimize::PartSums& records, const EvaluatedModel& of,
                                  const EvaluationPlan& plan, random::Source& source,
                                  privacy::Reservation& reservation);

}  // namespace tacet::learn
