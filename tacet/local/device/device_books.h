#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/ledger/ledger_budget.h"
#include "tacet/ledger/marks.h"
#include "tacet/local/device/client.h"
#include "tacet/local/device/folder.h"
#include "tacet/local/device/record_file.h"

namespace tacet::local {

/// What a device has spent on its record, in all tasks: an account in a ledger of its folder, or of
/// the folder that the policy names for it, whose cap is the policy's. A mark beside the record
/// names that ledger, so that no other one, and no older state of it, passes for it: of several
/// that start at once with folders of their own, one sets the mark, and the others see it.
///
/// The mark is looked at when the books are opened and again when a report is booked, each time
/// under its lock and while the record is still the file that was opened. It follows the ledger row
/// by row, so that a state of the ledger from before a booking does not pass for it.
///
/// BudgetError where the ledger is missing, another one or an older one, or lacks what the folder's
/// reports have cost; where the record cannot be marked, or may be mounted in a second place, and
/// the policy names no place for the books; where the record has several names (hard links).
/// IoError where nothing can be locked. Not for several threads at once.
class DeviceBooks {
 public:
  /// Opens it, makes it where nothing was ever spent, and gives the account the policy's cap. All
  /// of it while nobody else works in the folder, or looks at the mark.
  DeviceBooks(const DeviceFolder& folder, const Participation& part, const RecordFile& record,
              const DeviceContext& context);

  /// No report was stored for the task, and none may have left: gives back what attempts had booked
  /// that ended before. BudgetError where a report was booked for good, or the mark could not
  /// follow another booking.
  void resolve_attempts();
  /// Looks at the mark again and books the task, durably, before the record is read: nobody else
  /// looks at the mark meanwhile. What it throws has booked nothing.
  [[nodiscard]] privacy::Reservation reserve();
  /// This report is paid for when it returns, whatever became of the attempt that drew it, and
  /// nothing else was booked under the task. BudgetError where the policy does not allow it.
  void book_report(std::string_view report);

  /// BudgetError: a report of the task may have left, and there is none to send again.
  [[noreturn]] static void refuse_second(const DeviceFolder& folder, const std::string& task);

 private:
  void open();
  void check_names() const;
  [[nodiscard]] std::filesystem::path find_books();
  void set_mark(ledger::HeldMarks& marks);
  /// BudgetError, with what `remains`, unless the record is still the file that was opened, and its
  /// mark names this ledger, or an earlier state of it.
  void check_mark(const ledger::HeldMarks& marks, const std::string& remains);
  /// Call it before a booking. BudgetError if the mark could not be updated afterwards.
  void check_follows(ledger::HeldMarks& marks);
  /// Call it after a booking: updates the mark. BudgetError, which says what `remains`, if that
  /// fails.
  void follow(ledger::HeldMarks& marks, const std::string& remains);
  /// The mark cannot be written: said once where the books have a place of their own, else a
  /// BudgetError.
  void accept_fixed_mark(const std::string& why, const std::string& remains);
  void set_account();
  void check_folder();
  void check_paid(const ledger::OutputRecord& output, const ledger::Run& run) const;
  [[nodiscard]] ledger::Cap cap() const;
  [[nodiscard]] std::string command() const { return "join " + part_.task.digest; }
  [[nodiscard]] std::string fate() const;
  /// Runs of the task that count.
  [[nodiscard]] std::vector<ledger::Run> runs();

  const DeviceFolder& folder_;
  const Participation& part_;
  const RecordFile& record_;
  const DeviceContext& context_;
  std::optional<DeviceFolder> books_;  // the policy's: held, so that others wait
  bool marked_ = true;                 // false: the record's folder takes no mark
  bool remarked_ = false;              // that the mark cannot be written
  std::optional<ledger::Ledger> ledger_;
  std::optional<ledger::LedgerBudget> budget_;
};

}  // namespace tacet::local
