#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

/// What a model with curves says about one number at a time, and about pairs. Its single weights
/// have no meaning, since each curve depends on all columns. Everything is computed from released
/// numbers, in the target's units, before predictions are clipped to the target's bounds.
namespace tacet::model {

struct EffectPoint {
  double at;          ///< the number; for a category its index
  std::string value;  ///< either as text
  double prediction;
};

/// Predictions along one column while the others are held: numbers at their released means, and
/// columns of categories at no category.
struct CurveEffect {
  std::string column;
  bool number = false;
  bool date = false;
  std::vector<EffectPoint> points{};
  double spread = 0;  ///< largest prediction less the smallest
  double share = 0;   ///< share of the variance due to this column alone
};

/// The joint effect of two columns beyond their own effects.
struct PairEffect {
  std::string first{};
  std::string second{};
  double share = 0;                    ///< of the variance
  std::vector<std::string> rows{};     ///< values of the first
  std::vector<std::string> columns{};  ///< values of the second
  std::vector<double> beyond{};        ///< row by row
  double together = 0;                 ///< the joint effect that is farthest from 0
};

/// Shares refer to the variance of predictions for simulated records whose columns are independent
/// (normal numbers by the released means and standard deviations, all categories equally often).
/// They come from 8,192 such records with a fixed seed, and are right to about a hundredth.
struct CurveEffects {
  double at_means = 0;                 ///< the prediction there
  std::vector<CurveEffect> columns{};  ///< in the order of the schema
  std::vector<PairEffect> pairs{};     ///< the largest shares first
  /// The share due to neither single columns nor these pairs: other pairs, and three and more
  /// columns together.
  double rest = 0;
};

/// The places along each number are its bounds, and `steps` places per standard deviation between
/// them. `pairs` is the largest number of pairs. The schema must be the model's own and have
/// curves.
[[nodiscard]] CurveEffects curve_effects(const data::Schema& schema, const LinearModel& model,
                                         int steps, std::size_t pairs);

/// Splits one record's prediction: the contribution of each column's value alone, relative to the
/// prediction at the means, and what all of them together add to the sum of these.
class RecordEffects {
 public:
  RecordEffects(const data::Schema& schema, const LinearModel& model);

  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] double at_means() const { return at_means_; }
  /// In the order of columns(), followed by the joint part. `features` use the columns' standards.
  [[nodiscard]] std::vector<double> of(const data::PlainFeatures& features) const;

 private:
  const data::Schema& schema_;
  const LinearModel& model_;
  data::CurveRows rows_;
  double at_means_;
};

}  // namespace tacet::model
