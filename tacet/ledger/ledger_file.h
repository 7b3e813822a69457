#pragma once

#include <filesystem>

namespace tacet::ledger::internal {

/// Makes a ledger that only its owner can read. It gets its name when it is complete. Returns 0, or
/// EEXIST if a file of that name exists; every other error is an IoError.
[[nodiscard]] int make_ledger(const std::filesystem::path& path);

/// Throws the IoError for an error code of the system.
[[noreturn]] void cannot_make_ledger(const std::filesystem::path& path, int error);

}  // namespace tacet::ledger::internal
