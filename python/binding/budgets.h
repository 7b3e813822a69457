#pragma once

#include <unistd.h>

#include <optional>
#include <string>

#include "tacet/accounting/memory_budget.h"
#include "tacet/base/error.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::python {

/// What may be spent until the process ends.
struct HeldBudget {
  explicit HeldBudget(const privacy::Guarantee& limit) : cap(limit), budget(limit) {}
  /// BudgetError in a copy of the process, which would spend it once more.
  void check_process() const {
    if (process == getpid()) return;
    throw base::BudgetError(
        "a budget in memory cannot be spent in another process than its own; use a ledger, which "
        "processes share");
  }

  privacy::Guarantee cap;
  accounting::MemoryBudget budget;
  pid_t process = getpid();
};

/// The file of a ledger, and the account in it that pays.
struct AccountPath {
  std::string path;
  std::string data_set;  ///< empty: the only one
};

}  // namespace tacet::python
