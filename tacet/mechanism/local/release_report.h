#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/local/local_randomizer.h"
#include "tacet/mechanism/local/report.h"
#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/released.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// Releases one device's report of its gradient. The guarantee holds against everybody, including
/// the server: for any two records, the probabilities of a report differ by a factor of at most
/// e^epsilon (or it is (epsilon, delta)-private, for `gaussian`), exactly, since the report is an
/// integer vector whose law is known (docs/proofs/local_randomizers.md).
///
/// Debits `reservation` by randomizer.event() before a random bit is drawn. Takes one claim, of
/// randomizer.claim_words() words. InternalError for a gradient that is not one record's, or on
/// another grid than the randomizer's.
///
/// Example:
///
///     // A device: its own reservation, its own record's gradient, one report.
///     const auto report = [](privacy::PartialSum gradient, const mechanism::LocalRandomizer& how,
///                            privacy::Reservation& permit) {
///       const auto source = random::SecureSource::create();
///       return mechanism::release_report(std::move(gradient), how, {.step = 0}, *source, permit);
///     };
[[nodiscard]] privacy::Released<Report> release_report(privacy::PartialSum gradient,
                                                       const LocalRandomizer& randomizer,
                                                       NoiseAddress address, random::Source& source,
                                                       privacy::Reservation& reservation);

/// Many devices in one process. No record is in more than `contributions` reports. So all reports
/// together, each of which may depend on earlier ones, cost as much as one device spends
/// (sequentially interactive local privacy: docs/proofs/local_randomizers.md, section 6).
class DeviceReports {
 public:
  /// Debits event(randomizer, contributions). UsageError unless there are 0 to 2^32 devices and 1
  /// to 255 contributions.
  DeviceReports(LocalRandomizer randomizer, std::int64_t devices, std::int64_t contributions,
                privacy::Reservation& reservation);

  /// The event of the reports of all devices under replace_one: randomizer.event(), repeated if a
  /// device contributes several times.
  [[nodiscard]] static privacy::Event event(const LocalRandomizer& randomizer,
                                            std::int64_t contributions);

  /// As release_report. The record's number must be below `devices`; BudgetError if it was in
  /// `contributions` reports already. Several threads may call it.
  [[nodiscard]] privacy::Released<Report> release(privacy::PartialSum gradient,
                                                  NoiseAddress address, random::Source& source);

  [[nodiscard]] const LocalRandomizer& randomizer() const { return randomizer_; }

 private:
  LocalRandomizer randomizer_;
  std::int64_t contributions_;
  std::vector<std::uint8_t> made_;  // reports of each device
};

}  // namespace tacet::mechanism
