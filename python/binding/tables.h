#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "python/binding/context.h"
#include "python/binding/rows.h"
#include "tacet/data/read/record_source.h"
#include "tacet/run/noted_records.h"

namespace tacet::python {

/// Columns that have names, in memory or in a CSV file: Rows, or the path as a text.
class Table {
 public:
  explicit Table(const nanobind::object& given) {
    if (nanobind::isinstance<nanobind::str>(given)) {
      file_ = nanobind::cast<std::string>(given);
    } else {
      rows_ = nanobind::cast<const HeldRows*>(given);
    }
  }

  /// What is in memory is checked by its types, which are public, before anything is booked.
  void check_types(const data::Schema& schema) const {
    if (rows_ == nullptr) return;
    rows_->check_types(schema, schema.target ? data::TargetUse::required : data::TargetUse::absent);
  }
  void refuse_unfit(const std::vector<std::string>& dates,
                    const std::vector<std::string>& ignored) const {
    if (rows_ != nullptr) rows_->refuse_unfit(dates, ignored);
  }
  /// The file of the records, as in run::Expense; empty for records in memory.
  [[nodiscard]] const std::string& file() const { return file_; }
  /// The records; those in memory are added to the fingerprint, if any. The run reads the columns
  /// `read`, all where there are none.
  [[nodiscard]] data::RecordSource records(const data::FileFormat& format,
                                           ledger::Fingerprint* fingerprint = nullptr,
                                           const std::vector<std::string>& read = {}) const {
    if (rows_ == nullptr) return data::csv_records(file_, format);
    return run::noted(rows_->source(), fingerprint, read);
  }
  /// Who pays for a run on them.
  [[nodiscard]] run::Front front(Payer& payer, const base::CancelToken* cancel) const {
    return rows_ == nullptr ? payer.of_file(cancel) : payer.in_memory(cancel);
  }

 private:
  std::string file_;
  const HeldRows* rows_ = nullptr;
};

}  // namespace tacet::python
