#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "python/binding/tables.h"
#include "tacet/base/error.h"
#include "tacet/report/json.h"
#include "tacet/report/results.h"
#include "tacet/run/quantile.h"
#include "tacet/run/spend.h"
#include "tacet/run/summary.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

constexpr const char* schema_name = "a schema in memory";

/// What `tacet quantile` is told.
struct Ranking {
  std::string column;
  double level = 0.5;
  std::optional<double> lower;
  std::optional<double> upper;
  std::optional<double> step;
  double epsilon = 0;
  std::string adjacency = "replace_one";
};

/// As `tacet quantile --json` prints it.
std::string quantile(const data::Schema& schema, const nb::object& data, const Ranking& asked,
                     const Context& context) {
  const run::QuantileRequest request{.schema = schema,
                                     .column = asked.column,
                                     .level = asked.level,
                                     .lower = asked.lower,
                                     .upper = asked.upper,
                                     .step = asked.step,
                                     .epsilon = privacy::Epsilon(asked.epsilon),
                                     .adjacency = privacy::parse_adjacency(asked.adjacency)};
  const auto plan = run::plan_quantile(request);
  privacy::check_notes(context.notes);
  const Table table(data);
  table.check_types(schema);
  Payer payer(context);
  const Telling telling(payer);
  const auto source = payer.source();
  auto text = supervised(nb::none(), [&](const base::Supervision& supervision) {
    const auto* const cancel = supervision.cancel;
    run::UnwrittenOutput output("a quantile in memory");
    std::string said;
    run::spend(
        {.command = "quantile",
         .data = table.file(),
         .planned = plan.event,
         .cost = plan.cost,
         .schema = {&schema, schema_name},
         .unprotected_reason = payer.unprotected_reason()},
        table.front(payer, cancel), output,
        [&](ledger::Fingerprint* fingerprint) {
          return data::read_numeric_column(
              table.records(schema.format, fingerprint, schema.required_columns()), schema,
              asked.column, cancel);
        },
        [&](const auto& values, privacy::Reservation& reservation, run::Pieces& result) {
          auto found = run::release_quantile(request, plan, values, *source, reservation);
          found.receipt.notes = reservation.noted(context.notes);
          said = report::json_text(report::quantile_json(request, plan, found));
          result.write(said);
          return plan.prg_slack;
        });
    return said;
  });
  return text;
}

/// As `tacet describe --json` prints it.
std::string describe(const data::Schema& schema, const nb::object& data,
                     const privacy::Guarantee& asked, std::int64_t max_records_per_unit,
                     const Context& context) {
  const run::SummaryRequest request{schema, max_records_per_unit, asked};
  const auto plan = run::plan_summary(request);
  privacy::check_notes(context.notes);
  const Table table(data);
  table.check_types(schema);
  Payer payer(context);
  const Telling telling(payer);
  const auto source = payer.source();
  auto receipt = run::summary_receipt(request, plan, *source);
  receipt.notes = context.notes;
  auto text = supervised(nb::none(), [&](const base::Supervision& supervision) {
    const auto* const cancel = supervision.cancel;
    run::UnwrittenOutput output("a summary in memory");
    std::string said;
    run::spend(
        {.command = "describe",
         .data = table.file(),
         .privacy_unit = plan.privacy_unit,
         .planned = plan.events,
         .cost = plan.guarantee,
         .schema = {&schema, schema_name},
         .unprotected_reason = payer.unprotected_reason()},
        table.front(payer, cancel), output,
        [&](ledger::Fingerprint* fingerprint) {
          return run::read_for_summary(
              request, table.records(schema.format, fingerprint, schema.required_columns()),
              *source, cancel);
        },
        [&](const data::TableCounts& counts, privacy::Reservation& reservation,
            run::Pieces& result) {
          receipt.notes = reservation.noted(context.notes);
          const auto found = run::summarise(request, plan, counts, {*source, reservation, cancel});
          said = report::json_text(report::summary_json(plan, found, receipt));
          result.write(said);
          return plan.prg_slack;
        });
    return said;
  });
  return text;
}

}  // namespace

void bind_summaries(nb::module_& module) {
  nb::class_<privacy::Guarantee>(module, "Guarantee")
      .def("__init__", [](privacy::Guarantee* place, double epsilon, double delta,
                          const std::string& adjacency) {
        if (!(epsilon > 0 && epsilon <= 1e6)) {
          throw base::UsageError("epsilon must be above 0 and finite, got {}", epsilon);
        }
        new (place) privacy::Guarantee{epsilon, privacy::Delta(delta).value(),
                                       privacy::parse_adjacency(adjacency)};
      });
  nb::class_<Ranking>(module, "Ranking")
      .def(nb::init<>())
      .def_rw("column", &Ranking::column)
      .def_rw("level", &Ranking::level)
      .def_rw("lower", &Ranking::lower, nb::arg().none())
      .def_rw("upper", &Ranking::upper, nb::arg().none())
      .def_rw("step", &Ranking::step, nb::arg().none())
      .def_rw("epsilon", &Ranking::epsilon)
      .def_rw("adjacency", &Ranking::adjacency);
  module.def("quantile", &quantile);
  module.def("describe", &describe);
}

}  // namespace tacet::python
