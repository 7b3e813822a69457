#pragma once

#include <filesystem>
#include <string>

namespace tacet::data {

/// A small file (a schema) as text. IoError names the file and what the system said; files above
/// limits::schema_bytes are a DataError.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file);

}  // namespace tacet::data
