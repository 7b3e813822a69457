#include "tacet/apps/report_option.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "tacet/apps/shared_options.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/error.h"
#include "tacet/report/page/page.h"

namespace tacet::apps {

bool same_place(const std::string& one, const std::string& other) {
  const auto place = [](const std::string& name) {
    std::error_code none;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, none), none);
  };
  constexpr std::string_view standard_output = "-";
  if (one == standard_output || other == standard_output) return false;
  std::error_code none;
  return place(one) == place(other) || std::filesystem::equivalent(one, other, none);
}

void ReportOption::refuse_same(const std::string& output, std::string_view option) const {
  if (!wanted() || output.empty() || !same_place(file_, output)) return;
  throw base::UsageError(
      "--report and {} name one file, '{}': one would overwrite the other; give two names", option,
      file_);
}

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
  write(std::move(page), request, console, cancel);
}

void ReportOption::write(std::optional<base::AtomicFile> page, const report::ReportRequest& request,
                         const Console& console, const base::CancelToken& cancel) const {
  if (!page) return;
  auto work = PatienceOption().meter(cancel);
  const auto report = report::gather(request, work);
  page->write(report::report_page(report));
  page->commit();
  console.say(fmt::format("report written to {}", file_));
  if (!report.refuted.empty()) throw base::GuaranteeError("{}", report.refuted);
}

}  // namespace tacet::apps
