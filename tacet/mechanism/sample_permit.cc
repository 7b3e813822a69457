#include "tacet/mechanism/sample_permit.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::mechanism {

privacy::Event SamplePermit::event(const privacy::Sample& sample,
                                   std::vector<privacy::Event> parts) {
  if (parts.size() == 1) return sample.event(std::move(parts.front()));
  return sample.event(privacy::Composed{std::move(parts)});
}

SamplePermit::SamplePermit(const privacy::Sample& sample, std::vector<privacy::Event> parts,
                           privacy::Reservation& reservation)
    : sample_(sample),
      left_(parts),
      event_(event(sample, std::move(parts))),
      reservation_(reservation.life()) {
  reservation.debit(event_);
  sample.claim();
}

void SamplePermit::take(const privacy::Sample& sample, const privacy::Event& noise) {
  if (!(sample == sample_)) {
    throw base::InternalError("a permit covers the releases from its own sample only");
  }
  if (reservation_.expired()) {
    throw base::BudgetError(
        "a release was attempted under a permit whose reservation had ended, or which was moved");
  }
  const auto part = std::find(left_.begin(), left_.end(), noise);
  if (part == left_.end()) {
    throw base::BudgetError("the permit for this sample holds no release of {} (more)",
                            event_to_json(noise));
  }
  left_.erase(part);
}

}  // namespace tacet::mechanism
