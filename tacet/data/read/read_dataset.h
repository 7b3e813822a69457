#pragma once

#include <filesystem>

#include "tacet/base/progress.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

enum class UnitUse {
  refuse,  ///< a schema with a unit column is a UsageError: the caller bounds single records
  index    ///< the data set carries the unit of each record; the caller bounds units
};

struct ReadOptions {
  TargetUse target = TargetUse::required;
  UnitUse units = UnitUse::refuse;
  const base::CancelToken* cancel = nullptr;
};

/// Reads and encodes a whole file; gzip is recognised by its first bytes. Memory: the encoded
/// records and a buffer. Structural faults are DataErrors with file:line:column, a file the
/// system refuses is an IoError. A file without records is no fault: under add_remove even that is
/// secret. Without the target every label is 0.
///
/// Example:
///
///     const data::Schema schema = data::load_schema("adult.toml");
///     const data::Dataset records = data::read_dataset("adult.csv.gz", schema);
[[nodiscard]] Dataset read_dataset(const std::filesystem::path& file, const Schema& schema,
                                   const ReadOptions& options = {});

}  // namespace tacet::data
