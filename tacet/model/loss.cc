#include "tacet/model/loss.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/elementary.h"

namespace tacet::model {

double LogisticLoss::value(double prediction, double label) const {
  return numeric::softplus(-label * prediction);
}
double LogisticLoss::slope(double prediction, double label) const {
  return -label * numeric::sigmoid(-label * prediction);
}

double SquaredLoss::value(double prediction, double label) const {
  return (label - prediction) * (label - prediction) / 2;
}
double SquaredLoss::slope(double prediction, double label) const { return prediction - label; }

double HingeLoss::value(double prediction, double label) const {
  return std::max(0.0, 1 - label * prediction);
}
double HingeLoss::slope(double prediction, double label) const {
  return label * prediction < 1 ? -label : 0.0;
}

double SmoothedHingeLoss::value(double prediction, double label) const {
  const double gap = 1 - label * prediction;
  if (gap <= 0) return 0;
  return gap < width ? gap * gap / (2 * width) : gap - width / 2;
}
double SmoothedHingeLoss::slope(double prediction, double label) const {
  const double gap = 1 - label * prediction;
  return -label * std::clamp(gap / width, 0.0, 1.0);
}

double HuberLoss::value(double prediction, double label) const {
  const double r = std::fabs(label - prediction);
  return r <= threshold ? r * r / 2 : threshold * r - threshold * threshold / 2;
}
double HuberLoss::slope(double prediction, double label) const {
  return std::clamp(prediction - label, -threshold, threshold);
}

double AbsoluteLoss::value(double prediction, double label) const {
  return std::fabs(label - prediction);
}
double AbsoluteLoss::slope(double prediction, double label) const {
  return prediction > label ? 1.0 : prediction < label ? -1.0 : 0.0;
}

double PinballLoss::value(double prediction, double label) const {
  const double r = label - prediction;
  return std::max(quantile * r, (quantile - 1) * r);
}
double PinballLoss::slope(double prediction, double label) const {
  return prediction > label ? 1 - quantile : prediction < label ? -quantile : 0.0;
}

namespace {

struct PropertiesOf {
  LossProperties operator()(const LogisticLoss&) const { return {1, 0.25, true}; }
  LossProperties operator()(const SquaredLoss&) const { return {unbounded, 1, false}; }
  LossProperties operator()(const HingeLoss&) const { return {1, unbounded, true}; }
  LossProperties operator()(const SmoothedHingeLoss& l) const { return {1, 1 / l.width, true}; }
  LossProperties operator()(const HuberLoss& l) const { return {l.threshold, 1, false}; }
  LossProperties operator()(const AbsoluteLoss&) const { return {1, unbounded, false}; }
  LossProperties operator()(const PinballLoss& l) const {
    return {std::max(l.quantile, 1 - l.quantile), unbounded, false};
  }
};

double checked(std::string_view loss, std::string_view name, double value, double upper) {
  if (!(value > 0 && value < upper)) {
    throw base::UsageError(
        fmt::format("{} of loss {} must lie between 0 and {}, got {}", name, loss,
                    std::isinf(upper) ? "infinity" : fmt::format("{}", upper), value));
  }
  return value;
}

}  // namespace

LossProperties properties(const Loss& loss) { return std::visit(PropertiesOf{}, loss); }

std::string_view loss_name(const Loss& loss) {
  return std::visit([](const auto& l) { return l.name; }, loss);
}

double loss_value(const Loss& loss, double prediction, double label) {
  return std::visit([&](const auto& l) { return l.value(prediction, label); }, loss);
}

double loss_slope(const Loss& loss, double prediction, double label) {
  return std::visit([&](const auto& l) { return l.slope(prediction, label); }, loss);
}

double loss_parameter(const Loss& loss) {
  if (const auto* l = std::get_if<SmoothedHingeLoss>(&loss)) return l->width;
  if (const auto* l = std::get_if<HuberLoss>(&loss)) return l->threshold;
  if (const auto* l = std::get_if<PinballLoss>(&loss)) return l->quantile;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string_view loss_parameter_name(const Loss& loss) {
  if (std::holds_alternative<SmoothedHingeLoss>(loss)) return "width";
  if (std::holds_alternative<HuberLoss>(loss)) return "threshold";
  if (std::holds_alternative<PinballLoss>(loss)) return "quantile";
  return "";
}

Loss make_loss(std::string_view name, double parameter) {
  const bool given = !std::isnan(parameter);
  if (name == SmoothedHingeLoss::name) {
    SmoothedHingeLoss loss;
    if (given) loss.width = checked(name, "width", parameter, unbounded);
    return loss;
  }
  if (name == HuberLoss::name) {
    HuberLoss loss;
    if (given) loss.threshold = checked(name, "threshold", parameter, unbounded);
    return loss;
  }
  if (name == PinballLoss::name) {
    PinballLoss loss;
    if (given) loss.quantile = checked(name, "quantile", parameter, 1);
    return loss;
  }
  if (given && std::ranges::count(loss_names(), name) > 0) {
    throw base::UsageError(fmt::format("loss {} has no parameter, got {}", name, parameter));
  }
  if (name == LogisticLoss::name) return LogisticLoss{};
  if (name == SquaredLoss::name) return SquaredLoss{};
  if (name == HingeLoss::name) return HingeLoss{};
  if (name == AbsoluteLoss::name) return AbsoluteLoss{};
  throw base::UsageError(
      fmt::format("unknown loss '{}'; known are {}", name, fmt::join(loss_names(), ", ")));
}

std::vector<std::string> loss_names() {
  return {"logistic", "hinge", "smoothed_hinge", "squared", "huber", "absolute", "pinball"};
}

}  // namespace tacet::model
