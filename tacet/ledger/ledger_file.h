#pragma once

#include <filesystem>

namespace tacet::ledger::internal {

/// Makes a ledger, readable by its owner only; it gets its name when it is complete. 0, or EEXIST
/// where there is a file of that name already. IoError for everything else.
[[nodiscard]] int make_ledger(const std::filesystem::path& path);

/// The IoError for an error of the system.
[[noreturn]] void cannot_make_ledger(const std::filesystem::path& path, int error);

}  // namespace tacet::ledger::internal
