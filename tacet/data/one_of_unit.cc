#include "tacet/data/one_of_unit.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::data {
namespace {

struct Choice {
  std::uint64_t seen = 0;
  std::int64_t row = 0;
};

void copy_record(const Dataset& from, std::int64_t row, Dataset& to) {
  if (!from.sparse()) return to.append_dense(from.dense_row(row), from.label(row));
  const auto entries = from.sparse_row(row);
  to.append({.columns = {entries.columns.begin(), entries.columns.end()},
             .values = {entries.values.begin(), entries.values.end()},
             .label = from.label(row)});
}

}  // namespace

Dataset one_record_per_unit(const Dataset& dataset, random::BlockClaim draws) {
  if (!dataset.has_units()) throw base::InternalError("a record of each unit, but there are none");
  random::Stream stream(std::move(draws));
  std::vector<Choice> choices(static_cast<std::size_t>(dataset.unit_count()));
  for (std::int64_t row = 0; row < dataset.rows(); ++row) {
    const auto unit = dataset.unit_of(row);
    if (unit == Dataset::no_unit) continue;
    // The newest of m records takes the place with probability 1/m (Vitter 1985, algorithm R).
    auto& choice = choices[static_cast<std::size_t>(unit)];
    if (random::uniform_below(stream, ++choice.seen) == 0) choice.row = row;
  }
  Dataset drawn(dataset.shape());
  for (const auto& choice : choices) copy_record(dataset, choice.row, drawn);
  return drawn;
}

}  // namespace tacet::data
