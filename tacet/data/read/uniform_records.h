#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/read/array_reader.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/schema.h"

/// The records of files whose features have no names, one by one: LIBSVM, dense arrays, compressed
/// sparse rows. Structural faults are DataErrors. An index without a column, or one that a record
/// repeats, is not an error: which indices occur is private.
namespace tacet::data::internal {

struct UniformRecord {
  std::span<const std::uint32_t> columns;  ///< ascend strictly below the schema's count
  std::span<const double> values;  ///< one per column; NaN or infinite if it is not a finite number
  std::string_view text_label;     ///< of a LIBSVM file
  std::optional<double> number_label;  ///< from an array file, if labels are read
  /// features dropped: without a column, or with the column of an earlier one
  std::int64_t outside = 0;
  std::int64_t place = 0;  ///< line, or number of the record in arrays, from 1
};

class UniformRecords {
 public:
  virtual ~UniformRecords() = default;
  /// Reads the next record, valid until the next call. False at the end; DataError if an array has
  /// numbers left over.
  [[nodiscard]] virtual bool next(UniformRecord& record) = 0;

  /// For several threads: the text of a long text file of which no record was read yet; this object
  /// has then finished. Nothing for other files.
  [[nodiscard]] virtual std::optional<BegunText> take_text() { return std::nullopt; }
  /// The records of whole lines of such a text.
  [[nodiscard]] virtual std::unique_ptr<UniformRecords> of_lines(
      std::unique_ptr<ByteSource> /*text*/) const {
    return nullptr;
  }
  /// How many lines were read.
  [[nodiscard]] virtual std::int64_t lines() const { return 0; }
};

struct CsrArrays {
  ArrayReader starts;               ///< `indptr`: each row's first place in `indices`, and the end
  ArrayReader indices;              ///< columns, counted from 0
  std::optional<ArrayReader> data;  ///< values; absent: every value is 1
};

/// `count` is the schema's number of features, 1 to 2^32 - 1.
[[nodiscard]] std::unique_ptr<UniformRecords> dense_records(ArrayReader features,
                                                            std::optional<ArrayReader> labels,
                                                            std::int64_t count);
[[nodiscard]] std::unique_ptr<UniformRecords> csr_records(CsrArrays arrays,
                                                          std::optional<ArrayReader> labels,
                                                          std::int64_t count);

/// The records of a LIBSVM file, `buffer` bytes at a time.
[[nodiscard]] std::unique_ptr<UniformRecords> libsvm_records(
    std::unique_ptr<ByteSource> source, const std::string& file_name, std::int64_t count,
    std::size_t buffer = std::size_t{1} << 20, std::int64_t index_base = 1);

/// The records of a LIBSVM file as the schema describes it.
[[nodiscard]] std::unique_ptr<UniformRecords> libsvm_of(std::unique_ptr<ByteSource> source,
                                                        const std::string& file_name,
                                                        const Schema& schema);

/// Open files by name, with their labels unless the target is absent. A LIBSVM file contains its
/// labels.
[[nodiscard]] std::unique_ptr<UniformRecords> open_libsvm(const std::filesystem::path& file,
                                                          const Schema& schema, TargetUse target);
/// `NAME.npy` has one row per record, `NAME.labels.npy` the labels; IDX files are
/// `...images-idx3...` and `...labels-idx1...`.
[[nodiscard]] std::unique_ptr<UniformRecords> open_dense(const std::filesystem::path& file,
                                                         const Schema& schema, TargetUse target);
/// Compressed sparse rows: `NAME.indptr.npy` (the file to name), `NAME.indices.npy`,
/// `NAME.labels.npy`, and `NAME.data.npy` if it exists.
[[nodiscard]] std::unique_ptr<UniformRecords> open_csr(const std::filesystem::path& file,
                                                       const Schema& schema, TargetUse target);

/// Opens a file of the kind without a schema: with all of its features (LIBSVM indices count from
/// 0), and with labels if there are any.
[[nodiscard]] std::unique_ptr<UniformRecords> open_whole(const std::filesystem::path& file,
                                                         const FileKind& kind);

/// Opens the file with the reader of its kind, as the schema describes it.
[[nodiscard]] std::unique_ptr<UniformRecords> open_uniform(const std::filesystem::path& file,
                                                           const Schema& schema, TargetUse target);

}  // namespace tacet::data::internal
