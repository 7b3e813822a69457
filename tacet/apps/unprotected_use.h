#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "tacet/apps/console.h"
#include "tacet/apps/spending.h"
#include "tacet/privacy/budget.h"

namespace tacet::apps {

/// One command that prints exact figures of records: an infinite cost. Records that have an account
/// are not public, whoever says so; without theirs, or without a reason that their ledger keeps,
/// this is a BudgetError before the data are opened.
class UnprotectedUse {
 public:
  /// `what` goes out: "exact metrics (--public)".
  UnprotectedUse(const SpendingOptions& options, const std::string& command,
                 const std::string& data, const std::string& what, const Console& console)
      : spending_(options.open(
            {.command = command, .data = data, .adjacency = neighbours, .unprotected_reason = what},
            console)),
        reservation_(spending_->reserve(
            privacy::no_event(), {std::numeric_limits<double>::infinity(), 0, neighbours})) {}

  /// The result of `reader`, which opens the data.
  template <typename Reader>
  [[nodiscard]] auto read(const Reader& reader) {
    return spending_->read(reservation_, reader);
  }

  /// Books the complete output, before it appears.
  void release(std::string_view output, const std::string& name) {
    reservation_.commit();
    spending_->release(output, name, 0);
  }

 private:
  static constexpr auto neighbours = privacy::Adjacency::add_remove;

  std::unique_ptr<Spending> spending_;
  privacy::Reservation reservation_;
};

}  // namespace tacet::apps
