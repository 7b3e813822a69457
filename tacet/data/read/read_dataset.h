#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/spool.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/text_blocks.h"
#include "tacet/data/read/uniform_records.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

enum class UnitUse {
  refuse,  ///< UsageError for a schema with a unit column, since the caller bounds single records
  index    ///< the data set has the unit of each record, since the caller bounds units
};

struct ReadOptions {
  TargetUse target = TargetUse::required;
  UnitUse units = UnitUse::refuse;
  const base::CancelToken* cancel = nullptr;
  /// Threads for reading long files; absent: only the calling thread (and one that reads ahead).
  /// Records, their order and errors are the same.
  base::ThreadPool* threads = nullptr;
  /// Passes::once if nobody opens the file again; a pipe is then read without keeping it.
  Passes passes = Passes::several;
  /// Observers of the bytes of a text file, from the first to the last, after decompression, on one
  /// of the reader's threads. Files of arrays are not observed, since they are several files.
  std::vector<ByteObserver*> observers = {};
  /// Holds the encoded records; null: in memory.
  std::shared_ptr<base::Spool> spool = {};
};

/// Reads and encodes a whole file; gzip is recognised by its first bytes. Memory: the encoded
/// records and, for each thread, a few blocks of the file. Structural faults are DataErrors with
/// file:line:column; IoError if the system refuses the file. A file without records is valid, since
/// under add_remove even that is secret. Without the target every label is 0.
///
/// Example:
///
///     const data::Schema schema = data::load_schema("adult.toml");
///     const data::Dataset records = data::read_dataset("adult.csv.gz", schema);
[[nodiscard]] Dataset read_dataset(const std::filesystem::path& file, const Schema& schema,
                                   const ReadOptions& options = {});

/// The same for a text file (CSV, LIBSVM) that the caller holds open. UsageError for other kinds,
/// whose records are in several files.
[[nodiscard]] Dataset read_dataset(const OpenFile& file, const Schema& schema,
                                   const ReadOptions& options = {});

namespace internal {

/// The shape of records that are read with or without their target.
[[nodiscard]] inline DatasetShape shape_read(const Schema& schema, TargetUse target) {
  return target == TargetUse::required ? schema.shape() : schema.unlabelled_shape();
}

}  // namespace internal
}  // namespace tacet::data

namespace tacet::data::internal {

/// Encodes all records of a CSV file, on all threads of the options if the file is longer than a
/// block.
[[nodiscard]] Dataset read_csv(std::unique_ptr<ByteSource> source, const std::string& file_name,
                               const Schema& schema, const ReadOptions& options,
                               std::size_t block = TextBlocks::usual_size);

/// Encodes all records of a file whose features have no names. Labels are read unless the target is
/// absent. There may be no records. With several threads, a text file is divided into blocks. The
/// records of other files are read by one thread and encoded by all.
[[nodiscard]] Dataset read_uniform(UniformRecords& records, const Schema& schema,
                                   const ReadOptions& options,
                                   std::size_t block = TextBlocks::usual_size);

}  // namespace tacet::data::internal
