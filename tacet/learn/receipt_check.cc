#include "tacet/learn/receipt_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/gradient/columns_kept.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/line/inverse_sensitivity.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/privacy/cipher_share.h"
#include "tacet/privacy/event_tree.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

using privacy::Event;

/// What nobody can know from a file.
const std::vector<std::string> beyond_the_file{
    "that these events are what was run",
    "that the noise came from the system's randomness and was used once",
    "that the data kept what the schema says of them"};

/// How an algorithm's parameters lead to its events; nullptr where it is not known.
RecordedEvents recorded_events_of(std::string_view algorithm, std::span<const Method* const> known,
                                  std::span<const RecordedRelease> releases) {
  const auto release = std::ranges::find(releases, algorithm, &RecordedRelease::name);
  if (release != releases.end()) return release->recorded_events;
  const auto found = std::ranges::find(known, algorithm, &Method::name);
  return found == known.end() ? nullptr : (*found)->recorded_events;
}

/// The method's own events, without the fit of the schema. Nothing where one event stands for both.
std::optional<Event> own_events(const privacy::Receipt& receipt, const model::ModelFile* file) {
  if (file == nullptr || !file->schema.cost) return receipt.events;
  const auto fit = data::cost_between(file->schema, receipt.guarantee.adjacency);
  const auto* both = receipt.events.as<privacy::Composed>();
  if (both != nullptr && both->parts.size() == 2 && both->parts[0] == fit.events) {
    return both->parts[1];
  }
  const bool sum = receipt.events.as<privacy::PureDp>() != nullptr ||
                   receipt.events.as<privacy::ApproximateDp>() != nullptr;
  if (sum) return std::nullopt;
  throw base::DataError("the cost of the schema's fit is not part of the events");
}

/// The multiplier of a choice of columns that came before the method's releases; 0: none. Method
/// gradient has it among its own, and what chooses among runs within the events of each.
double recorded_choice(const Method& method, const privacy::Receipt& receipt,
                       RecordedParameters& parameters) {
  if (parameters.has("columns_kept_deviations") !=
      parameters.has("columns_kept_noise_multiplier")) {
    throw base::DataError(
        "columns to keep have a noise multiplier and a threshold; the receipt has one of the two");
  }
  const bool within = method.plan == gradient_method.plan || method.plan == nullptr;
  if (within || !parameters.has("columns_kept_noise_multiplier")) return 0;
  const double noise = parameters.real("columns_kept_noise_multiplier");
  if (!(noise > 0 && std::isfinite(noise)) || !(parameters.real("columns_kept_deviations") >= 3) ||
      receipt.privacy_unit != "record") {
    throw base::DataError(
        "columns to keep are released of single records, with noise, from three deviations of it "
        "on");
  }
  return noise;
}

/// What a method released after the choice.
const Event& after_choice(const Event& both, const Event& choice) {
  const auto* composed = both.as<privacy::Composed>();
  if (composed == nullptr) return both;
  const auto rest =
      std::ranges::find_if(composed->parts, [&](const Event& part) { return !(part == choice); });
  return rest == composed->parts.end() ? choice : *rest;
}

/// `releases_of` leads from what was released back to it.
void check_events(const privacy::Receipt& receipt, const Event& own,
                  const std::function<Event(const Event&)>& releases_of, bool schema_known) {
  const auto agree = [&](const Event& event) { return same_releases(releases_of(event), event); };
  // Without its schema a result names the fit that is composed with it.
  const bool fitted = !schema_known && data::names_its_fit(receipt);
  if (!agree(fitted ? own.as<privacy::Composed>()->parts[1] : own)) {
    throw base::DataError("the events are not those of method {} with these parameters",
                          receipt.algorithm);
  }
}

/// Units are protected by methods that have a proof for them alone, and where one record of each is
/// drawn the receipt says so, with the coin's part of the cipher's term (docs/proofs/unit_draw.md).
void check_units(const privacy::Receipt& receipt, const Method& method,
                 const RecordedParameters& parameters) {
  if (receipt.privacy_unit == "record") return;
  if (method.units == UnitProtection::refused) {
    throw base::DataError("method {} protects single records, not each {}", method.name,
                          receipt.privacy_unit);
  }
  if (method.units != UnitProtection::drawn) return;
  if (!parameters.has("records_a_unit")) {
    throw base::DataError("the receipt does not say how many records of each {} were drawn",
                          receipt.privacy_unit);
  }
  const double least =
      privacy::least_cipher_term(receipt.events) + random::cipher_term(1, random::most_leaf_words);
  constexpr double roundings = 1e-9;
  if (receipt.cipher_delta < least * (1 - roundings)) {
    throw base::DataError("the cipher's term leaves out the coin that draws a record of each unit");
  }
}

