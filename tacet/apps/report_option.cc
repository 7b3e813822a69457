#include "tacet/apps/report_option.h"

#include <fmt/format.h>

#include "tacet/apps/patience.h"
#include "tacet/apps/terminal/shell_word.h"
#include "tacet/base/error.h"
#include "tacet/report/page/page.h"
#include "tacet/report/record/gather.h"

namespace tacet::apps {

void ReportOption::declare(Options& options) {
  options.add("--report", file_, "FILE",
              "Also write a page about the result, with pictures, as `tacet report` does "
              "[default: none]");
}

std::optional<base::AtomicFile> ReportOption::open(base::Overwrite overwrite) const {
  std::optional<base::AtomicFile> page;
  if (wanted()) page.emplace(file_, overwrite);
  return page;
}

void ReportOption::write(std::optional<base::AtomicFile> page, const Result& result,
                         const Console& console, const base::CancelToken& cancel) const {
  if (!page) return;
  report::ReportRequest request;
  request.results.push_back({result.file.empty() ? "standard output" : result.file, result.text});
  if (!result.file.empty()) {
    request.commands.push_back({"The verdict on the guarantee, computed from its receipt:",
                                "tacet verify " + shell_word(result.file)});
    request.commands.push_back(
        {"This page again, with the numbers of every figure:",
         "tacet report " + shell_word(result.file) + " --output again.html --numbers numbers"});
  }
  auto work = Patience().meter(cancel);
  const auto report = report::gather(request, work);
  page->write(report::report_page(report));
  page->commit();
  console.say(fmt::format("report written to {}", file_));
  if (!report.refuted.empty()) throw base::GuaranteeError("{}", report.refuted);
}

}  // namespace tacet::apps
