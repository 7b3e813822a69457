#pragma once

#include <filesystem>
#include <functional>

#include "tacet/ledger/store/database.h"

namespace tacet::ledger {

/// Makes an SQLite file that only its owner can read. It gets its name when `fill` has filled it,
/// and never if `fill` throws. Returns 0, or EEXIST if a file of that name exists; every other
/// error of the system is an IoError.
[[nodiscard]] int make_database(const std::filesystem::path& path, const Wording& wording,
                                const std::function<void(Database&)>& fill);

/// Throws the IoError for an error code of the system.
[[noreturn]] void cannot_make_database(const std::filesystem::path& path, const Wording& wording,
                                       int error);

}  // namespace tacet::ledger
