#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

/// A budget is asked before records are read, and gives out a permit.
///
/// Example:
///
///     const auto book = [](privacy::Budget& budget) {
///       const privacy::Guarantee cost{0.5, 0, privacy::Adjacency::add_remove};
///       auto permit = budget.reserve(privacy::Laplace{2}, cost);
///       permit.cancel();  // nothing was released: it is given back
///     };
namespace tacet::privacy {

struct ReceiptNotes;

/// A request that the budget does not cover.
class BudgetExceeded : public base::BudgetError {
 public:
  BudgetExceeded(const std::string& message, Guarantee requested, Guarantee remaining,
                 Guarantee cap)
      : base::BudgetError(message), requested_(requested), remaining_(remaining), cap_(cap) {}

  [[nodiscard]] const Guarantee& requested() const { return requested_; }
  [[nodiscard]] const Guarantee& remaining() const { return remaining_; }
  [[nodiscard]] const Guarantee& cap() const { return cap_; }

 private:
  Guarantee requested_;
  Guarantee remaining_;
  Guarantee cap_;
};

/// Where a budget keeps one reservation. Each kind of budget implements it.
class ReservationRecord {
 public:
  virtual ~ReservationRecord() = default;
  /// The work is done; what was reserved stays spent.
  virtual void commit(const Event& spent) = 0;
  /// Nothing was released: the reservation is given back.
  virtual void cancel() = 0;
  /// To be called when what was released is about to leave this process before the reservation
  /// ends.
  virtual void disclose() {}
  /// The condition on which the budget's promise holds, in words for the receipt; empty if there is
  /// none. `schema_sha256` is the hash of the release's schema, as its receipt states it.
  [[nodiscard]] virtual std::string condition(std::string_view /*schema_sha256*/) const {
    return {};
  }
};

/// A permit, booked before private data are read. Mechanisms debit it for each release, and it
/// refuses releases that were not reserved. A reservation that is neither committed nor cancelled
/// stays spent in full. It must not outlive its budget. Not for several threads at once.
class Reservation {
 public:
  Reservation(Event planned, Guarantee guarantee, std::unique_ptr<ReservationRecord> record);
  Reservation(Reservation&&) noexcept = default;
  Reservation& operator=(Reservation&&) noexcept = default;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() = default;

  /// Books one release. A composition or repetition counts as its parts. BudgetError if an event is
  /// debited more often than the plan contains it.
  void debit(const Event& event);
  /// Ends the reservation; later debits are refused. A second call is an InternalError.
  void commit();
  /// Call it once, before released values leave this process while the reservation is still open.
  /// The reservation then stays spent, even if the process dies and somebody attests that nothing
  /// was released.
  void disclose();
  /// Gives the reservation back. Allowed only before the first debit, else BudgetError.
  void cancel();

  [[nodiscard]] const Event& planned() const { return planned_; }
  [[nodiscard]] const Guarantee& guarantee() const { return guarantee_; }
  /// What was debited so far.
  [[nodiscard]] Event spent() const;
  [[nodiscard]] bool committed() const { return state_ == State::committed; }
  /// These notes, with the condition of the budget's promise added, for the receipt.
  [[nodiscard]] ReceiptNotes noted(ReceiptNotes notes) const;
  /// Expires when the reservation is committed, cancelled or destroyed; a move keeps it alive.
  [[nodiscard]] std::weak_ptr<const void> life() const { return life_; }

 private:
  enum class State { open, committed, cancelled };
  struct Entry {
    Event event;
    std::int64_t planned;
    std::int64_t spent;
  };

  static void count(const Event& planned, std::vector<Entry>& entries);

  Event planned_;
  Guarantee guarantee_;
  std::unique_ptr<ReservationRecord> record_;
  std::vector<Entry> entries_;
  State state_ = State::open;
  std::shared_ptr<const void> life_ = std::make_shared<State>(State::open);
};

/// What may be spent on one data set.
class Budget {
 public:
  virtual ~Budget() = default;
  /// Books `cost`, which must be the guarantee of `planned`, before any data are read.
  /// BudgetExceeded if the budget does not cover it, UsageError if the adjacency is not the
  /// budget's.
  [[nodiscard]] virtual Reservation reserve(const Event& planned, const Guarantee& cost) = 0;
};

}  // namespace tacet::privacy
