#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "python/binding/training.h"
#include "tacet/audit/subjects.h"
#include "tacet/audit/training_audit.h"
#include "tacet/base/atomic_file.h"
#include "tacet/choose/plan.h"
#include "tacet/report/json.h"
#include "tacet/report/page/audit_page.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// As `tacet audit run` takes them; what is absent has its usual value.
struct AuditOptions {
  std::optional<std::int64_t> trials;
  double confidence = audit::AuditOptions().confidence;
  std::uint64_t seed = 0;
  int threads = 0;
};

/// What was found as JSON, its page, and what to report where the claim is refuted.
using Shown = std::tuple<std::string, std::string, std::string>;

Shown attacked(const std::string& name, const audit::Subject& subject, std::int64_t usual_trials,
               const AuditOptions& asked, const base::Supervision& supervision) {
  const audit::AuditOptions options{.trials = asked.trials.value_or(usual_trials),
                                    .confidence = asked.confidence,
                                    .seed = asked.seed};
  base::ThreadPool threads(asked.threads > 0 ? asked.threads : base::available_threads());
  const auto start = std::chrono::steady_clock::now();
  const auto finding = audit::audit(subject, options, threads, supervision);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const report::AuditResult result{name, subject, finding, taken.count()};
  return {report::json_text(report::audit_json(result)), report::audit_page(result),
          report::refutation(result)};
}

Shown run(const std::string& name, double epsilon, std::optional<double> delta,
          const std::optional<std::string>& adjacency, const AuditOptions& options,
          const nb::object& callback) {
  const auto& known = audit::find_audit(name);
  const auto claim = privacy::checked(
      {epsilon, delta.value_or(audit::usual_delta(known)),
       adjacency ? privacy::parse_adjacency(*adjacency) : audit::usual_adjacency(known)});
  return supervised(callback, [&](const base::Supervision& supervision) {
    return attacked(name, audit::subject_of(known, claim), known.trials, options, supervision);
  });
}

Shown train(const data::Schema& schema, const Values& given, const AuditOptions& options,
            const nb::object& callback) {
  return supervised(callback, [&](const base::Supervision& supervision) {
    const auto plan = choose::plan(request_of(given), schema);
    return attacked(plan.method, audit::training_subject(plan, 1, {.cancel = supervision.cancel}),
                    audit::usual_training_trials, options, supervision);
  });
}

}  // namespace

void bind_audits(nb::module_& module) {
  nb::class_<AuditOptions>(module, "AuditOptions")
      .def(nb::init<>())
      .def_rw("trials", &AuditOptions::trials, nb::arg().none())
      .def_rw("confidence", &AuditOptions::confidence)
      .def_rw("seed", &AuditOptions::seed)
      .def_rw("threads", &AuditOptions::threads);
  module.def("write_page", [](const std::string& path, bool overwrite, const std::string& page) {
    base::AtomicFile file(path, overwrite ? base::Overwrite::allow : base::Overwrite::refuse);
    file.write(page);
    file.commit();
  });
  module.def("audits", [] { return report::json_text(report::audits_json()); });
  module.def("audit_run", &run, nb::arg("name"), nb::arg("epsilon"), nb::arg("delta").none(),
             nb::arg("adjacency").none(), nb::arg("options"), nb::arg("callback").none());
  module.def("audit_train", &train, nb::arg("schema"), nb::arg("values"), nb::arg("options"),
             nb::arg("callback").none());
}

}  // namespace tacet::python
