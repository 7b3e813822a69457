#pragma once

#include <utility>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/sample.h"

namespace tacet::mechanism::internal {

/// Debits `noise` under the sample, claims it, and says what was debited.
[[nodiscard]] inline privacy::Event debit_sampled(const privacy::Sample& sample,
                                                  privacy::Event noise,
                                                  privacy::Reservation& reservation) {
  auto event = sample.event(std::move(noise));
  reservation.debit(event);
  sample.claim();
  return event;
}

/// What a release from the sample is paid with, before a random bit is drawn: a debit that claims
/// the sample, or a part of its permit. Gives back what the release states as its cost.
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
