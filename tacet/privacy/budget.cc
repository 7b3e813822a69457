#include "tacet/privacy/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/numeric/infinity.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/event_tree.h"

namespace tacet::privacy {
namespace {

using numeric::add_up;

using numeric::infinity;

/// a - b, rounded down; what is left never looks larger than it is.
double subtract_down(double a, double b) {
  if (std::isinf(a)) return a;
  return std::max(0.0, std::nextafter(a - b, -infinity));
}

std::string in_words(const Guarantee& guarantee) {
  return fmt::format("(epsilon {}, delta {})", guarantee.epsilon, guarantee.delta);
}

}  // namespace

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

void Reservation::cancel() {
  if (state_ != State::open) throw base::InternalError("a reservation was ended twice");
  if (spent() != no_event()) {
    throw base::BudgetError("a reservation cannot be given back after something was released");
  }
  if (record_) record_->cancel();
  state_ = State::cancelled;
  life_.reset();
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

/// The place of one reservation in MemoryBudget's list.
class MemoryRecord : public ReservationRecord {
 public:
  MemoryRecord(MemoryBudget& budget, std::size_t index) : budget_(budget), index_(index) {}
  void commit(const Event& /*spent*/) override {}
  void cancel() override {
    const std::lock_guard lock(budget_.mutex_);
    budget_.costs_[index_].reset();
  }

 private:
  MemoryBudget& budget_;
  std::size_t index_;
};

MemoryBudget::MemoryBudget(Adjacency adjacency) : adjacency_(adjacency) {}

MemoryBudget::MemoryBudget(const Guarantee& cap) : adjacency_(cap.adjacency), cap_(checked(cap)) {}

Guarantee MemoryBudget::total() const {
  Guarantee sum{0, 0, adjacency_};
  for (const auto& cost : costs_) {
    if (!cost) continue;
    sum.epsilon = add_up(sum.epsilon, cost->epsilon);
    sum.delta = add_up(sum.delta, cost->delta);
  }
  return sum;
}

Guarantee MemoryBudget::spent() const {
  const std::lock_guard lock(mutex_);
  return total();
}

Reservation MemoryBudget::reserve(const Event& planned, const Guarantee& cost) {
  const auto asked = checked(cost);
  if (asked.adjacency != adjacency_) {
    throw base::UsageError(
        "the budget counts {}, the request {}; budgets do not convert between adjacencies",
        to_string(adjacency_), to_string(asked.adjacency));
  }
  const std::lock_guard lock(mutex_);
  const auto before = total();
  const Guarantee after{add_up(before.epsilon, asked.epsilon), add_up(before.delta, asked.delta),
                        adjacency_};
  if (cap_ && (after.epsilon > cap_->epsilon || after.delta > cap_->delta)) {
    const Guarantee remaining{subtract_down(cap_->epsilon, before.epsilon),
                              subtract_down(cap_->delta, before.delta), adjacency_};
    throw BudgetExceeded(fmt::format("the privacy budget does not cover this: requested {}, "
                                     "remaining {}, cap {}",
                                     in_words(asked), in_words(remaining), in_words(*cap_)),
                         asked, remaining, *cap_);
  }
  Reservation reservation(planned, asked, std::make_unique<MemoryRecord>(*this, costs_.size()));
  costs_.emplace_back(asked);
  return reservation;
}

}  // namespace tacet::privacy
