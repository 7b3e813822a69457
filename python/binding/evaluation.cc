#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "python/binding/binding.h"
#include "python/binding/context.h"
#include "python/binding/evaluating.h"
#include "python/binding/rows.h"
#include "python/binding/supervised.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/category_groups.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/learn/evaluation.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/model/model_file.h"
#include "tacet/report/json.h"
#include "tacet/report/results.h"
#include "tacet/run/spend.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// An evaluation that is planned: books, evaluates and writes down.
struct PaidEvaluation {
  const model::ModelFile& file;
  const Evaluating& asked;
  const Context& context;
  const nb::object& callback;
  std::optional<data::CategoryGroups> groups = {};
  learn::EvaluationPlan plan;

  PaidEvaluation(const model::ModelFile& of, const Evaluating& what, const Context& means,
                 const nb::object& told)
      : file(of),
        asked(what),
        context(means),
        callback(told),
        groups(groups_of(of, what)),
        plan(what.plan(of, by())) {
    privacy::check_notes(context.notes);
  }

  [[nodiscard]] const data::CategoryGroups* by() const { return groups ? &*groups : nullptr; }

  template <typename Read, typename FiguresOf>
  [[nodiscard]] std::string carry_out(bool in_parts, const Read& read_by,
                                      const FiguresOf& figures_of) const {
    Payer payer(context);
    const Telling telling(payer);
    const auto source = payer.source();
    return supervised(callback, [&](const base::Supervision& supervision) {
      run::UnwrittenOutput output("metrics in memory");
      std::string found;
      run::spend({.command = "evaluate",
                  .data = {},
                  .in_parts = in_parts,
                  .privacy_unit = plan.privacy_unit,
                  .planned = plan.event,
                  .cost = plan.guarantee,
                  .unprotected_reason = payer.unprotected_reason()},
                 payer.in_memory(supervision.cancel), output, read_by(supervision.cancel),
                 [&](auto& records, privacy::Reservation& reservation, run::Pieces& result) {
                   auto figures = figures_of(records, *source, reservation, supervision.cancel);
                   auto notes = context.notes;
                   notes.schema_sha256 = file.receipt.notes.schema_sha256;
                   figures.receipt.notes = reservation.noted(notes);
                   const report::EvaluationSubject subject{
                       .model = file.model,
                       .by = asked.by,
                       .groups = groups ? groups->names() : std::vector<std::string>()};
                   found = report::json_text(report::evaluation_json(subject, plan, figures));
                   result.write(found);
                   return figures.receipt.prg_slack;
                 });
      return found;
    });
  }

 private:
  static std::optional<data::CategoryGroups> groups_of(const model::ModelFile& file,
                                                       const Evaluating& asked) {
    if (asked.by.empty()) return std::nullopt;
    return data::CategoryGroups(file.schema, asked.by);
  }
};

/// As `tacet evaluate --epsilon --json` prints it.
std::string evaluate(const model::ModelFile& file, HeldRows& rows, const Evaluating& asked,
                     const Context& context, const nb::object& callback) {
  const PaidEvaluation evaluation(file, asked, context, callback);
  const auto view = rows.view(file.schema, data::TargetUse::required);
  const auto spool = context.open_spool();
  return evaluation.carry_out(
      false,
      [&](const base::CancelToken* cancel) {
        return [&, cancel](ledger::Fingerprint* fingerprint) {
          return run::dataset_of(view, file.schema, data::TargetUse::required,
                                 {cancel, fingerprint, spool});
        };
      },
      [&](const data::Dataset& data, random::Source& source, privacy::Reservation& reservation,
          const base::CancelToken* cancel) {
        return learn::evaluate({data, file.model, evaluation.by()}, evaluation.plan, source,
                               reservation, cancel);
      });
}

}  // namespace

learn::EvaluationPlan Evaluating::plan(const model::ModelFile& file,
                                       const data::CategoryGroups* groups) const {
  if (!(epsilon > 0)) throw base::UsageError("epsilon must be above 0, got {}", epsilon);
  if (public_row_count) data::check_public_row_count("public_row_count", *public_row_count);
  return learn::plan_evaluation(
      file.model,
      {.epsilon = privacy::Epsilon(epsilon),
       .delta = privacy::Delta(chosen_delta()),
       .adjacency = privacy::parse_adjacency(adjacency),
       .loss_cap = loss_cap,
       .privacy_unit = file.schema.unit.value_or("record"),
       .public_row_count = public_row_count,
       .threshold = threshold ? model::margin_of_probability(file.model, *threshold) : 0,
       .groups = groups == nullptr ? 1 : static_cast<std::int64_t>(groups->names().size()),
       .targets_may_miss =
           !file.schema.target || file.schema.target->missing_target == data::MissingTarget::drop});
}

double Evaluating::chosen_delta() const {
  if (delta) return *delta;
  if (public_row_count) return learn::default_delta(*public_row_count);
  throw base::UsageError(
      "give delta, or public_row_count where the number of these records is public");
}

std::string evaluated(const model::ModelFile& file, optimize::RemoteParts& parts,
                      const Evaluating& asked, const Context& context, const nb::object& callback) {
  const PaidEvaluation evaluation(file, asked, context, callback);
  return evaluation.carry_out(
      true,
      [&](const base::CancelToken* /*cancel*/) {
        return [&] {
          parts.open();
          return &parts;
        };
      },
      [&](optimize::RemoteParts* records, random::Source& source, privacy::Reservation& reservation,
          const base::CancelToken* /*cancel*/) {
        return learn::evaluate(*records, {file.model, evaluation.by()}, evaluation.plan, source,
                               reservation);
      });
}

void bind_evaluation(nb::module_& module) {
  nb::class_<Evaluating>(module, "Evaluating")
      .def(nb::init<>())
      .def_rw("epsilon", &Evaluating::epsilon)
      .def_rw("delta", &Evaluating::delta, nb::arg().none())
      .def_rw("adjacency", &Evaluating::adjacency)
      .def_rw("public_row_count", &Evaluating::public_row_count, nb::arg().none())
      .def_rw("loss_cap", &Evaluating::loss_cap, nb::arg().none())
      .def_rw("threshold", &Evaluating::threshold, nb::arg().none())
      .def_rw("by", &Evaluating::by);
  module.def("evaluate", &evaluate, nb::arg("model"), nb::arg("rows"), nb::arg("asked"),
             nb::arg("means"), nb::arg("callback").none());
}

}  // namespace tacet::python
