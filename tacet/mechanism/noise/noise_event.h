#pragma once

#include <utility>

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

}  // namespace tacet::mechanism::internal
