#include "tacet/local/certificate.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/elementary.h"

namespace tacet::local {
namespace {

constexpr double paper_max_bet = 0.6838;  // the poster's digits, below the root

double square(double x) { return x * x; }

}  // namespace

std::string_view name_of(CertificateKind kind) { return certificate_names.of(kind); }

double kappa(double k) {
  if (k < 0.25) {
    // 1/2 + k/3 + k^2/4 + ...: what is left out is below 2^-53.
    double sum = 0;
    for (int power = 32; power >= 2; --power) sum = sum * k + 1.0 / power;
    return sum;
  }
  return (-k - numeric::log(1 - k)) / (k * k);
}

double Certificate::of(double outcome, double weight) const {
  return kind == CertificateKind::known_noise ? weight * weight * constant
                                              : constant * outcome * outcome;
}

double known_noise_cost(const KnownNoise& noise, std::int64_t batch, double range) {
  const auto reports = static_cast<double>(batch);
  const double bound = noise.gradient_bound;
  const double proxy = noise.proxy(range / reports) / reports;
  return proxy / 2 + kappa(range * bound) * square(bound);
}

Certificate known_noise_certificate(const KnownNoise& noise, std::int64_t batch) {
  const auto reports = static_cast<double>(batch);
  const double bound = noise.gradient_bound;
  const double range = std::min(
      {max_bet / bound, reports * noise.range, bound / (noise.variance / reports + square(bound))});
  return {CertificateKind::known_noise, range, known_noise_cost(noise, batch, range)};
}

Certificate symmetric_certificate(double gradient_bound, double k) {
  if (!(k > 0 && k <= 0.25)) {
    throw base::UsageError(
        "the symmetric certificate's share must be above 0 and at most 1/4, got {}", k);
  }
  const double v = square((1 - std::sqrt(1 - 4 * k)) / (2 * k));
  return {CertificateKind::symmetric, k / gradient_bound, v / 2};
}

Certificate bounded_certificate(double report_bound, double k) {
  if (!(k > 0 && k <= max_bet)) {
    throw base::UsageError("the bounded certificate's share must be above 0 and at most {}, got {}",
                           max_bet, k);
  }
  return {CertificateKind::bounded, k / report_bound, kappa(k)};
}

Certificate paper_certificate(const PaperNoise& noise) {
  return paper_certificate(noise, 4 * noise.gradient_bound / noise.epsilon);
}

Certificate paper_certificate(const PaperNoise& noise, double b) {
  const double bound = noise.gradient_bound;
  const double range = std::min(paper_max_bet / bound, 1 / b);
  const double pole = noise.epsilon / (2 * bound);
  if (range >= pole) {
    throw base::UsageError(
        "b = {:g} lets bets reach a = {:g}, beyond the pole epsilon/(2 G) = {:g} of the noise's "
        "moment generating function: the expectation in the proof is infinite and nothing holds; b "
        "= 4 G/epsilon = {:g} is what the paper's assumption needs",
        b, range, pole, 4 * bound / noise.epsilon);
  }
  if (range > pole / 2) {
    throw base::UsageError(
        "b = {:g} lets bets reach a = {:g}, but sigma^2 = 18 d^2 G^2/epsilon^2 is proved up to "
        "epsilon/(4 G) = {:g} only; use b = 4 G/epsilon = {:g}",
        b, range, pole / 2, 4 * bound / noise.epsilon);
  }
  const double proxy = 18 * square(static_cast<double>(noise.dimension) * bound / noise.epsilon);
  return {CertificateKind::known_noise, range, proxy / 2 + square(bound)};
}

}  // namespace tacet::local
