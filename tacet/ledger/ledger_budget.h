#pragma once

#include <string>
#include <vector>

#include "tacet/ledger/ledger.h"
#include "tacet/privacy/budget.h"

namespace tacet::ledger {

/// What the ledger stores about a run besides its event.
struct RunDetails {
  std::string data_set;
  std::string command;
  std::string calibration = "tight";
  std::string privacy_unit = "record";
  bool interactive = false;  ///< see Booking
  Stopping stopping = Stopping::unknown;
  std::string override_reason{};
  std::string unprotected_reason{};
  bool for_ever = false;  ///< see Booking
  /// what happens to the output if the end cannot be written: see OutputRecord
  std::string fate{};
};

/// The booking of a run with these details.
[[nodiscard]] Booking booking_of(const RunDetails& details, const privacy::Event& planned,
                                 const privacy::Guarantee& cost);

/// The budget of one run against an account that outlives it.
///
///   reserve()      books durably, before data are read
///   commit()       on the reservation: the run has ended; nothing may leave yet
///   release()      writes the end of all committed reservations with the output's hash, durably;
///                  only then may the output appear
///
/// Whatever ends the process in between leaves the reservation spent in full. Must not outlive its
/// ledger. Not for use by several threads at once.
///
/// Example:
///
///     const auto run = [](ledger::Ledger& account, const privacy::Event& planned,
///                         const privacy::Guarantee& cost, const std::string& model) {
///       ledger::LedgerBudget budget(account, {.data_set = "patients", .command = "my program"});
///       auto permit = budget.reserve(planned, cost);  // durable, before records are read
///       permit.commit();                              // after the last release
///       const double prg_slack = 1e-20;            // as the model's receipt states it
///       budget.release(model, "model.json", prg_slack);  // durable; now the model may appear
///     };
class LedgerBudget : public privacy::Budget {
 public:
  LedgerBudget(Ledger& ledger, RunDetails details);

  [[nodiscard]] privacy::Reservation reserve(const privacy::Event& planned,
                                             const privacy::Guarantee& cost) override;
  /// The output as the bytes that will be written, and the PRG slack of its noise. InternalError if
  /// no reservation was committed.
  void release(std::string_view output, const std::string& name, double prg_slack);
  /// As release(), for an output that was written in pieces, by the 64 hexadecimal digits of its
  /// SHA-256.
  void release_digest(std::string sha256, const std::string& name, double prg_slack);

  [[nodiscard]] const RunDetails& details() const { return details_; }
  [[nodiscard]] Ledger& ledger() const { return ledger_; }
  /// Whether a reservation was committed whose output the ledger does not know yet.
  [[nodiscard]] bool owes_release() const { return !finished_.empty(); }

 private:
  friend class LedgerRecord;
  Ledger& ledger_;
  RunDetails details_;
  std::vector<FinishedRun> finished_;
};

}  // namespace tacet::ledger
