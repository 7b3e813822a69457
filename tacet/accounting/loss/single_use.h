#pragma once

#include <optional>

#include "tacet/accounting/loss/components.h"

/// One use of one pair, which needs no loss grid: delta(eps) is what P and Q give to the losses
/// above eps. docs/proofs/accountant.md, section 5.
namespace tacet::accounting::pld {

struct Ends {
  double lower;
  double upper;
};

/// Bounds of log delta at eps, for one use of a component or of a pair. Nothing if the numbers are
/// too small to be exact.
[[nodiscard]] std::optional<Ends> single_log_delta(const Component& component, double eps);
[[nodiscard]] std::optional<Ends> single_log_delta(const pairs::Pair& pair, double eps);

/// Bounds of epsilon at delta, with the same rules.
[[nodiscard]] std::optional<Ends> single_epsilon(const Component& component, double log_delta);
[[nodiscard]] std::optional<Ends> single_epsilon(const pairs::Pair& pair, double log_delta);

}  // namespace tacet::accounting::pld
