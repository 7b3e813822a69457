#include "python/binding/training.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>

#include "python/binding/binding.h"
#include "python/binding/rows.h"
#include "python/binding/supervised.h"
#include "tacet/choose/plan.h"
#include "tacet/data/file_text.h"
#include "tacet/report/json.h"
#include "tacet/report/plan.h"
#include "tacet/run/train.h"

namespace nb = nanobind;

namespace tacet::python {

namespace {

nb::object object_of(const std::variant<std::int64_t, double, std::string>& value) {
  return std::visit([](const auto& v) { return nb::cast(v); }, value);
}

/// The names are those of `tacet train`; a tuning is planned as a whole.
HeldPlan plan(const data::Schema& schema, const Values& given,
              const std::optional<choose::Tuning>& tuning) {
  return supervised(nb::none(), [&](const base::Supervision&) {
    auto request = request_of(given);
    if (tuning) request.tune(*tuning);
    return HeldPlan{schema, choose::plan(request, schema), tuning ? "tune" : "train"};
  });
}

nb::dict facts_of(const HeldPlan& held) {
  const auto& training = held.training;
  nb::dict settings;
  for (const auto& setting : training.settings) {
    if (setting.shown.json) settings[setting.name.c_str()] = object_of(setting.value);
  }
  nb::dict out;
  out["method"] = training.method;
  out["epsilon"] = training.guarantee.epsilon;
  out["delta"] = training.guarantee.delta;
  out["adjacency"] = to_string(training.guarantee.adjacency);
  out["prg_slack"] = training.prg_slack;
  out["settings"] = settings;
  nb::list reasons;
  for (const auto& reason : training.reasons) reasons.append(spelled(reason));
  out["reasons"] = reasons;
  out["events"] = privacy::event_to_json(training.events);
  return out;
}

model::ModelFile fit(const HeldPlan& plan, HeldRows& rows, const Context& context,
                     const nb::object& callback) {
  return trained(plan.command, plan.training, rows.view(plan.schema, data::TargetUse::required),
                 context, callback);
}

void bind_tuning(nb::module_& module) {
  using choose::Tuning;
  nb::class_<Tuning>(module, "Tuning")
      .def(nb::init<>())
      .def_rw("grid", &Tuning::grid)
      .def_rw("name", &Tuning::name)
      .def_rw("trials", &Tuning::trials)
      .def_rw("max_trials", &Tuning::max_trials, nb::arg().none())
      .def_rw("law", &Tuning::law)
      .def_rw("holdout", &Tuning::holdout)
      .def_rw("score", &Tuning::score);
  module.def("text_file", [](const std::string& name) { return data::read_text_file(name); });
}

}  // namespace

choose::Request request_of(const Values& given) {
  choose::Request request(choose::usual_for_method);
  for (const auto& [name, value] : given) request.set(name, value);
  return request;
}

model::ModelFile trained(const std::string& command, const learn::Training& plan,
                         const run::Rows& rows, const Context& context,
                         const nb::object& callback) {
  Payer payer(context);
  const Telling telling(payer);
  const auto source = payer.source();
  const auto spool = context.open_spool();
  return supervised(callback, [&](const base::Supervision& supervision) {
    const auto front = payer.in_memory(supervision.cancel);
    return run::train(plan, rows,
                      {.budget = front.budget,
                       .account = front.account,
                       .command = command,
                       .source = source.get(),
                       .threads = context.threads,
                       .supervision = supervision,
                       .spool = spool,
                       .notes = context.notes});
  });
}

void bind_training(nb::module_& module) {
  bind_tuning(module);
  nb::class_<HeldPlan>(module, "Plan")
      .def_prop_ro("facts", &facts_of)
      .def("text",
           [](const HeldPlan& plan) {
             return report::json_text(report::whole_plan_json(plan.training));
           })
      .def("tuning_text", [](const HeldPlan& plan) {
        return report::json_text(report::plan_json(plan.training));
      });
  module.def("plan", &plan, nb::arg("schema"), nb::arg("values"),
             nb::arg("tuning").none() = nb::none());
  module.def("adjacency", [](const data::Schema& schema, const Values& given) {
    return std::string(to_string(choose::adjacency_of(request_of(given), schema)));
  });
  module.def("fit", &fit, nb::arg("plan"), nb::arg("rows"), nb::arg("means"),
             nb::arg("callback").none());
}

}  // namespace tacet::python
