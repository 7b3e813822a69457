#pragma once

#include <algorithm>
#include <string>

#include "tacet/base/error.h"
#include "tacet/data/dataset.h"

namespace tacet::test {

/// What reading a file gave: records, or the text of the error.
struct ReadOutcome {
  data::Dataset records{{.columns = 1}};
  std::string error;
};

template <typename Read>
ReadOutcome outcome_of(Read read) {
  ReadOutcome outcome;
  try {
    outcome.records = read();
  } catch (const base::Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

inline bool same_row(const data::Dataset& a, const data::Dataset& b, std::int64_t row) {
  if (a.label(row) != b.label(row) || a.squared_norm(row) != b.squared_norm(row)) return false;
  if (a.unit_of(row) != b.unit_of(row)) return false;
  if (!a.sparse()) return std::ranges::equal(a.dense_row(row), b.dense_row(row));
  return std::ranges::equal(a.sparse_row(row).columns, b.sparse_row(row).columns) &&
         std::ranges::equal(a.sparse_row(row).values, b.sparse_row(row).values);
}

/// Equal records in the same order, with the same units; or the same error.
inline bool same(const ReadOutcome& a, const ReadOutcome& b) {
  const auto& [one, error] = a;
  const auto& [other, other_error] = b;
  if (error != other_error || one.rows() != other.rows()) return false;
  if (one.columns() != other.columns() || one.sparse() != other.sparse()) return false;
  if (one.has_units() != other.has_units() || one.unit_count() != other.unit_count()) return false;
  for (std::int64_t row = 0; row < one.rows(); ++row) {
    if (!same_row(one, other, row)) return false;
  }
  return true;
}

}  // namespace tacet::test
