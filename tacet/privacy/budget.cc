#include "tacet/privacy/budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/privacy/event_tree.h"
#include "tacet/privacy/receipt.h"

namespace tacet::privacy {
Reservation::Reservation(Event planned, Guarantee guarantee,
                         std::unique_ptr<ReservationRecord> record)
    : planned_(std::move(planned)), guarantee_(guarantee), record_(std::move(record)) {
  count(planned_, entries_);
}

void Reservation::count(const Event& planned, std::vector<Entry>& entries) {
  const auto add = [&entries](const Event& event, std::int64_t times) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.event == event; });
    if (found != entries.end()) {
      return !__builtin_add_overflow(found->planned, times, &found->planned);
    }
    entries.push_back({event, times, 0});
    return true;
  };
  if (!each_release(planned, add)) {
    throw base::UsageError("more than 2^63 repetitions cannot be reserved");
  }
}

void Reservation::debit(const Event& event) {
  if (state_ != State::open) {
    throw base::BudgetError("a release was attempted after its reservation had ended");
  }
  std::vector<Entry> asked;
  count(event, asked);
  const auto entry_of = [this](const Event& wanted) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const Entry& entry) { return entry.event == wanted; });
  };
  for (const auto& request : asked) {
    const auto entry = entry_of(request.event);
    const auto left = entry == entries_.end() ? 0 : entry->planned - entry->spent;
    if (request.planned > left) {
      throw base::BudgetError("the reservation holds {} more releases of {}, {} were asked for",
                              left, event_to_json(request.event), request.planned);
    }
  }
  for (const auto& request : asked) entry_of(request.event)->spent += request.planned;
}

void Reservation::commit() {
  if (state_ != State::open) throw base::InternalError("a reservation was ended twice");
  if (record_) record_->commit(spent());
  state_ = State::committed;
  life_.reset();
}

void Reservation::disclose() {
  if (state_ != State::open) throw base::InternalError("a reservation was ended before");
  if (record_) record_->disclose();
}

void Reservation::cancel() {
  if (state_ != State::open) throw base::InternalError("a reservation was ended twice");
  if (spent() != no_event()) {
    throw base::BudgetError("a reservation cannot be given back after something was released");
  }
  if (record_) record_->cancel();
  state_ = State::cancelled;
  life_.reset();
}

ReceiptNotes Reservation::noted(ReceiptNotes notes) const {
  notes.condition = record_ ? record_->condition(notes.schema_sha256) : std::string();
  return notes;
}

Event Reservation::spent() const {
  Composed parts;
  for (const auto& entry : entries_) {
    if (entry.spent == 1) parts.parts.push_back(entry.event);
    if (entry.spent > 1) parts.parts.emplace_back(Repeated{entry.spent, entry.event});
  }
  if (parts.parts.size() == 1) return parts.parts.front();
  return parts;
}

}  // namespace tacet::privacy
