#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacet::data {

/// This many bytes at the beginning of a file show its kind.
inline constexpr std::size_t telling_bytes = 64;

/// Whether a byte order mark of UTF-16 stands at the beginning.
[[nodiscard]] bool is_utf16(std::string_view first_bytes);

/// If the first bytes belong to a kind of file from which tacet reads no records: what it is, and
/// what to do ("is a Parquet file; ..."). Otherwise empty. The answer depends on the kind of the
/// file, never on a record.
[[nodiscard]] std::string foreign_kind(std::string_view first_bytes);

}  // namespace tacet::data
