#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacet/accounting/loss/components.h"
#include "tacet/base/progress.h"

/// Several releases from the same sample as one pair, which the sampling then mixes
/// (docs/proofs/accountant.md, section 1).
namespace tacet::accounting::pld {

/// A list of losses in the form that pairs::finite takes.
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
/// a Q(S) are on either side of the product's, for every a >= 0. This says nothing about Q(S) - a
/// P(S). The product is symmetric, so for that question use the mirrored laws.
struct Product {
  FiniteLaw above;
  FiniteLaw below;
};

/// The product of symmetric pairs, each taken as often as it is used. Rounding the losses to a
/// lattice changes their variance by about the share `fineness`. Nothing for more than 10,000 uses,
/// or losses with a variance above 30.
[[nodiscard]] std::optional<Product> product(std::span<const Component> parts, double fineness,
                                             base::WorkMeter* work = nullptr);

}  // namespace tacet::accounting::pld
