#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacet/accounting/loss/components.h"
#include "tacet/base/progress.h"

/// Several releases from the same sample as one pair, which the sampling then mixes.
/// docs/proofs/accountant.md, section 1.
namespace tacet::accounting::pld {

/// Finitely many losses, as pairs::finite takes them.
struct FiniteLaw {
  std::vector<pairs::Atom> atoms;
  double infinite_p;
  double infinite_q;

  [[nodiscard]] pairs::PairPointer pair() const {
    return pairs::finite(atoms, infinite_p, infinite_q);
  }
  /// P and Q exchanged.
  [[nodiscard]] pairs::PairPointer mirrored() const;
};

/// A law that dominates a product of pairs, and one that the product dominates: their sup_S P(S) -
/// a Q(S) are on either side of the product's, for every a >= 0. Nothing is promised of Q(S) -
/// a P(S); the product being symmetric, whoever needs that takes the mirrored laws.
struct Product {
  FiniteLaw above;
  FiniteLaw below;
};

/// The product of symmetric pairs, each as often as it is used. Rounding losses to a lattice moves
/// their variance by about the share `fineness`, less where a coarser lattice would be too long.
/// Nothing for more than 10,000 uses, or losses with a variance above 30.
[[nodiscard]] std::optional<Product> product(std::span<const Component> parts, double fineness,
                                             base::WorkMeter* work = nullptr);

}  // namespace tacet::accounting::pld
