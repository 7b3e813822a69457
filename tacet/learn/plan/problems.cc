#include "tacet/learn/plan/problems.h"

#include <algorithm>
#include <variant>

#include "tacet/base/text.h"

namespace tacet::learn {

TargetKind kind_of(const data::Target& target) {
  if (!target.regression()) {
    return target.class_count() > 2 ? TargetKind::several_classes : TargetKind::two_classes;
  }
  switch (target.number_kind()) {
    case data::NumberKind::probability:
      return TargetKind::probability;
    case data::NumberKind::count:
      return TargetKind::count;
    default:
      return TargetKind::number;
  }
}

std::string_view to_string(TargetKind kind) {
  switch (kind) {
    case TargetKind::two_classes:
      return "two classes";
    case TargetKind::several_classes:
      return "several classes";
    case TargetKind::probability:
      return "a probability";
    case TargetKind::count:
      return "a count";
    default:
      return "a number";
  }
}

std::string to_string(TargetSet set) {
  std::vector<std::string> kinds;
  for (const auto kind : every_target_kind) {
    if (set.has(kind)) kinds.emplace_back(to_string(kind));
  }
  return base::alternatives(kinds);
}

bool Problems::takes(const model::Loss& loss) const {
  if (model::is_custom(loss)) return custom_loss;
  if (std::holds_alternative<model::SoftmaxLoss>(loss)) return softmax;
  return losses.empty() || std::ranges::find(losses, model::loss_name(loss)) != losses.end();
}

}  // namespace tacet::learn
