#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/binding/budgets.h"
#include "tacet/base/progress.h"
#include "tacet/base/spool.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"
#include "tacet/run/front.h"

namespace tacet::python {

/// Who pays for a run, and where its noise comes from.
struct Context {
  nanobind::object payer = nanobind::none();  ///< a budget, the account of a ledger, or none
  std::optional<std::uint64_t> seed;
  int threads = 0;
  privacy::ReceiptNotes notes;
  std::string spool;  ///< the folder of a file for encoded records; empty: they are in memory

  /// Opened before anything is booked: a folder that cannot be used must cost nothing. Null where
  /// there is none.
  [[nodiscard]] std::shared_ptr<base::Spool> open_spool() const {
    return spool.empty() ? nullptr : base::Spool::in(spool);
  }
};

/// The same for a thread that does not hold the interpreter's lock. Made while it is held, and at
/// its end in the thread that made it, where it tells what people should hear.
class Payer {
 public:
  /// BudgetError for a budget of another process.
  explicit Payer(const Context& context);
  Payer(const Payer&) = delete;
  Payer& operator=(const Payer&) = delete;

  /// Of a run on records in memory, or on those of a file, which may have an account by their
  /// marks.
  [[nodiscard]] run::Front in_memory(const base::CancelToken* cancel);
  [[nodiscard]] run::Front of_file(const base::CancelToken* cancel);

  /// The source of the seed or, where none was given, the operating system's.
  [[nodiscard]] std::unique_ptr<random::Source> source() const;
  /// For ledgers; empty: the noise is secure.
  [[nodiscard]] std::string unprotected_reason() const;

  /// Hands what a run warned of to Python's warnings, as PrivacyWarning. Whoever makes errors of
  /// warnings keeps the result, which is paid for.
  void tell() const noexcept;

 private:
  HeldBudget* budget_ = nullptr;
  std::optional<AccountPath> ledger_;
  std::optional<std::uint64_t> seed_;
  std::vector<std::string> warnings_;
};

/// Tells at the end of its scope, also where the run ends with an error: that what it booked stays
/// spent is heard then above all.
class Telling {
 public:
  explicit Telling(const Payer& payer) : payer_(payer) {}
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;
  ~Telling() { payer_.tell(); }

 private:
  const Payer& payer_;
};

}  // namespace tacet::python
