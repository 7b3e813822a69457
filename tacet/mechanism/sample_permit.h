#pragma once

#include <memory>
#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/sample.h"

namespace tacet::mechanism {

/// The permit for everything that one step reads from one sample: debits the parts' composition
/// under the sample once, and hands out the parts to the mechanisms that take a permit in place of
/// a reservation. For all records it is a plain composition. A copy would hand out the parts a
/// second time, so there is none; what it was moved from gives nothing, and neither does a permit
/// whose reservation has ended. Not for several threads at once.
class SamplePermit {
 public:
  /// `parts` are what the releases would cost on the sample's records, in the order in which the
  /// plan has them. Debits sample.event(composition of parts) and claims the sample: InternalError
  /// when anything was released from it before, BudgetError when it was not reserved.
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

  /// For mechanisms: takes out the part that costs `noise`, in any order. BudgetError when there is
  /// none left or the reservation has ended, InternalError for a value computed from another
  /// sample.
  void take(const privacy::Sample& sample, const privacy::Event& noise);

  /// What all parts together cost; each release under the permit states it.
  [[nodiscard]] const privacy::Event& event() const { return event_; }

 private:
  privacy::Sample sample_;
  std::vector<privacy::Event> left_;
  privacy::Event event_;
  std::weak_ptr<const void> reservation_;
};

/// What one of several releases from one sample runs on; the permit pays for it.
struct PermitContext {
  NoiseAddress address;
  random::Source& source;
  SamplePermit& permit;
};

}  // namespace tacet::mechanism
