#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

/// What a model with curves says of one number at a time, and of two. Its weights have no meaning
/// one by one: each curve is made of all columns. Everything is computed from what was released, in
/// the target's units, before predictions are cut to its bounds.
namespace tacet::model {

struct EffectPoint {
  double at;          ///< the number; of a category its place
  std::string value;  ///< either as text
  double prediction;
};

/// Predictions along one column, the others held: numbers at their released means, columns of
/// categories at none of them.
struct CurveEffect {
  std::string column;
  bool number = false;
  bool date = false;
  std::vector<EffectPoint> points{};
  double spread = 0;  ///< largest prediction less the smallest
  double share = 0;   ///< of the variance that this column alone makes
};

/// What two columns do together beyond what each does alone.
struct PairEffect {
  std::string first{};
  std::string second{};
  double share = 0;                    ///< of the variance
  std::vector<std::string> rows{};     ///< values of the first
  std::vector<std::string> columns{};  ///< values of the second
  std::vector<double> beyond{};        ///< row by row
  double together = 0;                 ///< the one of them that is farthest from 0
};

/// Shares are of the variance of predictions for invented records whose columns are independent
/// (normal numbers by the released means and standard deviations, all categories equally often),
/// from 8,192 of them with a fixed seed: right to about a hundredth.
struct CurveEffects {
  double at_means = 0;                 ///< the prediction there
  std::vector<CurveEffect> columns{};  ///< in the order of the schema
  std::vector<PairEffect> pairs{};     ///< the largest shares first
  /// What neither columns alone nor these pairs make: other pairs, three and more columns together.
  double rest = 0;
};

/// Along each number there are the bounds, and between them `steps` places per standard deviation;
/// `pairs` is how many pairs at most. The schema is the model's own and has curves.
[[nodiscard]] CurveEffects curve_effects(const data::Schema& schema, const LinearModel& model,
                                         int steps, std::size_t pairs);

/// One record's prediction, taken apart: what each column's value alone makes of the prediction at
/// the means, and what all of them together add to the sum of that.
class RecordEffects {
 public:
  RecordEffects(const data::Schema& schema, const LinearModel& model);

  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] double at_means() const { return at_means_; }
  /// In the order of columns(), then together. `features` are those by the columns' standards.
  [[nodiscard]] std::vector<double> of(const data::PlainFeatures& features) const;

 private:
  const data::Schema& schema_;
  const LinearModel& model_;
  data::CurveRows rows_;
  double at_means_;
};

}  // namespace tacet::model
