#include "tacet/learn/gradient/clipping_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "tacet/learn/plan/resolve.h"
#include "tacet/model/loss/loss.h"

namespace tacet::learn {
namespace {

std::string usual_reason(const model::Loss& loss, double norm, std::int64_t outputs) {
  const auto facts = model::properties(loss);
  if (facts.labels == model::Labels::shares && std::isinf(facts.slope_bound)) {
    return fmt::format("clipping norm {:g}: slopes of predictions above the largest count are cut",
                       norm);
  }
  if (std::isinf(facts.slope_bound)) {
    return facts.classification
               ? fmt::format("clipping norm {:g}: slopes beyond that of margin 0 are cut", norm)
               : fmt::format(
                     "clipping norm {:g}: residuals beyond a quarter of the target's range are cut",
                     norm);
  }
  return outputs > 1
             ? fmt::format("clipping norm {:g}: of the gradients of all classes together", norm)
             : fmt::format("clipping norm {:g}: no gradient of this loss is longer", norm);
}

ClippingChoice for_classes(double noise) {
  const double norm = std::clamp(0.5 * std::sqrt(0.01 / noise), 0.5, 1.0);
  return {norm, fmt::format("clipping norm {:.4g}: less noise for better decisions; probabilities "
                            "are drawn towards one half (`clipping_norm=1` keeps them)",
                            norm)};
}

ClippingChoice for_numbers(double noise) {
  const double norm = clipping_of_numbers(noise);
  // The slope is the residual where the target's range is 2 wide.
  return {norm, fmt::format("clipping norm {:.4g}: residuals beyond {:.3g} of the target's range "
                            "are cut, for less noise",
                            norm, norm / 2)};
}

}  // namespace

double clipping_of_numbers(double relative_noise) {
  return std::clamp(0.25 * std::pow(0.005 / relative_noise, 0.3), 0.125, 0.5);
}

ClippingChoice choose_clipping(const ClippingFacts& facts) {
  const double bound = facts.schema.norm_bound();
  const double usual = usual_slope(facts.loss) * bound;
  const ClippingChoice as_ever{usual, usual_reason(facts.loss, usual, facts.outputs)};
  if (facts.schema.encoding < 2 || facts.outputs > 1 || facts.schema.unit) return as_ever;
  if (std::holds_alternative<model::SquaredLoss>(facts.loss)) {
    return for_numbers(facts.relative_noise);
  }
  if (!std::holds_alternative<model::LogisticLoss>(facts.loss)) return as_ever;
  const auto choice = for_classes(facts.relative_noise);
  return choice.norm < usual ? choice : as_ever;
}

}  // namespace tacet::learn
