#include "tacet/ledger/ledger_budget.h"

#include <utility>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::ledger {

/// The record of one reservation in the ledger.
class LedgerRecord : public privacy::ReservationRecord {
 public:
  LedgerRecord(LedgerBudget& budget, std::int64_t run, std::vector<Look> looks)
      : budget_(budget), run_(run), looks_(std::move(looks)) {}
  void commit(const privacy::Event& spent) override {
    budget_.finished_.push_back({run_, spent, budget_.details_.stopping, 0});
  }
  void disclose() override { budget_.ledger_.disclose(run_); }
  void cancel() override { budget_.ledger_.cancel(run_); }
  [[nodiscard]] std::string condition(std::string_view schema_sha256) const override {
    return condition_of(looks_, schema_sha256);
  }

 private:
  LedgerBudget& budget_;
  std::int64_t run_;
  std::vector<Look> looks_;  // known at the booking or later
};

Booking booking_of(const RunDetails& details, const privacy::Event& planned,
                   const privacy::Guarantee& cost) {
  return {.data_set = details.data_set,
          .command = details.command,
          .calibration = details.calibration,
          .privacy_unit = details.privacy_unit,
          .event = planned,
          .stated = cost,
          .interactive = details.interactive,
          .override_reason = details.override_reason,
          .unprotected_reason = details.unprotected_reason,
          .for_ever = details.for_ever};
}

LedgerBudget::LedgerBudget(Ledger& ledger, RunDetails details)
    : ledger_(ledger), details_(std::move(details)) {}

privacy::Reservation LedgerBudget::reserve(const privacy::Event& planned,
                                           const privacy::Guarantee& cost) {
  // Refuses a plan that a Reservation cannot hold before it is booked.
  const privacy::Reservation probe(planned, cost, nullptr);
  const auto run = ledger_.reserve(booking_of(details_, planned, cost));
  auto looks = ledger_.snapshot().account(details_.data_set).looks;
  return {planned, cost, std::make_unique<LedgerRecord>(*this, run, std::move(looks))};
}

void LedgerBudget::release(std::string_view output, const std::string& name, double prg_slack) {
  release_digest(sha256(output), name, prg_slack);
}

void LedgerBudget::release_digest(std::string sha256, const std::string& name, double prg_slack) {
  if (finished_.empty()) {
    throw base::InternalError("an output may leave only after its reservation was committed");
  }
  // There is one output, so its slack counts once, however many reservations it used.
  finished_.front().prg_slack = prg_slack;
  ledger_.commit(finished_, {std::move(sha256), name, details_.fate});
  finished_.clear();
}

}  // namespace tacet::ledger
