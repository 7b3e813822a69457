#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/progress.h"
#include "tacet/report/json.h"
#include "tacet/report/page/page.h"
#include "tacet/report/record/gather.h"
#include "tacet/report/text/numbers.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Named = std::vector<std::pair<std::string, nb::bytes>>;

/// What is asked for, without anything of the interpreter's.
struct Asked {
  report::ReportRequest request;
  std::optional<std::pair<std::string, std::string>> account;  ///< ledger and data set
};

Asked asked_for(const Named& results, std::optional<std::pair<std::string, std::string>> account,
                const Pairs& commands, std::vector<std::string> only) {
  Asked asked{.request = {.only = std::move(only)}, .account = std::move(account)};
  for (const auto& [name, bytes] : results) {
    asked.request.results.push_back({name, std::string(bytes.c_str(), bytes.size())});
  }
  for (const auto& [purpose, text] : commands) asked.request.commands.push_back({purpose, text});
  return asked;
}

report::Report gathered(Asked& asked, const base::CancelToken* cancel) {
  if (asked.account) {
    asked.request.account = report::account_in(asked.account->first, asked.account->second, cancel);
  }
  base::WorkMeter work(base::default_patience, cancel);
  return report::gather(asked.request, work);
}

/// Writes the page whole or not at all: its banner, and what does not follow.
std::pair<std::string, std::string> report_file(
    const std::string& path, bool overwrite, const Named& results,
    std::optional<std::pair<std::string, std::string>> account, const Pairs& commands,
    std::vector<std::string> only) {
  auto asked = asked_for(results, std::move(account), commands, std::move(only));
  return supervised(nb::none(), [&](const base::Supervision& supervision) {
    // Before anything is computed: whether it can be stored.
    base::AtomicFile page(path, overwrite ? base::Overwrite::allow : base::Overwrite::refuse);
    const auto report = gathered(asked, supervision.cancel);
    page.write(report::report_page(report));
    page.commit();
    return std::pair(report.banner, report.refuted);
  });
}

/// For the page of a notebook, and as `tacet report --json` prints it.
std::pair<std::string, std::string> report_shown(
    const Named& results, std::optional<std::pair<std::string, std::string>> account,
    std::vector<std::string> only) {
  auto asked = asked_for(results, std::move(account), {}, std::move(only));
  return supervised(nb::none(), [&](const base::Supervision& supervision) {
    const auto report = gathered(asked, supervision.cancel);
    return std::pair(report::report_fragment(report),
                     report::json_text(report::report_json(report)));
  });
}

}  // namespace

void bind_reports(nb::module_& module) {
  module.def("report_file", &report_file, nb::arg("path"), nb::arg("overwrite"), nb::arg("results"),
             nb::arg("account").none(), nb::arg("commands"), nb::arg("only"));
  module.def("report_shown", &report_shown, nb::arg("results"), nb::arg("account").none(),
             nb::arg("only"));
}

}  // namespace tacet::python
