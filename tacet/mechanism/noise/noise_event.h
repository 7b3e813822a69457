#pragma once

#include <utility>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/sample.h"

namespace tacet::mechanism::internal {

/// Debits `noise` under the sample, claims the sample, and returns the event that was debited.
[[nodiscard]] inline privacy::Event debit_sampled(const privacy::Sample& sample,
                                                  privacy::Event noise,
                                                  privacy::Reservation& reservation) {
  auto event = sample.event(std::move(noise));
  reservation.debit(event);
  sample.claim();
  return event;
}

/// Pays for a release from the sample, before a random bit is drawn: by a debit that claims the
/// sample, or by a part of its permit. Returns the event that the release states.
[[nodiscard]] inline privacy::Event pay(const privacy::Sample& sample, privacy::Event cost,
                                        const ReleaseContext& context) {
  return debit_sampled(sample, std::move(cost), context.reservation);
}
[[nodiscard]] inline privacy::Event pay(const privacy::Sample& sample, const privacy::Event& cost,
                                        const PermitContext& context) {
  context.permit.take(sample, cost);
  return context.permit.event();
}

}  // namespace tacet::mechanism::internal
