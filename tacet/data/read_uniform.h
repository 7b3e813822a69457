#pragma once

#include <filesystem>

#include "tacet/data/read_dataset.h"

/// The readers of files whose features have no names.
namespace tacet::data::internal {

[[nodiscard]] Dataset read_libsvm(const std::filesystem::path& file, const Schema& schema,
                                  const ReadOptions& options);

/// `NAME.npy` holds one row a record, `NAME.labels.npy` the labels; for IDX files
/// `...images-idx3...` and `...labels-idx1...`.
[[nodiscard]] Dataset read_npy(const std::filesystem::path& file, const Schema& schema,
                               const ReadOptions& options);

/// Compressed sparse rows: `NAME.indptr.npy` (the file to name), `NAME.indices.npy`, where there
/// is one `NAME.data.npy` (else every value is 1), and `NAME.labels.npy`.
[[nodiscard]] Dataset read_npy_csr(const std::filesystem::path& file, const Schema& schema,
                                   const ReadOptions& options);

}  // namespace tacet::data::internal
