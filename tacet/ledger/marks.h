#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/ledger/ledger.h"

/// A small file beside the data. It says which ledger holds their account, and the position of that
/// ledger at the last booking. So it shows if somebody spends without the ledger, or from a copy of
/// it. A mark does not name a file but a chain of rows: a copy that was made before the last run,
/// or that has gone its own way since, does not contain that row. The mark does not travel with a
/// copy of the data.
namespace tacet::ledger {

inline constexpr std::string_view marks_file_name = ".tacet-ledgers";

struct Mark {
  std::string file;              ///< name of the data file in this folder
  std::string data_set;          ///< name of its account
  std::filesystem::path ledger;  ///< as written in the file: absolute, or relative to the folder
  std::string ledger_name;       ///< Books::ledger
  LedgerPosition seen;           ///< a position that the ledger had; 0 rows: none was noted
  /// Why the file has this account although it had one in another ledger; empty: it had none.
  std::string override_reason{};

  friend bool operator==(const Mark&, const Mark&) = default;
};

/// The marks of a folder; none if it has no file of marks. DataError for a file that cannot be
/// understood: it may have named an account.
[[nodiscard]] std::vector<Mark> read_marks(const std::filesystem::path& folder);

/// The marks of a folder, locked for one caller. While the object exists, no other thread or
/// process reads them through such an object, or writes them. Keep it only for a short time.
class HeldMarks {
 public:
  /// Waits for others. IoError if the folder cannot be opened or locked (a file beside the marks is
  /// locked if the file system cannot lock folders). Interrupted by `cancel`.
  explicit HeldMarks(std::filesystem::path folder, const base::CancelToken* cancel = nullptr);
  ~HeldMarks();
  HeldMarks(const HeldMarks&) = delete;
  HeldMarks& operator=(const HeldMarks&) = delete;

  /// The current mark of a file.
  [[nodiscard]] std::optional<Mark> find(std::string_view file) const;
  /// Adds or replaces the mark of `mark.file`. IoError if the folder takes no files.
  void put(const Mark& mark);
  /// After a booking, notes the position of this ledger in all of its marks. BudgetError if another
  /// run has noted a row that the ledger does not contain: the booking is then in a copy, and must
  /// not be used. False if the position cannot be noted because the folder takes no files: its
  /// marks stay as they are and are still checked, but a state of the ledger from before this
  /// booking would pass.
  [[nodiscard]] bool advance(Ledger& ledger);
  /// Writes the marks without a change. IoError if the folder takes no files.
  void rewrite();

  /// Whether the locked folder is the one behind the descriptor, and its path still leads to it.
  [[nodiscard]] bool is_of(int folder) const;
  /// Whether the file behind the descriptor has this name in the locked folder.
  [[nodiscard]] bool names(const std::string& file, int descriptor) const;

 private:
  void lock(const base::CancelToken* cancel);
  void lock_a_file(int error);
  [[noreturn]] void refuse(int error) const;

  std::filesystem::path folder_;
  int descriptor_ = -1;  // of the folder
  int lock_ = -1;        // a file in the folder, if folders cannot be locked
};

/// Lock the folder's marks for one call of HeldMarks::put or HeldMarks::advance.
void add_mark(const std::filesystem::path& folder, const Mark& mark,
              const base::CancelToken* cancel = nullptr);
[[nodiscard]] bool advance_marks(const std::filesystem::path& folder, Ledger& ledger,
                                 const base::CancelToken* cancel = nullptr);

/// BudgetError if `ledger` is a copy: made before the mark was last noted, or changed on its own
/// since.
void check_continues(const Mark& mark, Ledger& ledger);

/// The path of a mark's ledger.
[[nodiscard]] std::filesystem::path ledger_path(const std::filesystem::path& folder,
                                                const Mark& mark);

/// How a mark in `folder` writes the path of a ledger: relative if the ledger is in the folder or
/// below it.
[[nodiscard]] std::filesystem::path path_for_mark(const std::filesystem::path& folder,
                                                  const std::filesystem::path& ledger);

}  // namespace tacet::ledger
