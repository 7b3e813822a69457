#pragma once

#include <span>
#include <vector>

#include "tacet/accounting/loss/pairs.h"

/// Losses and masses when sampling mixes the two laws of a pair.
namespace tacet::accounting::pairs {

/// log(p / q); infinite where q is too small to be precise.
[[nodiscard]] double log_of_ratio(double p, double q);

/// log(1 - q + q e^s).
[[nodiscard]] double mixed_loss(double q, double s);

/// The s with mixed_loss(q, s) = l, minus infinity at or below the smallest loss.
[[nodiscard]] double unmixed_loss(double q, double l);

/// A loss l such that the mixture (1 - q) Q + q P of a symmetric base exceeds l with a probability
/// of at most e^log_tail.
[[nodiscard]] double mixture_upper_quantile(const Pair& base, double q, double log_tail);

/// The masses of (1 - q) Q + q P against Q, or the other way round, from the masses of P and Q.
[[nodiscard]] Masses mixed(double q, Order order, const Masses& m);

/// Exchanges P and Q: for the masses of a set, and for a list of losses (ascending again).
[[nodiscard]] inline Masses mirrored(const Masses& m) {
  return {m.q, m.p, -m.log_ratio, m.ratio_error};
}
[[nodiscard]] std::vector<Atom> mirrored(std::span<const Atom> atoms);
/// All losses of a symmetric pair, from those above 0 and the mass at 0.
[[nodiscard]] std::vector<Atom> symmetric(std::span<const Atom> above, double at_zero);

/// The masses of the union of two sets, one of losses below 0 and one above, and of the mass
/// `at_zero` at 0.
[[nodiscard]] Masses joined(const Masses& below, const Masses& above, double at_zero);

}  // namespace tacet::accounting::pairs
