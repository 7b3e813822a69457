#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tacet/apps/options.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/progress.h"
#include "tacet/report/record/gather.h"

namespace tacet::apps {

/// The option --report of commands that release a result: a page about it, as `report` writes one.
class ReportOption {
 public:
  void declare(Options& options);

  /// UsageError where the page is to be the file `output` of the option of that name as well,
  /// however both paths are written: one would overwrite the other, after it was paid for.
  void refuse_same(const std::string& output, std::string_view option = "--output") const;

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
  /// After the result was written: the whole page, or none. GuaranteeError behind a page about
  /// something whose stated guarantee does not follow.
  void write(std::optional<base::AtomicFile> page, const Result& result, const Console& console,
             const base::CancelToken& cancel) const;
  /// The same for results that were gathered elsewhere.
  void write(std::optional<base::AtomicFile> page, const report::ReportRequest& request,
             const Console& console, const base::CancelToken& cancel) const;

 private:
  std::string file_;
};

/// Whether two paths lead to one file, or would if it existed. What standard output is called is no
/// path.
[[nodiscard]] bool same_place(const std::string& one, const std::string& other);

}  // namespace tacet::apps
