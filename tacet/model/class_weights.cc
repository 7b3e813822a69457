#include "tacet/model/class_weights.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::model {

ClassWeights::ClassWeights(std::vector<double> given) : of_class_(std::move(given)) {
  if (of_class_.size() < 2) throw base::UsageError("class weights need two classes or more");
  for (const double weight : of_class_) {
    if (weight >= min && weight <= max) continue;
    throw base::UsageError("class-weights must be {:g} to {:g} each, got {:g}", min, max, weight);
  }
  const double top = std::ranges::max(of_class_);
  for (double& weight : of_class_) weight /= top;
  if (std::ranges::min(of_class_) == 1) of_class_.clear();
}

}  // namespace tacet::model