/// Receipts from before 0.2.0 name no paper.
void check_calibration(const privacy::Receipt& receipt, const Method& method) {
  if (receipt.calibration == to_string(Calibration::tight)) return;
  const auto is_it = [&](Calibration paper) { return receipt.calibration == to_string(paper); };
  if (is_it(Calibration::paper) ? !method.papers.empty()
                                : std::ranges::any_of(method.papers, is_it)) {
    return;
  }
  throw base::DataError("calibration {} is none of method {}", receipt.calibration, method.name);
}

// An option may have overruled the schema's; where the receipt has none, the schema must not
// either.
void check_class_weights(const model::ModelFile& file, RecordedParameters& parameters) {
  if (!file.schema.target) return;
  const auto of_schema = class_weights_text(*file.schema.target);
  if (parameters.has("class_weights")) {
    if (parameters.text("class_weights") == of_schema) return;
    static_cast<void>(parse_class_weights(parameters.text("class_weights"), *file.schema.target));
  } else if (!of_schema.empty()) {
    throw base::DataError("the schema weighs its classes {}, the receipt does not", of_schema);
  }
}

bool scales_categories(const data::Schema& schema) {
  return std::ranges::any_of(schema.columns, [](const data::Column& column) {
    return column.standardised() && std::holds_alternative<data::CategoricalColumn>(column.rule);
  });
}

// Means and scales that the model's rows were standardised by are a release of their own, which the
// method's events have: a parameter that they do not go by says nothing.
void check_standards(const model::ModelFile& file, const RecordedParameters& parameters,
                     bool events_compared) {
  const std::string name = "standardise_noise_multiplier";
  if (events_compared && parameters.has(name) && !parameters.used().contains(name)) {
    throw base::DataError("the receipt names a release of means that its method does not have");
  }
  if (scales_categories(file.schema) && file.model.task != model::Task::binary) {
    throw base::DataError("categories have scales, which are released for two classes alone");
  }
  const bool standardised = std::ranges::any_of(file.schema.columns, &data::Column::standardised);
  if (standardised == parameters.has(name)) return;
  throw base::DataError(standardised
                            ? "the columns have released means or scales, but the receipt no "
                              "release of them"
                            : "the receipt releases means or counts of columns, but these go by "
                              "none");
}

// The map and the columns by which the model reads rows are those of the receipt; a list of kept
// columns is a release of its own.
void check_narrowing(const data::Schema& schema, RecordedParameters& parameters) {
  if (schema.projection.has_value() != parameters.has("projection")) {
    throw base::DataError(schema.projection
                              ? "the model's rows are projected, but the receipt says nothing of it"
                              : "the receipt names a projection, but the model's rows have none");
  }
  if (schema.projection) {
    parameters.expect("projection", data::projection_name(*schema.projection), "the schema says");
    parameters.expect("projection_width", schema.projection->width, "the schema says");
    parameters.expect("projection_seed", schema.projection->seed, "the schema says");
    const bool room = schema.projection->room != 1;
    if (room != parameters.has("projection_room")) {
      throw base::DataError(
          room ? "the model's projected rows have room that the receipt does not name"
               : "the receipt names room that the model's projected rows have not");
    }
    parameters.expect("projection_room", schema.projection->room, "the schema says");
  }
  if (schema.kept_columns) {
    parameters.expect("columns_kept_deviations", kept_deviations(schema), "its columns call for");
  }
  if (schema.kept_columns.has_value() == parameters.has("columns_kept_noise_multiplier")) return;
  throw base::DataError(
      schema.kept_columns
          ? "the model has columns that were kept, but the receipt no release of them"
          : "the receipt releases which columns to keep, but the model has all");
}

