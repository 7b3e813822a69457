#include "tacet/model/loss/loss.h"

#include <algorithm>
#include <cmath>

#include "tacet/numeric/elementary.h"

namespace tacet::model {
namespace {

// base^exponent for base >= 0 and exponent in [-1, 2], the same bits on every machine.
double power(double base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 0.5) return std::sqrt(base);
  if (exponent == 2) return base * base;
  return base > 0 ? numeric::exp(exponent * numeric::log(base)) : 0;
}

// The Moreau envelope of max(left t, right t) of width h, left <= 0 <= right. Branches, not a
// clamp: widths are small, so that slopes are nearly always the same one, and a loop over records
// need not wait for this one.
double envelope_slope(double t, double left, double right, double h) {
  const double slope = t / h;
  if (slope >= right) return right;
  if (slope <= left) return left;
  return slope;
}
double envelope(double t, double left, double right, double h) {
  const double slope = envelope_slope(t, left, right, h);
  return slope * t - h * slope * slope / 2;
}

// m^q with a line for its slope on m < h, m >= 0.
double linearised_value(double m, double q, double h) {
  if (m < h) return q / 2 * power(h, q - 2) * m * m;
  return power(m, q) - (1 - q / 2) * power(h, q);
}
double linearised_slope(double m, double q, double h) {
  return m < h ? q * power(h, q - 2) * m : q * power(m, q - 1);
}

}  // namespace

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
  if (gap >= width) return -label;
  return gap <= 0 ? 0 : -label * (gap / width);
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

double PowerHingeLoss::value(double prediction, double label) const {
  return power(std::max(0.0, 1 - label * prediction), exponent);
}
double PowerHingeLoss::slope(double prediction, double label) const {
  const double gap = std::max(0.0, 1 - label * prediction);
  return -label * exponent * power(gap, exponent - 1);
}

double PowerRegressionLoss::value(double prediction, double label) const {
  return power(std::fabs(label - prediction), exponent);
}
double PowerRegressionLoss::slope(double prediction, double label) const {
  const double size = exponent * power(std::fabs(prediction - label), exponent - 1);
  return std::copysign(size, prediction - label);
}

double SmoothedAbsoluteLoss::value(double prediction, double label) const {
  return envelope(prediction - label, -1, 1, width);
}
double SmoothedAbsoluteLoss::slope(double prediction, double label) const {
  return envelope_slope(prediction - label, -1, 1, width);
}

double SmoothedPinballLoss::value(double prediction, double label) const {
  return envelope(prediction - label, -quantile, 1 - quantile, width);
}
double SmoothedPinballLoss::slope(double prediction, double label) const {
  return envelope_slope(prediction - label, -quantile, 1 - quantile, width);
}

double EpsilonInsensitiveLoss::value(double prediction, double label) const {
  return std::max(0.0, std::fabs(prediction - label) - insensitivity);
}
double EpsilonInsensitiveLoss::slope(double prediction, double label) const {
  const double r = prediction - label;
  return r > insensitivity ? 1.0 : r < -insensitivity ? -1.0 : 0.0;
}

double SmoothedEpsilonInsensitiveLoss::value(double prediction, double label) const {
  return envelope(std::fabs(prediction - label) - insensitivity, 0, 1, width);
}
double SmoothedEpsilonInsensitiveLoss::slope(double prediction, double label) const {
  const double r = prediction - label;
  return std::copysign(envelope_slope(std::fabs(r) - insensitivity, 0, 1, width), r);
}

double SquaredEpsilonInsensitiveLoss::value(double prediction, double label) const {
  const double excess = std::max(0.0, std::fabs(prediction - label) - insensitivity);
  return excess * excess;
}
double SquaredEpsilonInsensitiveLoss::slope(double prediction, double label) const {
  const double r = prediction - label;
  return std::copysign(2 * std::max(0.0, std::fabs(r) - insensitivity), r);
}

double LinearisedPowerHingeLoss::value(double prediction, double label) const {
  return linearised_value(std::max(0.0, 1 - label * prediction), exponent, width);
}
double LinearisedPowerHingeLoss::slope(double prediction, double label) const {
  return -label * linearised_slope(std::max(0.0, 1 - label * prediction), exponent, width);
}

double LinearisedPowerRegressionLoss::value(double prediction, double label) const {
  return linearised_value(std::fabs(prediction - label), exponent, width);
}
double LinearisedPowerRegressionLoss::slope(double prediction, double label) const {
  const double r = prediction - label;
  return std::copysign(linearised_slope(std::fabs(r), exponent, width), r);
}

double loss_value(const Loss& loss, double prediction, double label) {
  return std::visit([&](const auto& l) { return l.value(prediction, label); }, loss);
}

double loss_slope(const Loss& loss, double prediction, double label) {
  return std::visit([&](const auto& l) { return l.slope(prediction, label); }, loss);
}

}  // namespace tacet::model
