#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <concepts>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/model/loss/loss.h"

namespace tacet::model {
namespace {

double checked(std::string_view loss, std::string_view name, double value, double lower,
               double upper) {
  // An exponent of 2 is the one upper end that belongs to its range.
  const bool closed = upper == 2;
  if (value > lower && (value < upper || (closed && value == upper)) && std::isfinite(value)) {
    return value;
  }
  throw base::UsageError(
      fmt::format("{} of loss {} must lie {} {} {} {}, got {}", name, loss,
                  closed ? "above" : "between", lower, closed ? "and up to" : "and",
                  std::isinf(upper) ? "infinity" : fmt::format("{}", upper), value));
}

// The loss's own parameter and its open range.
template <typename LossType>
auto* parameter_of(LossType& loss) {
  if constexpr (requires { loss.quantile; }) {
    return &loss.quantile;
  } else if constexpr (requires { loss.exponent; }) {
    return &loss.exponent;
  } else if constexpr (requires { loss.insensitivity; }) {
    return &loss.insensitivity;
  } else if constexpr (requires { loss.threshold; }) {
    return &loss.threshold;
  } else if constexpr (requires { loss.width; }) {
    return &loss.width;
  } else {
    return static_cast<std::conditional_t<std::is_const_v<LossType>, const double*, double*>>(
        nullptr);
  }
}

struct Range {
  std::string_view name;
  double lower;
  double upper;
};

template <typename LossType>
Range range_of(const LossType& loss) {
  if constexpr (requires { loss.quantile; }) {
    return {"quantile", 0, 1};
  } else if constexpr (requires { loss.exponent; }) {
    return {"exponent", 1, 2};
  } else if constexpr (requires { loss.insensitivity; }) {
    return {"insensitivity", 0, 1};
  } else if constexpr (requires { loss.threshold; }) {
    return {"threshold", 0, unbounded};
  } else if constexpr (requires { loss.width; }) {
    return {"width", 0, unbounded};
  } else {
    return {"", 0, 0};
  }
}

// The width of a loss whose own parameter is another one.
template <typename LossType>
auto* second_width(LossType& loss) {
  using Pointer = std::conditional_t<std::is_const_v<LossType>, const double*, double*>;
  if constexpr (requires { loss.width; }) {
    return parameter_of(loss) == &loss.width ? Pointer(nullptr) : Pointer(&loss.width);
  } else {
    return Pointer(nullptr);
  }
}

template <typename LossType>
Loss made(LossType loss, double parameter, double width) {
  const Range range = range_of(loss);
  if (!std::isnan(parameter)) {
    double* own = parameter_of(loss);
    if (own == nullptr) {
      throw base::UsageError(
          fmt::format("loss {} has no parameter, got {}", LossType::name, parameter));
    }
    *own = checked(LossType::name, range.name, parameter, range.lower, range.upper);
  }
  if (!std::isnan(width)) {
    double* own = second_width(loss);
    if (own == nullptr) {
      throw base::UsageError(
          fmt::format("loss {} has no width besides its parameter, got {}", LossType::name, width));
    }
    *own = checked(LossType::name, "width", width, 0, unbounded);
  }
  return loss;
}

template <std::size_t... index>
std::vector<Loss> every_default(std::index_sequence<index...> /*indices*/) {
  return {Loss(std::variant_alternative_t<index, Loss>{})...};
}

}  // namespace

std::string_view loss_name(const Loss& loss) {
  return std::visit([](const auto& l) { return l.name; }, loss);
}

double loss_parameter(const Loss& loss) {
  return std::visit(
      [](const auto& l) {
        const double* own = parameter_of(l);
        return own == nullptr ? std::numeric_limits<double>::quiet_NaN() : *own;
      },
      loss);
}

std::string_view loss_parameter_name(const Loss& loss) {
  return std::visit([](const auto& l) { return range_of(l).name; }, loss);
}

double loss_width(const Loss& loss) {
  return std::visit(
      [](const auto& l) {
        const double* own = second_width(l);
        return own == nullptr ? std::numeric_limits<double>::quiet_NaN() : *own;
      },
      loss);
}

Loss make_loss(std::string_view name, double parameter, double width) {
  for (const auto& loss : every_default(std::make_index_sequence<std::variant_size_v<Loss>>())) {
    if (loss_name(loss) != name) continue;
    return std::visit([&](const auto& l) { return made(l, parameter, width); }, loss);
  }
  throw base::UsageError(
      fmt::format("unknown loss '{}'; known are {}", name, fmt::join(loss_names(), ", ")));
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const bool classes : {true, false}) {
    for (const auto& loss : every_default(std::make_index_sequence<std::variant_size_v<Loss>>())) {
      if (properties(loss).classification == classes) names.emplace_back(loss_name(loss));
    }
  }
  return names;
}

}  // namespace tacet::model
