#include "tacet/model/loss/loss.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/text.h"

namespace tacet::model {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

template <typename Family>
concept Parametric = requires {
  Family::parameter;
};

// Whether the family has a width besides its own parameter.
template <typename Family>
constexpr bool has_second_width() {
  if constexpr (requires(Family family) { family.width; }) {
    return Family::parameter.value != &Family::width;
  } else {
    return false;
  }
}

double checked(std::string_view loss, std::string_view name, double value, double lower,
               double upper) {
  // An exponent of 2 is the one upper end that belongs to its range.
  const bool closed = upper == 2;
  if (value > lower && (value < upper || (closed && value == upper)) && std::isfinite(value)) {
    return value;
  }
  throw base::UsageError("{} of loss {} must lie {} {} {} {}, got {}", name, loss,
                         closed ? "above" : "between", lower, closed ? "and up to" : "and",
                         std::isinf(upper) ? "infinity" : fmt::format("{}", upper), value);
}

template <typename Family>
Loss made(Family loss, double parameter, double width) {
  if (!std::isnan(parameter)) {
    if constexpr (Parametric<Family>) {
      const auto& own = Family::parameter;
      loss.*own.value = checked(Family::name, own.name, parameter, own.lower, own.upper);
    } else {
      throw base::UsageError("loss {} has no parameter, got {}", Family::name, parameter);
    }
  }
  if (!std::isnan(width)) {
    if constexpr (has_second_width<Family>()) {
      loss.width = checked(Family::name, "width", width, 0, unbounded);
    } else {
      throw base::UsageError("loss {} has no width besides its parameter, got {}", Family::name,
                             width);
    }
  }
  return loss;
}

template <LossFamily... Families>
std::vector<Loss> every_default(const std::variant<Families...>* /*type*/) {
  return {Loss(Families{})...};
}

std::vector<Loss> every_default() { return every_default(static_cast<const Loss*>(nullptr)); }

}  // namespace

double loss_value(const Loss& loss, double prediction, double label) {
  return std::visit([&](const auto& l) { return l.value(prediction, label); }, loss);
}

double loss_slope(const Loss& loss, double prediction, double label) {
  return std::visit([&](const auto& l) { return l.slope(prediction, label); }, loss);
}

LossProperties properties(const Loss& loss) {
  return std::visit(
      [](const auto& l) {
        return LossProperties{l.slope_bound_within(unbounded), l.smoothness().curvature,
                              l.labels == Labels::signs, l.labels};
      },
      loss);
}

LabelRange label_range(Labels labels) {
  return labels == Labels::shares ? LabelRange{0, 1} : LabelRange{-1, 1};
}

double sanitised_label(Labels labels, double label) {
  if (labels == Labels::signs) return label < 0 || label == 0 ? -1 : 1;
  if (!std::isfinite(label)) return 0;
  const auto range = label_range(labels);
  return std::clamp(label, range.lower, range.upper);
}

double best_prediction(const Loss& loss, double label) {
  return std::visit(
      [&](const auto& l) {
        if constexpr (requires { l.best(label); }) return l.best(label);
        return label;
      },
      loss);
}

std::string_view loss_name(const Loss& loss) {
  return std::visit([](const auto& l) { return l.name; }, loss);
}

double loss_parameter(const Loss& loss) {
  return std::visit(
      []<typename Family>(const Family& l) {
        if constexpr (Parametric<Family>) return l.*Family::parameter.value;
        return none;
      },
      loss);
}

std::string_view loss_parameter_name(const Loss& loss) {
  return std::visit(
      []<typename Family>(const Family& /*l*/) {
        if constexpr (Parametric<Family>) return Family::parameter.name;
        return std::string_view();
      },
      loss);
}

double loss_width(const Loss& loss) {
  return std::visit(
      []<typename Family>(const Family& l) {
        if constexpr (has_second_width<Family>()) return l.width;
        return none;
      },
      loss);
}

Loss make_loss(std::string_view name, double parameter, double width) {
  for (const auto& loss : every_default()) {
    if (loss_name(loss) != name) continue;
    return std::visit([&](const auto& l) { return made(l, parameter, width); }, loss);
  }
  const auto near = base::did_you_mean(name, loss_names());
  throw base::UsageError(near.empty() ? fmt::format("unknown loss '{}'; known are {}", name,
                                                    fmt::join(loss_names(), ", "))
                                      : fmt::format("unknown loss '{}'{}", name, near));
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const auto labels : {Labels::signs, Labels::numbers, Labels::shares}) {
    for (const auto& loss : every_default()) {
      if (!is_custom(loss) && properties(loss).labels == labels)
        names.emplace_back(loss_name(loss));
    }
  }
  return names;
}

Loss custom_loss(Labels labels, CustomFunctions functions) {
  if (!functions.value || !functions.slope) {
    throw base::UsageError("a custom loss needs a value and a slope");
  }
  if (!(functions.largest_slope > 0 && functions.largest_curvature > 0 &&
        std::isfinite(functions.largest_curvature))) {
    throw base::UsageError(
        "the largest slope must be above 0, and the largest curvature above 0 and finite (at a "
        "kink that of a smooth loss like it), got {} and {}",
        functions.largest_slope, functions.largest_curvature);
  }
  const auto shared = std::make_shared<const CustomFunctions>(std::move(functions));
  if (labels == Labels::signs) return CustomLossOfClasses{shared};
  if (labels == Labels::numbers) return CustomLossOfNumbers{shared};
  throw base::UsageError("a custom loss is for classes or numbers");
}

bool is_custom(const Loss& loss) {
  return std::holds_alternative<CustomLossOfClasses>(loss) ||
         std::holds_alternative<CustomLossOfNumbers>(loss);
}

}  // namespace tacet::model
