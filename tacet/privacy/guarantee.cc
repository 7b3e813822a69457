#include "tacet/privacy/guarantee.h"

#include <cmath>

#include "tacet/base/error.h"

namespace tacet::privacy {

Epsilon::Epsilon(double value) : value_(value) {
  if (!(value >= 0)) {
    throw base::UsageError("epsilon must be 0 or more, got {}; inf asks for no protection", value);
  }
}

Delta::Delta(double value) : value_(value) {
  if (!(value >= 0)) {
    throw base::UsageError("delta must be 0 or more, got {}; 0 asks for pure privacy", value);
  }
  if (!(value < 1)) {
    throw base::UsageError("delta must be below 1, got {}; 0 asks for pure privacy", value);
  }
}

NoiseMultiplier::NoiseMultiplier(double value) : value_(value) {
  if (!(value >= 0) || std::signbit(value)) {
    throw base::UsageError("the noise multiplier must be 0 or more, got {}", value);
  }
}

ClippingNorm::ClippingNorm(double value) : value_(value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw base::UsageError("the clipping norm must be positive and finite, got {}", value);
  }
}

SamplingRate::SamplingRate(double value) : value_(value) {
  if (!(value >= 0 && value <= 1)) {
    throw base::UsageError("the sampling rate must lie in [0, 1], got {}", value);
  }
}

Guarantee checked(const Guarantee& guarantee) {
  static_cast<void>(Epsilon(guarantee.epsilon));
  if (!(guarantee.delta >= 0 && guarantee.delta <= 1)) {
    throw base::UsageError("delta of a guarantee must lie in [0, 1], got {}", guarantee.delta);
  }
  static_cast<void>(to_string(guarantee.adjacency));
  return guarantee;
}

}  // namespace tacet::privacy
