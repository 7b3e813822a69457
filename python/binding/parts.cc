#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/evaluating.h"
#include "python/binding/rows.h"
#include "python/binding/supervised.h"
#include "python/binding/training.h"
#include "tacet/choose/plan.h"
#include "tacet/optimize/parts/part.h"
#include "tacet/optimize/parts/remote_parts.h"
#include "tacet/optimize/parts/seal.h"
#include "tacet/run/train.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes bytes_of(std::string_view text) { return nb::bytes(text.data(), text.size()); }

data::Schema reading_schema(const nb::bytes& request) {
  return optimize::settings_from_text(optimize::SumRequest::from_bytes(text_of(request)).settings)
      .reading;
}

/// Of all parts in this process.
optimize::CurveMaps& curve_maps() {
  static optimize::CurveMaps maps;
  return maps;
}

/// A part on a worker: its records. One thread sums them, for an engine has one task a core.
class HeldPart {
 public:
  HeldPart(std::int64_t number, const nb::bytes& key, const nb::bytes& request, HeldRows& rows) {
    const auto schema = reading_schema(request);
    const auto view = rows.view(schema, data::TargetUse::required);
    auto read = supervised(nb::none(), [&](const base::Supervision& supervision) {
      return run::part_records_of(view, schema, supervision.cancel);
    });
    part_ = std::make_unique<optimize::Part>(optimize::PartPlace{number, std::string(text_of(key))},
                                             std::move(read), schema, pool_, curve_maps());
  }

  [[nodiscard]] nb::bytes answer(const nb::bytes& request, const nb::bytes& public_key) {
    const auto asked = text_of(request);
    const auto key = text_of(public_key);
    std::string sealed;
    {
      const nb::gil_scoped_release unlocked;
      const std::lock_guard alone(mutex_);  // an engine may ask twice at once
      if (!seal_ || sealed_to_ != key) {
        seal_.emplace(key);
        sealed_to_ = key;
      }
      sealed = seal_->seal(part_->answer(asked));
    }
    return bytes_of(sealed);
  }

 private:
  base::ThreadPool pool_{1};
  std::mutex mutex_;
  std::unique_ptr<optimize::Part> part_;
  std::optional<optimize::Sealer> seal_;  // the run's: a key pair for each answer takes longer
  std::string sealed_to_;
};

nb::bytes failed_part(std::int64_t number, const nb::bytes& request, const std::string& kind,
                      const nb::bytes& public_key) {
  return bytes_of(
      optimize::seal(text_of(public_key), optimize::failed_answer(number, text_of(request), kind)));
}

/// How the root asks: `ask(request)` of Python gives the answers of all parts.
struct Asking {
  std::int64_t parts;
  nb::object ask;
  const optimize::SealKey& key;

  [[nodiscard]] optimize::RemoteRun run(const data::Schema& reading,
                                        std::optional<std::int64_t> declared_units) const {
    return {.parts = parts,
            .reading = reading,
            .ask =
                [this](const std::string& request) {
                  const nb::gil_scoped_acquire locked;
                  std::vector<std::string> answers;
                  for (const nb::handle answer : ask(bytes_of(request))) {
                    answers.emplace_back(text_of(nb::cast<nb::bytes>(answer)));
                  }
                  return answers;
                },
            .key = &key,
            .declared_units = declared_units};
  }
};

HeldPlan plan_over_parts(const data::Schema& schema, const Values& given, std::int64_t parts,
                         const std::optional<std::string>& whole) {
  return supervised(nb::none(), [&](const base::Supervision&) {
    return HeldPlan{
        schema,
        choose::plan_over_parts(request_of(given), schema, {.parts = parts, .whole = whole}),
        "train"};
  });
}

model::ModelFile fit_parts(const HeldPlan& plan, const Asking& asking, const Context& context,
                           const nb::object& callback) {
  Payer payer(context);
  const Telling telling(payer);
  const auto source = payer.source();
  optimize::RemoteParts parts(
      asking.run(plan.training.reading_schema(), plan.training.declared_count()));
  return supervised(callback, [&](const base::Supervision& supervision) {
    const auto front = payer.in_memory(supervision.cancel);
    return run::train_over_parts(plan.training, parts,
                                 {.budget = front.budget,
                                  .account = front.account,
                                  .command = plan.command,
                                  .source = source.get(),
                                  .threads = context.threads,
                                  .supervision = supervision,
                                  .notes = context.notes});
  });
}

std::string evaluate_parts(const model::ModelFile& file, const Asking& asking,
                           const Evaluating& asked, const Context& context,
                           const nb::object& callback) {
  optimize::RemoteParts parts(asking.run(file.schema, asked.public_row_count));
  return evaluated(file, parts, asked, context, callback);
}

}  // namespace

void bind_parts(nb::module_& module) {
  nb::class_<optimize::SealKey>(module, "SealKey")
      .def(nb::init<>())
      .def_prop_ro("public_key",
                   [](const optimize::SealKey& key) { return bytes_of(key.public_key()); });
  nb::class_<HeldPart>(module, "Part")
      .def(nb::init<std::int64_t, const nb::bytes&, const nb::bytes&, HeldRows&>(),
           nb::arg("number"), nb::arg("key"), nb::arg("request"), nb::arg("rows"))
      .def("answer", &HeldPart::answer, nb::arg("request"), nb::arg("public_key"));
  nb::class_<Asking>(module, "Asking")
      .def(
          "__init__",
          [](Asking* self, std::int64_t parts, nb::object ask, const optimize::SealKey& key) {
            new (self) Asking{parts, std::move(ask), key};
          },
          nb::arg("parts"), nb::arg("ask"), nb::arg("key"), nb::keep_alive<1, 4>());
  module.def("parts_schema", &reading_schema, nb::arg("request"));
  module.def("failed_part", &failed_part, nb::arg("number"), nb::arg("request"), nb::arg("kind"),
             nb::arg("public_key"));
  module.def("plan_over_parts", &plan_over_parts, nb::arg("schema"), nb::arg("values"),
             nb::arg("parts"), nb::arg("whole").none());
  module.def("part_rounds", [](const HeldPlan& plan) {
    const auto& [rounds, numbers] = plan.training.part_rounds;
    return std::pair(rounds, numbers);
  });
  module.def("fit_parts", &fit_parts, nb::arg("plan"), nb::arg("asking"), nb::arg("means"),
             nb::arg("callback").none());
  module.def("evaluate_parts", &evaluate_parts, nb::arg("model"), nb::arg("asking"),
             nb::arg("asked"), nb::arg("means"), nb::arg("callback").none());
}

}  // namespace tacet::python
