#pragma once

#include <string>

#include "tacet/base/error.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

/// What noise from the cipher takes of a stated delta, and what it leaves.
///
/// Each of two neighbouring runs lies within the PRG slack of one with ideal noise in total
/// variation, so events that are (epsilon, delta)-DP with ideal noise are, with the noise that was
/// used, (epsilon, delta + (1 + e^epsilon) term)-DP: P(A) <= P'(A) + term <= e^epsilon Q'(A) +
/// delta + term <= e^epsilon (Q(A) + term) + delta + term.
///
/// A guarantee with delta above 0 is stated with that included: its events have to be
/// (epsilon, delta_left)-DP. A pure one is stated about ideal noise, with the share beside it, and
/// only where the share is at most max_share_of_pure.
namespace tacet::privacy {

/// Less than the usual delta of the largest data set that can be read (2^32 records: 1e-11).
constexpr double max_share_of_pure = 1e-12;

/// Below this the PRG slack of no run with these events can be: each draw of noise has a keystream
/// block of its own with at least one block of 128 bits, which adds 2^-129 (the PRP/PRF switching
/// lemma).
[[nodiscard]] double min_prg_slack(const Event& events);

/// (1 + e^epsilon) times the PRG slack, rounded up, at most 1; 0 for a term of 0.
[[nodiscard]] double prg_share(double epsilon, double prg_slack_of);

/// What is left of the stated delta for the events, rounded down: delta less the share, or 0 for a
/// pure guarantee. A finite epsilon is taken for granted. GuaranteeError where nothing is left, or
/// where the share is too much beside a pure guarantee.
[[nodiscard]] Delta delta_left(const Guarantee& stated, double prg_slack_of);

/// What delta_left throws: noise from the cipher leaves nothing of delta. What is proved at a
/// smaller epsilon also holds at the one asked for, so that there is another way on than to refuse.
class PrgShareError : public base::GuaranteeError {
 public:
  PrgShareError(const std::string& message, double epsilon) : ErrorOf(message), epsilon_(epsilon) {}
  /// The largest epsilon, rounded down to hundredths, at which the share is at most half of delta
  /// (for a pure guarantee max_share_of_pure); 0 where none is.
  [[nodiscard]] double epsilon_with_room() const { return epsilon_; }

 private:
  double epsilon_;
};

}  // namespace tacet::privacy
