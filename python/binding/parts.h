#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "tacet/data/encode/value.h"
#include "tacet/run/read_rows.h"

namespace tacet::python {

/// Rows without labels in parts of some thousands, so that what is encoded of them stays in the
/// nearest caches. Not copied while a part is read.
class Parts {
 public:
  explicit Parts(run::Rows rows) : rows_(std::move(rows)) {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  /// The next part, which has to be read to its end before the one after it; may have no row.
  [[nodiscard]] std::optional<run::Rows> next() {
    if (ended_) return std::nullopt;
    if (const auto* matrix = std::get_if<run::Matrix>(&rows_)) return of(*matrix);
    if (const auto* records = std::get_if<run::TypedRecords>(&rows_)) return of(*records);
    ended_ = true;
    return rows_;
  }

 private:
  static constexpr std::size_t max = 8192;

  run::Rows of(const run::Matrix& matrix) {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(matrix.columns, 1));
    const auto count = std::min(max * width, matrix.values.size() - begin_);
    const auto part = matrix.values.subspan(begin_, count);
    begin_ += count;
    ended_ = begin_ == matrix.values.size();
    return run::Matrix{part, matrix.columns};
  }
  run::Rows of(const run::TypedRecords& records) {
    taken_ = 0;
    return run::TypedRecords{records.names, [this, &records](std::span<data::Value> values) {
                               if (taken_ == max) return false;
                               ended_ = !records.next(values);
                               ++taken_;
                               return !ended_;
                             }};
  }

  run::Rows rows_;
  std::size_t begin_ = 0;
  std::size_t taken_ = 0;
  bool ended_ = false;
};

}  // namespace tacet::python
