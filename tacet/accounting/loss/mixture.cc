#include "tacet/accounting/loss/mixture.h"

#include <algorithm>
#include <cmath>

#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pairs {
namespace {

using numeric::infinity;

}  // namespace

double log_of_ratio(double p, double q) {
  if (p == 0) return -infinity;
  return q < 1e-290 ? infinity : std::log(p / q);
}

double mixed_loss(double q, double s) {
  if (s == -infinity) return std::log1p(-q);
  // Small rates make tiny losses, so form them from s itself only if e^s may overflow.
  if (s > 600) return s + std::log(q + (1 - q) * std::exp(-s));
  const double change = q * std::expm1(s);
  // For rates near 1, 1 + change is as small as 1 - q, and a rounded sum would keep few digits of
  // it.
  return change < -0.5 ? std::log((1 - q) + q * std::exp(s)) : std::log1p(change);
}

// Solves l = log(1 - q + q e^x) for x in the form that keeps its digits: from differences to 1 near
// 0, and from the distance to l for large l.
double unmixed_loss(double q, double l) {
  if (l > 1) return l == infinity ? l : l + std::log1p(-(1 - q) * std::exp(-l)) - std::log(q);
  if (l < -0.5) {
    const double share = std::exp(l) - (1 - q);
    return share > 0 ? std::log(share / q) : -infinity;
  }
  const double t = std::expm1(l) / q;
  return t > -1 ? std::log1p(t) : -infinity;
}

double mixture_upper_quantile(const Pair& base, double q, double log_tail) {
  // The quantile of P is too high and that of q P is too low: Q(S > s) <= e^-s P(S > s).
  double safe = base.upper_quantile(log_tail);
  double unsafe = base.upper_quantile(std::min(log_tail - std::log(q), -0.7));
  const double allowed = std::exp(log_tail) * (1 - 1e-6);
  for (int i = 0; i < 40 && safe - unsafe > 1e-4; ++i) {
    const double middle = 0.5 * (safe + unsafe);
    const auto m = base.interval(middle, infinity);
    // far below, the masses lose their precision
    const bool enough = m.p > 1e-290 && (1 - q) * m.q + q * m.p <= allowed;
    (enough ? safe : unsafe) = middle;
  }
  return safe;
}

Masses mixed(double q, Order order, const Masses& m) {
  const double mixture = (1 - q) * m.q + q * m.p;
  if (mixture == 0 && m.q == 0) return nothing;
  const double ratio = m.log_ratio == infinity ? infinity : mixed_loss(q, m.log_ratio);
  // the part of an error of p / q that the mixed ratio inherits
  const double share = mixture > 0 ? q * m.p / mixture : 1;
  const double error = std::isfinite(ratio)
                           ? 2 * m.ratio_error * share + numeric::ulps(4) * std::fabs(ratio)
                           : numeric::ulps(32);
  // Removing a record compares the mixture (1 - q) Q + q P with Q, adding one Q with the mixture
  // (Zhu, Dong, Wang 2022).
  if (order == Order::remove) return {mixture, m.q, ratio, error};
  return {m.q, mixture, m.q == 0 ? -infinity : -ratio, error};
}

std::vector<Atom> mirrored(std::span<const Atom> atoms) {
  std::vector<Atom> exchanged;
  exchanged.reserve(atoms.size());
  for (std::size_t i = atoms.size(); i-- > 0;) {
    exchanged.push_back({-atoms[i].loss, atoms[i].q, atoms[i].p});
  }
  return exchanged;
}

std::vector<Atom> symmetric(std::span<const Atom> above, double at_zero) {
  auto atoms = mirrored(above);
  if (at_zero > 0) atoms.push_back({0, at_zero, at_zero});
  atoms.insert(atoms.end(), above.begin(), above.end());
  return atoms;
}

Masses joined(const Masses& below, const Masses& above, double at_zero) {
  const double p = above.p + below.p + at_zero;
  const double q = above.q + below.q + at_zero;
  if (p == 0 && q == 0) return nothing;
  // log(p / q) from the surpluses p - q of both sides. The mass at loss 0 has no surplus. If it
  // were most of p and q, it would cost the ratio its digits.
  const auto excess = [](const Masses& m) { return m.q > 0 ? m.q * std::expm1(m.log_ratio) : 0; };
  const double share = (excess(above) + excess(below)) / q;
  const double rounding = numeric::ulps(16) * (excess(above) - excess(below)) / q;
  const double log_ratio = std::isfinite(share) && share > -0.5 ? std::log1p(share)
                           : p == 0                             ? -infinity
                                                                : log_of_ratio(p, q);
  const double error = std::max(above.ratio_error, below.ratio_error) +
                       (std::isfinite(rounding) ? rounding : numeric::ulps(16));
  return {p, q, log_ratio, error + numeric::ulps(16) * std::fabs(log_ratio)};
}

}  // namespace tacet::accounting::pairs
