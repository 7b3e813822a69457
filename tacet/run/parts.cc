#include "tacet/run/parts.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "tacet/base/error.h"
#include "tacet/run/enrolment.h"
#include "tacet/run/records.h"

namespace tacet::run {

Parts::Parts(const std::string& data, const base::CancelToken* cancel) : cancel_(cancel) {
  const auto found = mark_of(data, cancel);
  if (!found) return;
  std::error_code error;
  auto ledger =
      std::filesystem::exists(found->ledger, error)
          ? std::make_unique<ledger::Ledger>(found->ledger, ledger::OpenOptions{.cancel = cancel})
          : nullptr;
  if (ledger == nullptr || ledger->snapshot().ledger != found->mark.ledger_name) {
    throw base::BudgetError(
        "the records of '{}' have the account '{}' in the ledger '{}', which is {}: parts of them "
        "could not be booked there, and nothing was written. Put that ledger back, or mark '{}' "
        "again where it is now (`ledger.enrol` with the `alias` '{}')",
        data, found->mark.data_set, found->ledger.string(),
        ledger == nullptr ? "missing" : "another one now", data, found->mark.data_set);
  }
  ledger::check_continues(found->mark, *ledger);
  auto name = ledger->snapshot().account(found->mark.data_set).name();
  override_reason_ = found->mark.override_reason;
  account_ = PayingAccount{std::move(ledger), std::move(name), found->folder};
}

void Parts::mark(const std::string& part) const {
  if (account_) mark_data(part, *account_, override_reason_, cancel_);
}

void Parts::note(const std::string& part) const {
  if (!account_) return;
  const auto fingerprints = fingerprints_of(*account_->ledger, part);
  if (fingerprints.empty()) return;
  static_cast<void>(account_->ledger->see_records(account_->data_set, fingerprints, part));
}

std::string Parts::word() const {
  if (!account_) return "";
  return fmt::format(
      "these records have the account '{}' in the ledger '{}': both parts are marked as its own, "
      "and what is spent on them is booked there",
      account_->data_set, account_->ledger->path().string());
}

}  // namespace tacet::run
