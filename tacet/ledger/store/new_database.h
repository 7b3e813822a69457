#pragma once

#include <filesystem>
#include <functional>

#include "tacet/ledger/store/database.h"

namespace tacet::ledger {

/// Makes a file of SQLite, readable by its owner only; it gets its name when `fill` has filled it,
/// and never gets one if `fill` throws. Returns 0, or EEXIST if there is a file of that name
/// already; every other error of the system is an IoError.
[[nodiscard]] int make_database(const std::filesystem::path& path, const Wording& wording,
                                const std::function<void(Database&)>& fill);

/// The IoError for an error of the system.
[[noreturn]] void cannot_make_database(const std::filesystem::path& path, const Wording& wording,
                                       int error);

}  // namespace tacet::ledger
