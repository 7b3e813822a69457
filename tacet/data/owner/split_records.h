#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

struct SplitOptions {
  double test_share = 0.2;  ///< above 0 and below 1
  std::uint64_t seed = 1;
  std::string together = {};  ///< column: records that share its value stay on one side
  std::string stratify =
      {};  ///< column: each of its values is split in the same share; "label" for LIBSVM
  FileFormat format = {};  ///< from the schema, or guessed
};

using TextSink = std::function<void(std::string_view)>;

struct SplitCounts {
  std::int64_t train = 0;
  std::int64_t test = 0;
};

/// Writes each record of a CSV or LIBSVM file to one of two sinks, in the order of the file; a CSV
/// file's line of names goes to both. NOT PRIVATE: for the owner of the file, whose records the
/// parts hold as they are (fields in quotes only where they need them).
///
/// It takes one pass. Records, or those of each value of `stratify`, are drawn by permuted blocks:
/// of every b records, a go to the test file, in random order, where a/b is the share with the
/// smallest b up to 1000. So the share of any stretch of the file is right up to one block. With
/// `together`, all records of a value go to the same side, by a hash of the value; a record without
/// one is drawn on its own. The same seed gives the same parts.
///
/// UsageError for options that make no sense, DataError for a column that is missing and a
/// `stratify` of more than 100,000 values.
[[nodiscard]] SplitCounts split_records(const std::filesystem::path& file,
                                        const SplitOptions& options, const TextSink& train,
                                        const TextSink& test);

/// For each of the records, whether it goes to the test side. The choice is the same as for a file
/// with the same values. Errors as above.
[[nodiscard]] std::vector<bool> split_places(const RecordSource& records,
                                             const SplitOptions& options,
                                             const base::CancelToken* cancel = nullptr);

}  // namespace tacet::data
