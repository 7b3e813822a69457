#include <nanobind/stl/map.h>
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
#include "python/binding/training.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/progress.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/report/epsilon_grid.h"
#include "tacet/report/json.h"
#include "tacet/report/page/page.h"
#include "tacet/report/plan.h"
#include "tacet/report/record/gather.h"
#include "tacet/report/text/numbers.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Named = std::vector<std::pair<std::string, nb::bytes>>;

/// A plan: its schema, the options of `tacet train`, and the epsilons that are compared.
struct AskedPlan {
  data::Schema schema;
  Values values;
  std::vector<double> epsilons;
};

/// The plan at each epsilon, in the words of this front end.
report::PlannedSpending planned(const AskedPlan& asked) {
  const auto request = request_of(asked.values);
  report::PlannedSpending shown{.schema = asked.schema, .schema_file = "schema"};
  supervised(nb::none(), [&](const base::Supervision& supervision) {
    shown.chosen = choose::plan(request, asked.schema);
    shown.cost =
        data::with_schema_cost(shown.chosen->schema, report::planned_receipt(*shown.chosen));
    shown.epsilons =
        report::plan_epsilons(request, asked.schema, asked.epsilons, supervision.cancel);
    return true;
  });
  const auto spell = [](std::string& words) { words = spelled(words).c_str(); };
  for (auto& reason : shown.chosen->reasons) spell(reason);
  for (auto& at : shown.epsilons) {
    spell(at.refusal);
    if (!at.plan) continue;
    for (auto& reason : at.plan->reasons) spell(reason);
  }
  return shown;
}

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

std::pair<std::string, std::string> written(const std::string& path, bool overwrite, Asked& asked) {
  return supervised(nb::none(), [&](const base::Supervision& supervision) {
    // Before anything is computed: whether it can be stored.
    base::AtomicFile page(path, overwrite ? base::Overwrite::allow : base::Overwrite::refuse);
    const auto report = gathered(asked, supervision.cancel);
    page.write(report::report_page(report));
    page.commit();
    return std::pair(report.banner, report.refuted);
  });
}

std::pair<std::string, std::string> shown(Asked& asked) {
  return supervised(nb::none(), [&](const base::Supervision& supervision) {
    const auto report = gathered(asked, supervision.cancel);
    return std::pair(report::report_fragment(report),
                     report::json_text(report::report_json(report)));
  });
}

/// Writes the page whole or not at all: its banner, and what does not follow.
std::pair<std::string, std::string> report_file(
    const std::string& path, bool overwrite, const Named& results,
    std::optional<std::pair<std::string, std::string>> account, const Pairs& commands,
    std::vector<std::string> only) {
  auto asked = asked_for(results, std::move(account), commands, std::move(only));
  return written(path, overwrite, asked);
}

/// For the page of a notebook, and as `tacet report --json` prints it.
std::pair<std::string, std::string> report_shown(
    const Named& results, std::optional<std::pair<std::string, std::string>> account,
    std::vector<std::string> only) {
  auto asked = asked_for(results, std::move(account), {}, std::move(only));
  return shown(asked);
}

/// The same of a plan.
std::pair<std::string, std::string> plan_file(const std::string& path, bool overwrite,
                                              const AskedPlan& plan,
                                              std::vector<std::string> only) {
  Asked asked{.request = {.only = std::move(only), .plan = planned(plan)}, .account = {}};
  return written(path, overwrite, asked);
}

std::pair<std::string, std::string> plan_shown(const AskedPlan& plan,
                                               std::vector<std::string> only) {
  Asked asked{.request = {.only = std::move(only), .plan = planned(plan)}, .account = {}};
  return shown(asked);
}

}  // namespace

void bind_reports(nb::module_& module) {
  module.def("report_file", &report_file, nb::arg("path"), nb::arg("overwrite"), nb::arg("results"),
             nb::arg("account").none(), nb::arg("commands"), nb::arg("only"));
  module.def("report_shown", &report_shown, nb::arg("results"), nb::arg("account").none(),
             nb::arg("only"));
  nb::class_<AskedPlan>(module, "AskedPlan")
      .def("__init__", [](AskedPlan* place, const data::Schema& schema, const Values& values,
                          const std::vector<double>& epsilons) {
        new (place) AskedPlan{schema, values, epsilons};
      });
  module.def("plan_file", &plan_file);
  module.def("plan_shown", &plan_shown);
}

}  // namespace tacet::python
