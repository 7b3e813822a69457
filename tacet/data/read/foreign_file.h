#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacet::data {

/// How many bytes of a file's beginning tell of what kind it is.
inline constexpr std::size_t telling_bytes = 64;

/// Whether a byte order mark of UTF-16 stands at the beginning.
[[nodiscard]] bool is_utf16(std::string_view first_bytes);

/// What a file is by its first bytes where it holds no records that tacet reads, with a way out:
/// "is a Parquet file; ..." Empty when nothing speaks against it. The answer depends on the kind of
/// the file, never on a record.
[[nodiscard]] std::string foreign_kind(std::string_view first_bytes);

}  // namespace tacet::data
