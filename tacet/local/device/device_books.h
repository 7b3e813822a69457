#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/ledger/ledger_budget.h"
#include "tacet/ledger/marks.h"
#include "tacet/local/device/client.h"
#include "tacet/local/device/folder.h"

namespace tacet::local {

/// What a device has spent on its record, in all tasks: an account in a ledger of its folder, or of
/// the folder that the policy names for it, whose cap is the policy's. A mark beside the record
/// names that ledger, so that no other one, and no older state of it, passes for it: of several
/// that start at once with folders of their own, one sets the mark, and the others see it.
///
/// The mark is read and set in two steps: of two joins of one record that start together with
/// folders of their own, each may find that nothing was spent. In a folder that has become
/// read-only the mark stays as it is, and an older state of the ledger passes.
///
/// BudgetError where the ledger is missing, another one or an older one, or lacks what the folder's
/// reports have cost; where the record cannot be marked and the policy names no place for the
/// books; where the record has several names (hard links). Not for several threads at once.
class DeviceBooks {
 public:
  /// Opens it, makes it where nothing was ever spent, and gives the account the policy's cap. All
  /// of it while nobody else works in the folder, or looks at the mark.
  DeviceBooks(const DeviceFolder& folder, const Participation& part, const DeviceContext& context);

  /// No report was stored for the task, and none may have left: gives back what attempts had booked
  /// that ended before. BudgetError where a report was booked for good.
  void resolve_attempts();
  /// Looks at the mark again and books the task, durably, before the record is read: nobody else
  /// looks at the mark meanwhile.
  [[nodiscard]] privacy::Reservation reserve();
  /// This report is paid for when it returns, whatever became of the attempt that drew it, and
  /// nothing else was booked under the task. BudgetError where the policy does not allow it.
  void book_report(std::string_view report);

  /// BudgetError: a report of the task may have left, and there is none to send again.
  [[noreturn]] static void refuse_second(const DeviceFolder& folder, const std::string& task);

 private:
  void open(const DeviceContext& context);
  void find_record();
  [[nodiscard]] std::filesystem::path find_books();
  void set_mark(ledger::HeldMarks& marks, const DeviceContext& context);
  /// BudgetError unless the mark still names this ledger, or an earlier state of it.
  void check_mark(const ledger::HeldMarks& marks);
  void set_account();
  void check_folder();
  void check_paid(const ledger::Output& output, const ledger::Run& run) const;
  [[nodiscard]] ledger::Cap cap() const;
  [[nodiscard]] std::string command() const { return "join " + part_.task.digest; }
  [[nodiscard]] std::string fate() const;
  /// Runs of the task that count.
  [[nodiscard]] std::vector<ledger::Run> runs();

  const DeviceFolder& folder_;
  const Participation& part_;
  const base::CancelToken* cancel_;
  std::filesystem::path record_;       // its true name
  std::optional<DeviceFolder> books_;  // the policy's: held, so that others wait
  bool marked_ = true;                 // false: the record's folder takes no mark
  std::optional<ledger::Ledger> ledger_;
  std::optional<ledger::LedgerBudget> budget_;
};

}  // namespace tacet::local
