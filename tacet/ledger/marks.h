#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/ledger/ledger.h"

/// A small file beside the data that says which ledger holds their account, and how far that ledger
/// went when they were last spent on. So spending without the ledger is noticed, and so is spending
/// from a copy of it: what a mark names is not a file but a chain of rows, and a copy that was made
/// before the last run, or that went its own way since, does not hold that row. It does not travel
/// with a copy of the data.
namespace tacet::ledger {

inline constexpr std::string_view marks_file_name = ".tacet-ledgers";

struct Mark {
  std::string file;              ///< name of the data file in this folder
  std::string data_set;          ///< its account
  std::filesystem::path ledger;  ///< as written: absolute, or relative to the folder
  std::string ledger_name;       ///< Books::ledger
  LedgerPosition seen;           ///< a row that the ledger had; 0: none was noted
  /// Why the file has this account although another ledger had one for it; empty: none had.
  std::string override_reason{};

  friend bool operator==(const Mark&, const Mark&) = default;
};

/// The marks of a folder; none where there is no file of them. A file that cannot be understood is
/// a DataError: it may have stood for an account.
[[nodiscard]] std::vector<Mark> read_marks(const std::filesystem::path& folder);

/// The marks of a folder, held for one caller: from when it is made to its end nobody else, process
/// or thread, reads them through another object of this kind or writes them. Hold it only for
/// short.
class HeldMarks {
 public:
  /// Waits for others. IoError where the folder cannot be opened, or no lock can be had (some file
  /// systems lock no folders, and then a file beside the marks is locked); Interrupted by `cancel`.
  explicit HeldMarks(std::filesystem::path folder, const base::CancelToken* cancel = nullptr);
  ~HeldMarks();
  HeldMarks(const HeldMarks&) = delete;
  HeldMarks& operator=(const HeldMarks&) = delete;

  /// The mark as it is in the file now.
  [[nodiscard]] std::optional<Mark> find(std::string_view file) const;
  /// Adds or replaces the mark of `mark.file`. IoError when the folder takes no files.
  void put(const Mark& mark);
  /// Notes in all marks of this ledger how far it goes, after a booking. BudgetError when another
  /// run has noted a row that the ledger does not hold: then the booking is in a copy, and must not
  /// be used. False where that is not noted, because the folder takes no files: its marks stay as
  /// they are and still hold, but a state of the ledger from before this booking passes for it.
  [[nodiscard]] bool advance(Ledger& ledger);
  /// Writes the marks as they are. IoError when the folder takes no files.
  void rewrite();

  /// Whether the folder that is locked is the one behind the descriptor, and its path still leads
  /// to it.
  [[nodiscard]] bool is_of(int folder) const;
  /// Whether the file behind the descriptor has this name in the folder that is locked.
  [[nodiscard]] bool names(const std::string& file, int descriptor) const;

 private:
  void lock(const base::CancelToken* cancel);
  void lock_a_file(int error);
  [[noreturn]] void refuse(int error) const;

  std::filesystem::path folder_;
  int descriptor_ = -1;  // the folder
  int lock_ = -1;        // a file in it, where folders cannot be locked
};

/// HeldMarks::put and HeldMarks::advance by themselves.
void add_mark(const std::filesystem::path& folder, const Mark& mark,
              const base::CancelToken* cancel = nullptr);
[[nodiscard]] bool advance_marks(const std::filesystem::path& folder, Ledger& ledger,
                                 const base::CancelToken* cancel = nullptr);

/// BudgetError when `ledger` is a copy, made before the mark was last noted or gone its own way.
void check_continues(const Mark& mark, Ledger& ledger);

/// The path of a mark's ledger.
[[nodiscard]] std::filesystem::path ledger_path(const std::filesystem::path& folder,
                                                const Mark& mark);

/// How a mark in `folder` names a ledger: relative when it lies in the folder or below it.
[[nodiscard]] std::filesystem::path path_for_mark(const std::filesystem::path& folder,
                                                  const std::filesystem::path& ledger);

}  // namespace tacet::ledger
