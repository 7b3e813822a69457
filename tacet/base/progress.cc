#include "tacet/base/progress.h"

#include "tacet/base/error.h"

namespace tacet::base {

WorkMeter::WorkMeter(double seconds, const CancelToken* cancel)
    : seconds_(seconds), cancel_(cancel) {
  if (!(seconds > 0)) throw UsageError("patience must be above 0 seconds, got {}", seconds);
}

void WorkMeter::spend(double units) {
  if (cancel_ != nullptr) cancel_->throw_if_cancelled();
  spent_ += units;
  if (spent_ > seconds_ * units_of_a_second) {
    throw GuaranteeError(
        "accounting for these events takes more than the {} seconds of work allowed, so nothing is "
        "known of them; allow more with `patience`, or account for fewer different parts at a time",
        seconds_);
  }
}

}  // namespace tacet::base
