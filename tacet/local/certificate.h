#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "tacet/base/names.h"

namespace tacet::local {

/// What certifies that a bet on noisy reports loses nothing in expectation: numbers c_t with
///
///     E[exp(beta s_t - beta^2 c_t) | past] <= 1 + beta E[s_t | past]      for all |beta| <= a,
///
/// where s_t is the report along the learner's direction. Utility rests on it, privacy never does.
enum class CertificateKind {
  known_noise,  ///< K: c_t = sigma^2 / 2 + kappa(a G) G^2, from the law of the noise
  symmetric,    ///< S: c_t = C s_t^2; symmetric noise and a bound G are enough
  bounded       ///< B: c_t = kappa(k) s_t^2; a bound of the reports is enough
};
inline constexpr auto certificate_names =
    base::names<CertificateKind>({{CertificateKind::bounded, "bounded"},
                                  {CertificateKind::known_noise, "known_noise"},
                                  {CertificateKind::symmetric, "symmetric"}});
[[nodiscard]] std::string_view name_of(CertificateKind kind);

/// (-k - ln(1 - k)) / k^2 for 0 <= k < 1: exp(z - kappa(k) z^2) <= 1 + z for |z| <= k, since
/// (z - ln(1 + z)) / z^2 falls. Increasing from 1/2.
[[nodiscard]] double kappa(double k);

/// The root of ln(1 - k) = -k - k^2, rounded down: kappa is below 1 up to here.
inline constexpr double max_bet = 0.68380262375202;

struct Certificate {
  CertificateKind kind;
  double range;     ///< a
  double constant;  ///< c_t for known noise, otherwise c_t / s_t^2

  /// c_t of an outcome s_t = <report, direction> that was fed with `weight` alpha_t: alpha_t^2 c_t
  /// for known noise, and through s_t for the others.
  [[nodiscard]] double of(double outcome, double weight) const;
};

/// What certificate K knows of the noise of one report.
struct KnownNoise {
  double gradient_bound;  ///< G: the mean of a report is at most this long
  double variance;        ///< v, in every direction
  double range;           ///< of `proxy`; may be infinite
  /// sigma^2 with E exp(beta <noise, e>) <= exp(beta^2 sigma^2 / 2) for unit e and |beta| <= a.
  std::function<double(double a)> proxy;
};

/// K for means of `batch` reports: a = min(max_bet / G, batch range, G / (v / batch + G^2)) and
/// c = proxy(a / batch) / (2 batch) + kappa(a G) G^2; a larger range would cost sigma^2 and
/// logarithms without a use.
[[nodiscard]] Certificate known_noise_certificate(const KnownNoise& noise, std::int64_t batch);

/// c of K at a range that is given: of reports with other noise in a run whose range is fixed.
[[nodiscard]] double known_noise_cost(const KnownNoise& noise, std::int64_t batch, double range);

/// S for symmetric noise: a = k / G and C = v / 2, v = ((1 - sqrt(1 - 4 k)) / (2 k))^2, with
/// 0 < k <= 1/4. In the spirit of van der Hoeven (2019); constants and proof are ours
/// (docs/proofs/banco.md).
[[nodiscard]] Certificate symmetric_certificate(double gradient_bound, double k = 0.1);

/// B for reports that are never longer than `report_bound`: a = k / B and kappa(k), with k <=
/// max_bet. It holds pathwise, whatever the noise.
[[nodiscard]] Certificate bounded_certificate(double report_bound, double k = 0.5);

/// What the poster of Jun and Orabona (2019) sets for L2-Laplace noise: sigma^2 = 18 d^2 G^2 /
/// epsilon^2, kappa = 1, a = min(0.6838 / G, 1 / b).
struct PaperNoise {
  std::int64_t dimension;
  double epsilon;
  double gradient_bound = 1;
};

/// With b = 4 G / epsilon, as their assumption (A3) needs it: E exp(beta <noise, e>) <= exp(beta^2
/// sigma^2 / 2) for |beta| <= 1 / b.
[[nodiscard]] Certificate paper_certificate(const PaperNoise& noise);

/// With another b. UsageError where 1 / b lies beyond epsilon / (4 G), up to which sigma^2 is
/// proved; at epsilon / (2 G) the moment generating function has its pole, and beyond the
/// expectation in the proof is infinite: so for the printed b = epsilon / 4 at epsilon 1.
[[nodiscard]] Certificate paper_certificate(const PaperNoise& noise, double b);

}  // namespace tacet::local
