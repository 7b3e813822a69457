#pragma once

#include <optional>
#include <string>

#include "tacet/apps/options.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/progress.h"

namespace tacet::apps {

/// The option --report of commands that release a result: a page about it, as `report` writes one.
class ReportOption {
 public:
  void declare(Options& options);

  [[nodiscard]] bool wanted() const { return !file_.empty(); }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// Before anything is booked: a page that cannot be stored must not cost any privacy. Nothing
  /// where none is wanted.
  [[nodiscard]] std::optional<base::AtomicFile> open(base::Overwrite overwrite) const;

  /// What the page is about: the file of the result, empty where it went to standard output, and
  /// its text.
  struct Result {
    std::string file;
    std::string text;
  };
  /// After the result was written: the whole page, or none.
  void write(std::optional<base::AtomicFile> page, const Result& result, const Console& console,
             const base::CancelToken& cancel) const;

 private:
  std::string file_;
};

}  // namespace tacet::apps
