#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tacet/base/progress.h"
#include "tacet/data/dataset.h"
#include "tacet/model/linear_model.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"

/// How well a model predicts private records, with differential privacy.
///
/// One release of the Gaussian mechanism: the number of right answers (for classes), and the sum of
/// the losses capped at a public value; accuracy and mean loss are their ratios to the number of
/// records. Under add_remove that number is secret and released with them: a record moves a vector
/// in [0, 1]^3 by at most sqrt(3). Under replace_one and zero_out it is public and stated exactly,
/// and both sums are taken around one half a record, so that a record's vector is no longer than
/// sqrt(2) / 2 (docs/proofs/evaluation.md). The accountant's exact curve of one Gaussian applies
/// under every adjacency (Balle, Wang 2018). Where
/// the data carry units, the first record of each takes part and stands for it: metrics are about
/// units, and a unit moves the vector no more than a record does elsewhere.
namespace tacet::learn {

struct EvaluationOptions {
  privacy::Epsilon epsilon;  ///< positive and finite
  privacy::Delta delta;      ///< above 0
  privacy::Adjacency adjacency;
  std::optional<double> loss_cap = {};  ///< positive; a public rule chooses when absent
  std::string privacy_unit = "record";  ///< or the unit column's name
  std::optional<std::int64_t> public_row_count = {};  ///< of the records, where it is declared
};

struct EvaluationPlan {
  privacy::Guarantee guarantee;
  privacy::Event event;
  double noise_multiplier;
  int norm_bits;
  bool counts_hits;                ///< classes: how many predictions are right
  std::optional<double> loss_cap;  ///< absent for several classes, which have no single loss
  std::string privacy_unit;
  std::optional<std::int64_t> public_row_count;
  double cipher_delta;  ///< the cipher's term, a word a released number
};

/// Settles noise and cap before a record is read. For classes the cap is four times the loss of a
/// margin of 0; for numbers it is the largest loss between two values in the target's bounds.
/// UsageError or GuaranteeError when the options make no sense.
[[nodiscard]] EvaluationPlan plan_evaluation(const model::LinearModel& model,
                                             const EvaluationOptions& options);

struct NoisyValue {
  double value;
  double noise_deviation;  ///< standard deviation of the privacy noise in it; 0: exact
};

struct Evaluation {
  NoisyValue records;                   ///< exact where their number is public
  std::optional<NoisyValue> accuracy;   ///< absent when the noise drowns the count, or for numbers
  std::optional<NoisyValue> mean_loss;  ///< of losses capped at the plan's cap; likewise
  privacy::Receipt receipt;
};

/// Releases and commits the reservation, which must have been booked for plan.event before the
/// records were read.
[[nodiscard]] Evaluation evaluate(const data::Dataset& dataset, const model::LinearModel& model,
                                  const EvaluationPlan& plan, random::Source& source,
                                  privacy::Reservation& reservation,
                                  const base::CancelToken* cancel = nullptr);

}  // namespace tacet::learn
