#pragma once

#include <cstdint>
#include <optional>

#include "tacet/base/names.h"
#include "tacet/data/dataset.h"
#include "tacet/model/linear_model.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/bounded_sum.h"

/// How well a model predicts records, as what a private choice goes by: a number of each record in
/// [0, 1], 1 being best, of the model as it is shipped (predictions of numbers are clipped to the
/// target's bounds, as `predict` does).
namespace tacet::choose {

enum class Score {
  accuracy,  ///< 1 for the right class
  loss       ///< 1 less the loss over a public cap
};
inline constexpr auto score_names =
    base::names<Score>({{Score::accuracy, "accuracy"}, {Score::loss, "loss"}});

struct ScoreRule {
  Score score = Score::accuracy;
  double cap = 1;  ///< of the loss, above 0
  /// Margins of classes are clipped to so much for their loss.
  double margin_clip = numeric::infinity;
  bool as_shipped = true;  ///< false: predictions of numbers are not clipped to the bounds either
};

/// accuracy for classes, loss for numbers; UsageError for the accuracy of numbers and for a loss of
/// several classes, which have no single one. The cap is that of `tacet evaluate`: four times the
/// loss of a margin of 0, or the largest loss between two numbers in the target's bounds.
[[nodiscard]] ScoreRule score_rule(const model::LinearModel& model, std::optional<Score> wanted);

/// The same where models of several radii are compared, so that all have one cap: the loss of
/// margins of classes clipped to 4. Several classes go by accuracy.
[[nodiscard]] ScoreRule common_rule(const model::LinearModel& model);

/// Scores one record; 0 if it has no target. A model with a coefficient that is not a number scores
/// 0. One object serves one thread at a time.
class Scorer {
 public:
  Scorer(const model::LinearModel& model, const data::Dataset& records, ScoreRule rule);
  [[nodiscard]] double of(std::int64_t row);
  /// Calls add(score) for each record, or for the first record of each unit.
  template <typename Add>
  void each(Add add) {
    for (std::int64_t row = 0; row < records_.rows(); ++row) {
      if (counts(row)) add(of(row));
    }
  }

 private:
  [[nodiscard]] bool counts(std::int64_t row);

  const model::LinearModel& model_;
  const data::Dataset& records_;
  ScoreRule rule_;
  std::vector<double> margins_;
  std::int64_t units_seen_ = 0;
};

/// The sum of scores with the bound of one record: 1 under add_remove and zero_out, and around one
/// half under replace_one, where a record more on one side is a record less on the other, so that
/// neighbours differ by 1 again.
[[nodiscard]] privacy::BoundedSum score_sum(const model::LinearModel& model,
                                            const data::Dataset& records, ScoreRule rule,
                                            privacy::Adjacency adjacency, int norm_bits);

/// How many scores that is: a record's, or a unit's, each.
[[nodiscard]] std::int64_t scored_count(const data::Dataset& records);

/// The sum in units of 2^-30, for selections: each record counts in whole units, one neighbour
/// moves it by at most 2^30.
inline constexpr std::int64_t score_units = std::int64_t{1} << 30;
[[nodiscard]] std::int64_t unit_sum(const model::LinearModel& model, const data::Dataset& records,
                                    ScoreRule rule);

/// Whether every coefficient is a number.
[[nodiscard]] bool is_finite(const model::LinearModel& model);

}  // namespace tacet::choose
