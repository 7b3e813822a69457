#pragma once

#include <memory>
#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/sample.h"

namespace tacet::mechanism {

/// The permit for all releases of one step from one sample. It debits the composition of the parts
/// under the sample once, and gives the parts to mechanisms that accept a permit instead of a
/// reservation. For all records it is a plain composition. It cannot be copied, since a copy would
/// give the parts a second time. A permit that was moved from gives nothing, and neither does one
/// whose reservation has ended. Not for several threads at once.
class SamplePermit {
 public:
  /// `parts` are the events of the releases on the sample's records, in the order of the plan.
  /// Debits sample.event(composition of parts) and claims the sample: InternalError if anything was
  /// released from it before, BudgetError if it was not reserved.
  SamplePermit(const privacy::Sample& sample, std::vector<privacy::Event> parts,
               privacy::Reservation& reservation);
  SamplePermit(SamplePermit&&) noexcept = default;
  SamplePermit& operator=(SamplePermit&&) noexcept = default;
  SamplePermit(const SamplePermit&) = delete;
  SamplePermit& operator=(const SamplePermit&) = delete;
  ~SamplePermit() = default;

  /// The event that a plan books for a permit with these parts.
  [[nodiscard]] static privacy::Event event(const privacy::Sample& sample,
                                            std::vector<privacy::Event> parts);

  /// For mechanisms: takes out the part with the event `noise`, in any order. BudgetError if there
  /// is none left or if the reservation has ended, InternalError for a value computed from another
  /// sample.
  void take(const privacy::Sample& sample, const privacy::Event& noise);

  /// The event of all parts together; each release under the permit states it.
  [[nodiscard]] const privacy::Event& event() const { return event_; }

 private:
  privacy::Sample sample_;
  std::vector<privacy::Event> left_;
  privacy::Event event_;
  std::weak_ptr<const void> reservation_;
};

/// The context of one of several releases from one sample. The permit pays for it.
struct PermitContext {
  NoiseAddress address;
  random::Source& source;
  SamplePermit& permit;
};

}  // namespace tacet::mechanism
