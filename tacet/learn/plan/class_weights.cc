#include "tacet/learn/plan/class_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/plan/resolve.h"

namespace tacet::learn {
namespace {

constexpr std::string_view option_name = "class-weights";

struct NamedWeight {
  std::string_view name;
  double weight;
};

// The weight follows the last equals sign: a name may contain one, a number cannot.
NamedWeight read_part(std::string_view part) {
  const auto sign = part.rfind('=');
  if (sign == std::string_view::npos || sign == 0) {
    throw base::UsageError(
        "`class_weights` are NAME=WEIGHT with commas between them, as yes=3,no=1; got '{}'", part);
  }
  return {part.substr(0, sign), parse_real(option_name, part.substr(sign + 1))};
}

/// A class by its name; one of two classes also by any of its labels.
std::optional<std::size_t> class_called(std::string_view text, const data::Target& target) {
  const auto names = target.class_names();
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (const auto* two = std::get_if<data::BinaryTarget>(&target.rule)) {
    if (std::ranges::count(two->negative, text) > 0) return 0;
    if (std::ranges::count(two->positive, text) > 0) return 1;
  }
  return std::nullopt;
}

/// The end of the first part: the first comma before which NAME=WEIGHT names a class, since names
/// may contain commas; if there is none, the first comma.
std::size_t end_of_part(std::string_view text, const data::Target& target) {
  const auto first = std::min(text.find(','), text.size());
  for (auto end = first;; end = std::min(text.find(',', end + 1), text.size())) {
    const auto sign = text.substr(0, end).rfind('=');
    if (sign != std::string_view::npos && class_called(text.substr(0, sign), target)) return end;
    if (end == text.size()) return first;
  }
}

}  // namespace

model::ClassWeights parse_class_weights(std::string_view text, const data::Target& target) {
  if (target.regression()) {
    throw base::UsageError("`class_weights` are for classes, but the target is a number");
  }
  const auto names = target.class_names();
  std::vector<std::optional<double>> given(names.size());
  for (bool more = !text.empty(); more;) {
    const auto end = end_of_part(text, target);
    const auto [name, weight] = read_part(text.substr(0, end));
    more = end < text.size();  // after a comma follows another part, which may not be empty
    text.remove_prefix(more ? end + 1 : end);
    const auto found = class_called(name, target);
    if (!found) {
      throw base::UsageError("`class_weights`: there is no class '{}'; classes are {}", name,
                             fmt::join(names, ", "));
    }
    auto& place = given[*found];
    if (place) throw base::UsageError("`class_weights`: '{}' stands twice", name);
    place = weight;
  }
  std::vector<double> weights;
  for (const auto& weight : given) weights.push_back(weight.value_or(1));
  return model::ClassWeights(std::move(weights));
}

std::string class_weights_text(const data::Target& target) {
  const auto names = target.class_names();
  std::string text;
  for (std::size_t c = 0; c < target.class_weights.size(); ++c) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", names[c], target.class_weights[c]);
  }
  return text;
}

void resolve_class_weights(MethodPlan& plan, const data::Schema& schema,
                           const std::optional<std::string>& given) {
  const auto& target = target_of(schema);
  if (given) {
    plan.class_weights = parse_class_weights(*given, target);
    plan.class_weights_given = *given;
  } else if (!target.class_weights.empty()) {
    plan.class_weights = model::ClassWeights(target.class_weights);
    plan.class_weights_given = class_weights_text(target);
  } else {
    return;
  }
  plan.reasons.add(
      "class weights {}: each record's loss counts by its class's, divided by the largest, so that "
      "no bound grows; probabilities are those of a population so weighted",
      plan.class_weights_given);
}

}  // namespace tacet::learn
