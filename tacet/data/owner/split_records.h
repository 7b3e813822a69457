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
      {};  ///< column: each of its values is split by that share; "label" for LIBSVM
  FileFormat format = {};  ///< as the schema says, or as guessed
};

using TextSink = std::function<void(std::string_view)>;

struct SplitCounts {
  std::int64_t train = 0;
  std::int64_t test = 0;
};

/// Writes each record of a CSV or LIBSVM file to one of two sinks, in the order of the file; a
/// CSV file's line of names goes to both. NOT PRIVATE: for the owner of the file, whose records the
/// parts hold as they are (fields in quotes only where they need them).
///
/// One pass. Records, or those of each value of `stratify`, are drawn by permuted blocks: of every
/// b records a go to the test, in random order, where a/b is the share with the smallest b up to
/// 1000; so no stretch of the file is off by more than a block. With `together`, each value goes
/// whole, by a hash of it; a record without one goes by itself. The same seed gives the same parts.
///
/// UsageError for options that make no sense, DataError for a column that is missing and a
/// `stratify` of more than 100,000 values.
[[nodiscard]] SplitCounts split_records(const std::filesystem::path& file,
                                        const SplitOptions& options, const TextSink& train,
                                        const TextSink& test);

/// Whether each of the records goes to the test: the same choice for values that a file would spell
/// so. Errors as above.
[[nodiscard]] std::vector<bool> split_places(const RecordSource& records,
                                             const SplitOptions& options,
                                             const base::CancelToken* cancel = nullptr);

}  // namespace tacet::data
