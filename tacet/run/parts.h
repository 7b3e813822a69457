#pragma once

#include <optional>
#include <string>

#include "tacet/base/progress.h"
#include "tacet/run/account.h"

namespace tacet::run {

/// Files that take over records of one file. Whoever is in them stays under the same budget and
/// under the same condition, so that where the file has an account, each part gets its mark.
class Parts {
 public:
  /// The account of `data` by the marks around it. BudgetError where they tell of one whose ledger
  /// is missing, another one now, or an older copy: no part could be booked there.
  Parts(const std::string& data, const base::CancelToken* cancel);

  [[nodiscard]] bool have_account() const { return account_.has_value(); }
  /// Marks a part before it appears, so that no part is ever without.
  void mark(const std::string& part) const;
  /// The ledger knows the records of a part that is there now, wherever they are copied to.
  void note(const std::string& part) const;
  /// What to tell the owner; empty without an account.
  [[nodiscard]] std::string word() const;

 private:
  const base::CancelToken* cancel_;
  std::optional<PayingAccount> account_;
  std::string override_reason_;
};

}  // namespace tacet::run
