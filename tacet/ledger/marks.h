#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A small file beside the data that says which ledger holds their account, so that spending
/// without it is noticed. It does not travel with a copy of the data.
namespace tacet::ledger {

inline constexpr std::string_view marks_file_name = ".tacet-ledgers";

struct Mark {
  std::string file;              ///< name of the data file in this folder
  std::string data_set;          ///< its account
  std::filesystem::path ledger;  ///< as written: absolute, or relative to the folder
  std::string ledger_name;       ///< Books::ledger

  friend bool operator==(const Mark&, const Mark&) = default;
};

/// The marks of a folder; none where there is no file of them. A file that cannot be understood is
/// a DataError: it may have stood for an account.
[[nodiscard]] std::vector<Mark> read_marks(const std::filesystem::path& folder);

/// Adds or replaces the mark of `mark.file`. IoError when the folder takes no files.
void add_mark(const std::filesystem::path& folder, const Mark& mark);

/// The path of a mark's ledger.
[[nodiscard]] std::filesystem::path ledger_path(const std::filesystem::path& folder,
                                                const Mark& mark);

/// How a mark in `folder` names a ledger: relative when it lies in the folder or below it.
[[nodiscard]] std::filesystem::path path_for_mark(const std::filesystem::path& folder,
                                                  const std::filesystem::path& ledger);

}  // namespace tacet::ledger
