#pragma once

#include <string>

#include "tacet/base/error.h"

namespace tacet::privacy {

/// Of delta_left: beside noise from the cipher nothing is left. What is proved at a smaller epsilon
/// holds at the one asked for too, so that there is another way on than to refuse.
class CipherShareError : public base::GuaranteeError {
 public:
  CipherShareError(const std::string& message, double epsilon)
      : ErrorOf(message), epsilon_(epsilon) {}
  /// The largest epsilon, rounded down to hundredths, at which the share is at most half of delta
  /// (for a pure guarantee max_share_of_pure); 0 where none is.
  [[nodiscard]] double epsilon_with_room() const { return epsilon_; }

 private:
  double epsilon_;
};

}  // namespace tacet::privacy
