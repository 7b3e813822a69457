#include "tacet/api/ledger.h"

#include "tacet/api/inside.h"

namespace tacet::api {

void Ledger::create(const std::string& path) { ledger::Ledger::create(path); }

Ledger::Ledger(const std::string& path) : held_(std::make_shared<ledger::Ledger>(path)) {}

void Ledger::enrol(const Account& account) {
  ledger::Enrolment enrolment{
      .data_set = account.data_set, .adjacency = account.adjacency, .cap = {}};
  enrolment.privacy_unit = account.privacy_unit;
  enrolment.cap = ledger::checked({.currency = ledger::parse_currency(account.currency),
                                   .value = account.cap,
                                   .delta = account.delta,
                                   .order = account.order});
  held_->enrol(enrolment);
}

std::string Ledger::spent(const std::string& data_set) {
  const auto snapshot = held_->snapshot();
  const auto& account = snapshot.account(data_set);
  return ledger::spent_in_words(account.counted.total(), account.cap());
}

LedgerBudget::LedgerBudget(Ledger& book, const Run& run) {
  ledger::RunDetails details{.data_set = run.data_set, .command = run.command};
  details.privacy_unit = run.privacy_unit;
  details.override_reason = run.override_reason;
  details.unprotected_reason = run.unprotected_reason;
  details.for_ever = run.for_ever;
  held_ = std::make_unique<ledger::LedgerBudget>(*book.held_, std::move(details));
}

LedgerBudget::~LedgerBudget() = default;

privacy::Reservation LedgerBudget::reserve(const privacy::Event& planned,
                                           const privacy::Guarantee& cost) {
  return held_->reserve(planned, cost);
}

void LedgerBudget::release(std::string_view output, const std::string& name, double prg_slack) {
  held_->release(output, name, prg_slack);
}

privacy::Budget* Inside::of(privacy::Budget* budget) {
  auto* const own = dynamic_cast<LedgerBudget*>(budget);
  return own == nullptr ? budget : own->held_.get();
}

}  // namespace tacet::api
