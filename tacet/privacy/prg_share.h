#pragma once

#include <string>

#include "tacet/base/error.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

/// Noise comes from a cipher and not from true randomness. This takes a share of the stated delta.
///
/// In total variation, each of two neighbouring runs lies within the PRG slack (`slack` below) of a
/// run with ideal noise. So events that are (epsilon, delta)-DP with ideal noise are (epsilon,
/// delta + (1 + e^epsilon) slack)-DP with the cipher's noise: P(A) <= P'(A) + slack <= e^epsilon
/// Q'(A) + delta + slack <= e^epsilon (Q(A) + slack) + delta + slack.
///
/// A stated delta above 0 includes this share, so the events have to be (epsilon, delta_left)-DP. A
/// pure guarantee is stated for ideal noise, with the share beside it, and only if the share is at
/// most max_share_of_pure.
namespace tacet::privacy {

/// Below the usual delta of the largest data set that can be read (2^32 records: 1e-11).
constexpr double max_share_of_pure = 1e-12;

/// A lower bound of the PRG slack of every run with these events. Each draw of noise has its own
/// keystream block of at least 128 bits, which adds 2^-129 (the PRP/PRF switching lemma).
[[nodiscard]] double min_prg_slack(const Event& events);

/// The share: (1 + e^epsilon) times the PRG slack, rounded up, at most 1; 0 for a slack of 0.
[[nodiscard]] double prg_share(double epsilon, double prg_slack_of);

/// The delta that is left for the events, rounded down: the stated delta less the share, or 0 for a
/// pure guarantee. `stated.epsilon` must be finite. GuaranteeError if nothing is left, or if the
/// share is above max_share_of_pure beside a pure guarantee.
[[nodiscard]] Delta delta_left(const Guarantee& stated, double prg_slack_of);

/// Thrown by delta_left: noise from the cipher leaves nothing of delta. A proof at a smaller
/// epsilon also holds at the epsilon asked for, so a caller may try epsilon_with_room() before it
/// refuses.
class PrgShareError : public base::GuaranteeError {
 public:
  PrgShareError(const std::string& message, double epsilon) : ErrorOf(message), epsilon_(epsilon) {}
  /// The largest epsilon, rounded down to hundredths, at which the share is at most half of delta
  /// (for a pure guarantee: at most max_share_of_pure); 0 if there is none.
  [[nodiscard]] double epsilon_with_room() const { return epsilon_; }

 private:
  double epsilon_;
};

}  // namespace tacet::privacy
