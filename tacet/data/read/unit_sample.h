#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/encode/unit_index.h"
#include "tacet/data/read/record_source.h"
#include "tacet/random/source/source.h"

namespace tacet::data {

/// The number of records of a unit that count: at most `records`, in [1, records_per_unit_limit].
struct RecordsPerUnit {
  std::string column;        ///< whose value names the unit
  std::int64_t records = 1;  ///< N
};

inline constexpr std::int64_t records_per_unit_limit = std::int64_t{1} << 20;

/// Records with units, and the texts that stand for a missing unit.
struct UnitRecords {
  RecordSource records;
  std::span<const std::string> missing;
};

/// Chooses at most N records of each unit, uniformly at random; The choice is secret. The choice
/// for a unit depends only on its own records and on its own random draws. So one unit more or less
/// changes nothing for the others (docs/proofs/schema_fit.md). Records without a unit do not count.
/// Not for several threads at once.
class UnitSample {
 public:
  /// Reads the records once, and chooses. UsageError for a limit out of range, DataError unless
  /// exactly one column has the limit's name; else as read_dataset.
  UnitSample(const UnitRecords& table, const RecordsPerUnit& limit, random::BlockClaim draws,
             const base::CancelToken* cancel = nullptr);

  /// Call it before the second pass, with the names of the columns. DataError if they changed since
  /// the first pass.
  void expect_columns(std::span<const std::string> names, std::string_view file_name) const;

  /// Whether the next record counts, in the order of the first pass. The limit of N records per
  /// unit is enforced again here, since a file may have changed in between.
  [[nodiscard]] bool takes_next(std::span<const Value> record);

 private:
  std::int64_t limit_;
  std::vector<std::string> names_;
  std::size_t place_ = 0;  // of the unit's column
  std::vector<bool> chosen_;
  std::size_t next_ = 0;
  UnitIndex units_;
  std::vector<std::int64_t> taken_;
};

}  // namespace tacet::data
