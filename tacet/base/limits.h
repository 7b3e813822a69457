#pragma once

#include <cstdint>

/// What a file from somebody else may ask for. It is checked before memory is taken. These limits
/// bound memory and work, not the width of a model. docs/reference/limits.md lists them for users.
namespace tacet::base::limits {

inline constexpr std::int64_t mebi = std::int64_t{1} << 20;

// Schemas, in TOML or inside of a model.
inline constexpr std::int64_t schema_bytes = 64 * mebi;
inline constexpr std::int64_t schema_values = mebi;  ///< keys, list entries and tables together
inline constexpr int schema_depth = 8;               ///< tables and lists inside each other

// Models.
inline constexpr std::int64_t model_bytes = 1024 * mebi;
/// all values but features and coefficients
inline constexpr std::int64_t model_values = 2 * mebi;
inline constexpr int model_depth = 100;  ///< a receipt's event tree has the deepest legal nesting
// Other results with a receipt inside.
inline constexpr std::int64_t result_bytes = 16 * mebi;

// Records.
inline constexpr std::int64_t csv_record_bytes = 64 * mebi;
inline constexpr std::int64_t csv_columns = mebi;
/// of the part of a file that a drafted schema is based on
inline constexpr std::int64_t sample_bytes = 64 * mebi;
inline constexpr std::int64_t libsvm_field_bytes = 4096;  ///< a longer field cannot be a number
inline constexpr std::int64_t array_header_bytes = std::int64_t{1} << 16;
inline constexpr std::int64_t array_numbers = std::int64_t{1} << 48;
inline constexpr std::int64_t line_bytes =
    mebi;  ///< of a record that a ledger recognises; longer ones are hashed in pieces

}  // namespace tacet::base::limits
