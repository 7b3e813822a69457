#pragma once

#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

/// What a model with curves says of one number at a time. Its weights have no meaning one by one:
/// each curve is made of all columns.
namespace tacet::model {

struct EffectPoint {
  std::string value;  ///< of the column, or a category
  double prediction;  ///< in the target's units
};

/// Predictions along one column, the others held: numbers at their released means, columns of
/// categories at none of them.
struct CurveEffect {
  std::string column;
  std::vector<EffectPoint> points;
  double spread = 0;  ///< largest prediction less the smallest
};

/// One per number, at nine places from the lower bound to the upper one, and one per column of
/// categories; in the order of the columns. The schema is the model's own and has curves.
[[nodiscard]] std::vector<CurveEffect> curve_effects(const data::Schema& schema,
                                                     const LinearModel& model);

/// How far two numbers act together: the prediction with both one deviation up, less what each does
/// alone, largest first; at most `count` pairs. In the target's units.
struct PairEffect {
  std::string first;
  std::string second;
  double together;
};
[[nodiscard]] std::vector<PairEffect> strongest_pairs(const data::Schema& schema,
                                                      const LinearModel& model, std::size_t count);

}  // namespace tacet::model
