#pragma once

#include <filesystem>

namespace tacet::ledger::internal {

/// Makes a ledger, readable by its owner only; it gets its name when it is complete. Returns
/// 0, or EEXIST if there is a file of that name already; every other error is an IoError.
[[nodiscard]] int make_ledger(const std::filesystem::path& path);

/// The IoError for an error of the system.
[[noreturn]] void cannot_make_ledger(const std::filesystem::path& path, int error);

}  // namespace tacet::ledger::internal
