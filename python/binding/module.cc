#include <nanobind/stl/string.h>

#include <string>

#include "python/binding/binding.h"
#include "tacet/base/version.h"

NB_MODULE(_engine, module) {
  using namespace tacet::python;  // NOLINT(google-build-using-namespace)
  module.doc() = "The engine of tacet.";
  module.attr("version") = std::string(tacet::base::version);
  bind_errors(module);
  bind_schemas(module);
  bind_rows(module);
  bind_reading(module);
  bind_budgets(module);
  bind_context(module);
  bind_models(module);
  bind_accounting(module);
  bind_verification(module);
  bind_evaluation(module);
  bind_summaries(module);
  bind_releases(module);
  bind_schema_fits(module);
  bind_planning(module);
  bind_training(module);
  bind_parts(module);
  bind_splitting(module);
  bind_words(module);
  bind_simulation(module);
  bind_device(module);
  bind_reports(module);
  bind_audits(module);
}
