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

/// The records of files whose features have no names, one by one as the file holds them: LIBSVM,
/// dense arrays, compressed sparse rows. Structural faults are DataErrors; an index without a
/// column is none, nor one that a record repeats: which indices occur is the records' own affair.
namespace tacet::data::internal {

struct UniformRecord {
  std::span<const std::uint32_t> columns;  ///< ascend strictly below the schema's count
  std::span<const double> values;          ///< as many; NaN or infinite where no finite number is
  std::string_view text_label;             ///< of a LIBSVM file
  std::optional<double> number_label;      ///< of an array file whose labels are read
  std::int64_t outside = 0;                ///< features dropped: no such column, or one had before
  std::int64_t place = 0;                  ///< line, or number of the record in arrays, from 1
};

class UniformRecords {
 public:
  virtual ~UniformRecords() = default;
  /// The next record, valid until the next call. False at the end, where no array may have numbers
  /// left over.
  [[nodiscard]] virtual bool next(UniformRecord& record) = 0;

  /// For several threads: the text of a long file of lines of which no record was read yet. These
  /// are done then. Else nothing.
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
  ArrayReader starts;               ///< `indptr`: a row's first place in `indices`, and the end
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

/// Those of a LIBSVM file as the schema describes it.
[[nodiscard]] std::unique_ptr<UniformRecords> libsvm_of(std::unique_ptr<ByteSource> source,
                                                        const std::string& file_name,
                                                        const Schema& schema);

/// Open files by their names, with their labels unless the target is absent. A LIBSVM file holds
/// labels itself.
[[nodiscard]] std::unique_ptr<UniformRecords> open_libsvm(const std::filesystem::path& file,
                                                          const Schema& schema, TargetUse target);
/// `NAME.npy` holds one row a record, `NAME.labels.npy` the labels; for IDX files
/// `...images-idx3...` and `...labels-idx1...`.
[[nodiscard]] std::unique_ptr<UniformRecords> open_dense(const std::filesystem::path& file,
                                                         const Schema& schema, TargetUse target);
/// Compressed sparse rows: `NAME.indptr.npy` (the file to name), `NAME.indices.npy`, where there is
/// one `NAME.data.npy`, and `NAME.labels.npy`.
[[nodiscard]] std::unique_ptr<UniformRecords> open_csr(const std::filesystem::path& file,
                                                       const Schema& schema, TargetUse target);

/// Opens a file of the kind without a schema: all features that it holds, those of a LIBSVM file
/// with indices from 0 on, and the labels where there are any.
[[nodiscard]] std::unique_ptr<UniformRecords> open_whole(const std::filesystem::path& file,
                                                         const FileKind& kind);

/// Opens the file that the schema describes by the reader of its kind.
[[nodiscard]] std::unique_ptr<UniformRecords> open_uniform(const std::filesystem::path& file,
                                                           const Schema& schema, TargetUse target);

}  // namespace tacet::data::internal
