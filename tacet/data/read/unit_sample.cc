#include "tacet/data/read/unit_sample.h"

#include "tacet/base/error.h"
#include "tacet/data/dataset.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/record_source.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::data {
namespace {

std::int64_t checked_limit(const RecordsPerUnit& limit) {
  if (limit.records >= 1 && limit.records <= records_per_unit_limit) return limit.records;
  throw base::UsageError("records per unit must be 1 to {}, got {}", records_per_unit_limit,
                         limit.records);
}

/// The records of one unit that count, by their number in the file (Vitter 1985, algorithm R).
struct Reservoir {
  std::uint64_t seen = 0;
  std::vector<std::size_t> rows;

  void offer(std::size_t row, std::int64_t limit, random::Stream& draws) {
    ++seen;
    if (rows.size() < static_cast<std::size_t>(limit)) {
      rows.push_back(row);
      return;
    }
    const auto slot = random::uniform_below(draws, seen);
    if (slot < rows.size()) rows[slot] = row;
  }
};

}  // namespace

UnitSample::UnitSample(const UnitRecords& table, const RecordsPerUnit& limit,
                       random::BlockClaim draws, const base::CancelToken* cancel)
    : limit_(checked_limit(limit)), units_(table.missing) {
  const auto reader = table.records.open();
  names_ = reader->names();
  place_ = column_place(limit.column, names_, table.records.name);
  random::Stream stream(std::move(draws));
  std::vector<Reservoir> reservoirs;
  std::size_t row = 0;
  for (; const auto record = reader->next(); ++row) {
    if (cancel != nullptr && row % rows_between_checks == 0) cancel->throw_if_cancelled();
    const auto unit = units_.number_of((*record)[place_]);
    if (unit == Dataset::no_unit) continue;
    if (static_cast<std::size_t>(unit) == reservoirs.size()) reservoirs.emplace_back();
    reservoirs[static_cast<std::size_t>(unit)].offer(row, limit_, stream);
  }
  chosen_.resize(row, false);
  for (const auto& reservoir : reservoirs) {
    for (const auto kept : reservoir.rows) chosen_[kept] = true;
  }
  taken_.resize(reservoirs.size(), 0);
}

void UnitSample::expect_columns(std::span<const std::string> names,
                                std::string_view file_name) const {
  expect_same_columns(names_, names, file_name);
}

bool UnitSample::takes_next(std::span<const Value> record) {
  const std::size_t row = next_++;
  if (row >= chosen_.size() || !chosen_[row]) return false;
  const auto unit = units_.number_of(record[place_]);
  if (unit == Dataset::no_unit) return false;
  const auto place = static_cast<std::size_t>(unit);
  if (place >= taken_.size()) taken_.resize(place + 1, 0);
  return ++taken_[place] <= limit_;
}

}  // namespace tacet::data
