#pragma once

#include <utility>

#include "tacet/data/dataset.h"

/// Replaces the features of all records.
namespace tacet::data {

/// Each row becomes the result of `rule(records, row, out)`, which sets the features. Labels, their
/// domain and units stay. A record without a target stays without features. `read(row)` is called
/// after each row was rewritten.
template <typename Rule, typename Read>
[[nodiscard]] Dataset rewritten(const Dataset& records, const DatasetShape& shape, Rule rule,
                                Read read) {
  auto labelled = shape;
  labelled.labels = records.shape().labels;
  Dataset out(labelled, records.spool());
  if (records.has_units()) out.declare_units();
  EncodedRow row;
  for (std::int64_t k = 0; k < records.rows(); ++k) {
    row.clear();
    row.labelled = records.labelled(k);
    if (row.labelled) rule(records, k, row);
    row.label = records.label(k);
    row.unit = records.has_units() ? records.unit_of(k) : 0;
    out.append(row);
    read(k);
  }
  return out;
}

template <typename Rule>
[[nodiscard]] Dataset rewritten(const Dataset& records, const DatasetShape& shape, Rule rule) {
  return rewritten(records, shape, rule, [](std::int64_t) {});
}

/// If the records are moved in, they are freed as they are read, so that both sets are never in
/// memory together.
template <typename Rule>
[[nodiscard]] Dataset rewritten(Dataset&& records, const DatasetShape& shape, Rule rule) {
  Dataset source = std::move(records);
  return rewritten(std::as_const(source), shape, rule,
                   [&](std::int64_t row) { source.forget_before(row + 1); });
}

}  // namespace tacet::data