void check_model(const privacy::Receipt& receipt, const model::ModelFile& file,
                 RecordedParameters& parameters, bool events_compared) {
  const auto unit = file.schema.unit.value_or("record");
  if (receipt.privacy_unit != unit) {
    throw base::DataError("the privacy unit is {}, but the schema protects each {}",
                          receipt.privacy_unit, unit);
  }
  if (file.schema.public_row_count && !receipt.public_row_count) {
    throw base::DataError(
        "the number of records is public by the schema, but the receipt calls it secret");
  }
  if (!file.schema.unit && parameters.has("records_a_unit")) {
    throw base::DataError("units have several records, but the schema has no unit column");
  }
  const auto& loss = file.model.loss;
  parameters.expect("loss", std::string(model::loss_name(loss)), "the model's loss is");
  parameters.expect("columns", file.schema.encoded_column_count(), "the schema has");
  parameters.expect("outputs", file.model.output_count(), "the model has");
  if (const auto name = model::loss_parameter_name(loss); !name.empty()) {
    parameters.expect("loss_parameter", model::loss_parameter(loss), "the model's is");
    parameters.expect(fmt::format("loss_{}", name), model::loss_parameter(loss), "the model's is");
  }
  if (const double width = model::loss_width(loss); !std::isnan(width)) {
    parameters.expect("loss_width", width, "the model's is");
  }
  check_class_weights(file, parameters);
  check_standards(file, parameters, events_compared);
  check_narrowing(file.schema, parameters);
}

}  // namespace

Event recorded_releases(const Method& method, const privacy::Receipt& receipt,
                        RecordedParameters& parameters, const Event& own) {
  const double noise = recorded_choice(method, receipt, parameters);
  if (noise == 0) return method.recorded_events(receipt, parameters, own);
  const Event choice = privacy::Gaussian{noise};
  const auto after = method.recorded_events(receipt, parameters, after_choice(own, choice));
  return privacy::Composed{{choice, after}};
}

void check_recorded_run(const privacy::Receipt& run, const Method& method,
                        const RecordedParameters& parameters) {
  check_units(run, method, parameters);
  check_calibration(run, method);
}

void check_loss_bounds(const Event& event, const model::ModelFile& file) {
  const double norm = file.schema.norm_bound();
  const auto facts = model::properties(file.model.loss);
  const bool flatter = privacy::holds_somewhere(event, [&](const Event& part) {
    const auto* joint = part.as<privacy::ObjectivePerturbation>();
    return joint != nullptr && (joint->lipschitz < facts.slope_bound * norm ||
                                joint->smoothness < facts.curvature * norm * norm);
  });
  if (flatter) throw base::DataError("the events count on a flatter loss than the model's");
}

ReceiptCheck check_receipt(const privacy::Receipt& receipt, const model::ModelFile* file,
                           std::span<const Method* const> known,
                           std::span<const RecordedRelease> releases) {
  ReceiptCheck check;
  RecordedParameters parameters(receipt.parameters);
  const auto events_of = recorded_events_of(receipt.algorithm, known, releases);
  const auto hold = [&](const std::function<void()>& comparison) {
    try {
      comparison();
    } catch (const base::Error& error) {
      check.faults.emplace_back(error.what());
    }
  };
  const auto method = std::ranges::find(known, receipt.algorithm, &Method::name);
  const auto releases_of = [&](const Event& event) {
    return method == known.end() ? events_of(receipt, parameters, event)
                                 : recorded_releases(**method, receipt, parameters, event);
  };
  bool compared = false;
  hold([&] {
    if (receipt.public_row_count) {
      parameters.expect("public_row_count", *receipt.public_row_count, "the receipt says");
    }
    const auto own = own_events(receipt, file);
    if (!own || events_of == nullptr) return;
    compared = true;
    if (parameters.has(data::schema_fit_name)) {
      static_cast<void>(parameters.text(data::schema_fit_name));  // held against the events below
    }
    check_events(receipt, *own, releases_of, file != nullptr);
  });
  if (method != known.end()) {
    hold([&] { check_units(receipt, **method, parameters); });
    hold([&] { check_calibration(receipt, **method); });
  }
  if (file != nullptr) {
    hold([&] { check_model(receipt, *file, parameters, compared); });
    hold([&] {
      const auto check_file = method == known.end() ? nullptr : (*method)->check_file;
      if (check_file != nullptr) return check_file(receipt, *file, parameters);
      check_loss_bounds(receipt.events, *file);
    });
  }
  check.checked.assign(parameters.used().begin(), parameters.used().end());
  const auto unused = parameters.unused();
  if (!unused.empty()) {
    check.unchecked.push_back(fmt::format("the parameters {}", fmt::join(unused, ", ")));
  }
  if (!compared && check.faults.empty()) {
    check.unchecked.emplace_back(events_of == nullptr
                                     ? "whether the events are those of a method of this name"
                                     : "the events of the method, for which one sum stands");
  }
  check.unchecked.insert(check.unchecked.end(), beyond_the_file.begin(), beyond_the_file.end());
  if (file != nullptr &&
      std::visit([](const auto& loss) { return is_own(loss); }, file->model.loss)) {
    check.unchecked.emplace_back("that the loss was a function of prediction and label alone");
  }
  return check;
}

}  // namespace tacet::learn
