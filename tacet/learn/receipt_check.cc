#include "tacet/learn/receipt_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/method.h"
#include "tacet/learn/model_check.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/privacy/event_tree.h"
#include "tacet/privacy/prg_share.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

using privacy::Event;

/// Facts that nobody can check from a file.
const std::vector<std::string> beyond_the_file{
    "that these events are what was run",
    "that the noise came from the system's randomness and was used once",
    "that the data kept what the schema says of them"};

/// The method's own events, without the fit of the schema. Nothing if one event stands for both.
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

/// The noise multiplier of a feature selection before the method's releases; 0: there is none.
/// Method gradient has it among its own releases, and choices among runs have it within the events
/// of each run.
double recorded_choice(const Method& method, const privacy::Receipt& receipt,
                       RecordedParameters& parameters) {
  MethodPlan plan;
  SettingList list(plan, receipt, parameters);
  const bool chosen = list.has(feature_selection_name, false);
  if (list.has(feature_selection_threshold_name, false) != chosen) {
    throw base::DataError(
        "columns to keep have a noise multiplier and a threshold; the receipt has one of the two");
  }
  const bool within = method.plan == gradient_method.plan || method.plan == nullptr;
  if (within || !chosen) return 0;
  auto& first = plan.first.emplace();
  list.feature_selection(first.noise, first.stddevs);
  if (receipt.privacy_unit == single_record) return first.noise;
  throw base::DataError("columns to keep are released of single records");
}

/// The method's releases after the feature selection.
const Event& after_choice(const Event& both, const Event& choice) {
  const auto* composed = both.as<privacy::Composed>();
  if (composed == nullptr) return both;
  const auto rest =
      std::ranges::find_if(composed->parts, [&](const Event& part) { return !(part == choice); });
  return rest == composed->parts.end() ? choice : *rest;
}

/// `releases_of` finds the recorded releases in an event.
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

/// Refuses a statement with which the training, or the release, would not have run.
void check_proved(const privacy::Receipt& receipt, const RecordedAlgorithm& algorithm) {
  const auto& stated = receipt.guarantee;
  const bool pure = stated.delta == 0;
  const auto& proved = pure ? algorithm.proved.pure : algorithm.proved.with_delta;
  if (!proved.has(stated.adjacency)) {
    throw base::DataError("{} has no proof{} under {}", algorithm.name, pure ? " of delta 0" : "",
                          privacy::to_string(stated.adjacency));
  }
  if (receipt.privacy_unit == single_record) return;
  if (algorithm.proved.units == UnitProtection::refused) {
    throw base::DataError("method {} protects single records, not each {}", algorithm.name,
                          receipt.privacy_unit);
  }
}

/// Refuses a target, a loss or class weights with which the method would not have run.
void check_problem(const model::ModelFile& file, const Method& method) {
  const bool protects = std::isfinite(file.receipt.guarantee.epsilon);
  if (method.plan == nullptr || !protects || !file.schema.target) return;
  const auto kind = kind_of(*file.schema.target);
  if (!method.problems.targets.has(kind)) {
    throw base::DataError("method {} is for {}, and the target is {}", method.name,
                          to_string(method.problems.targets), to_string(kind));
  }
  if (!method.problems.takes(file.model.loss)) {
    throw base::DataError("method {} does not take loss {}", method.name,
                          model::loss_name(file.model.loss));
  }
  if (!file.schema.target->class_weights.empty() && !reads(method, "class-weights")) {
    throw base::DataError("class weights have no proof for method {}", method.name);
  }
}

void check_unit_draw(const privacy::Receipt& receipt, const RecordedAlgorithm& algorithm) {
  const double draw = draw_slack(receipt, algorithm.proved);
  if (draw == 0) return;
  const double min = privacy::min_prg_slack(receipt.events) + draw;
  constexpr double roundings = 1e-9;
  if (receipt.prg_slack < min * (1 - roundings)) {
    throw base::DataError("the PRG slack leaves out the draw of one record of each unit");
  }
}

/// A paper that the method knows and that is about these neighbours.
void check_calibration(const privacy::Receipt& receipt, const Method& method) {
  if (receipt.calibration == to_string(Calibration::tight)) return;
  const bool unnamed = receipt.calibration == to_string(Calibration::paper);
  for (const auto& paper : method.papers) {
    if (!unnamed && receipt.calibration != to_string(paper.calibration)) continue;
    if (paper.about.has(receipt.guarantee.adjacency)) return;
    throw base::DataError("calibration {} of method {} is not about {}", receipt.calibration,
                          method.name, privacy::to_string(receipt.guarantee.adjacency));
  }
  throw base::DataError("method {} has no calibration {}", method.name, receipt.calibration);
}

/// Receipts of units state how many records of each take part, and receipts of single records do
/// not, so neither can pass as the other.
void check_unit(const privacy::Receipt& receipt, RecordedParameters& parameters,
                std::vector<std::string>& unchecked) {
  const std::string name(max_records_per_unit_name);
  if (receipt.privacy_unit == single_record) {
    if (!parameters.has(name)) return;
    throw base::DataError(
        "the parameter {} says how many records of a unit take part, but the receipt protects "
        "single records",
        name);
  }
  if (parameters.has(name)) {
    // Only the range can be checked here. A method whose events depend on the number compares it
    // with them.
    const auto records = parameters.count(name, Looking::assumes);
    if (records >= 1 && records <= privacy::records_per_unit_limit) return;
    throw base::DataError("the records per unit are not within their range");
  }
  unchecked.push_back(fmt::format("whether each {} is protected", receipt.privacy_unit));
  throw base::DataError(
      "the receipt does not say how many records of each {} take part: {} is missing",
      receipt.privacy_unit, name);
}

/// An algorithm among the methods or the releases.
struct Found {
  const Method* method = nullptr;
  std::optional<RecordedAlgorithm> algorithm;
};

Found find_algorithm(std::string_view name, std::span<const Method* const> known,
                     std::span<const RecordedAlgorithm> releases) {
  const auto method = std::ranges::find(known, name, &Method::name);
  if (method != known.end()) {
    return {*method,
            RecordedAlgorithm{(*method)->name, (*method)->proved, (*method)->recorded_events}};
  }
  const auto release = std::ranges::find(releases, name, &RecordedAlgorithm::name);
  if (release == releases.end()) return {};
  return {nullptr, *release};
}

/// What was compared, for the lists in the result.
struct Compared {
  const RecordedParameters& parameters;
  bool known;
  bool events;
  const model::ModelFile* file;
};

void describe_check(ReceiptCheck& check, const Compared& compared) {
  const auto& used = compared.parameters.used();
  check.checked.assign(used.begin(), used.end());
  const auto unused = compared.parameters.unused();
  auto& unchecked = check.unchecked;
  if (!unused.empty()) {
    unchecked.insert(unchecked.begin(), fmt::format("the parameters {}", fmt::join(unused, ", ")));
  }
  if (!compared.events && check.faults.empty()) {
    unchecked.emplace_back(compared.known
                               ? "the events of the method, for which one sum stands"
                               : "whether the events are those of a method of this name");
  }
  unchecked.insert(unchecked.end(), beyond_the_file.begin(), beyond_the_file.end());
  if (compared.file != nullptr &&
      std::visit([](const auto& loss) { return is_custom(loss); }, compared.file->model.loss)) {
    unchecked.emplace_back("that the loss was a function of prediction and label alone");
  }
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

void check_recorded_run(const privacy::Receipt& run, const Method& method) {
  const RecordedAlgorithm algorithm{method.name, method.proved, method.recorded_events};
  check_proved(run, algorithm);
  check_calibration(run, method);
}

double draw_slack(const privacy::Receipt& receipt, const Proved& proved) {
  const bool drawn = proved.units == UnitProtection::drawn;
  if (!drawn || receipt.privacy_unit == single_record) return 0;
  return random::prg_slack_of(1, random::max_block_words);
}

ReceiptCheck check_receipt(const privacy::Receipt& receipt, const model::ModelFile* file,
                           std::span<const Method* const> known,
                           std::span<const RecordedAlgorithm> releases) {
  ReceiptCheck check;
  RecordedParameters parameters(receipt.parameters);
  const auto [method, algorithm] = find_algorithm(receipt.algorithm, known, releases);
  check.known = algorithm.has_value();
  const auto hold = [&](const std::function<void()>& comparison) {
    try {
      comparison();
    } catch (const TooLongToCheck& error) {
      check.too_long = error.what();
    } catch (const base::Error& error) {
      check.faults.emplace_back(error.what());
    }
  };
  hold([&] { check_unit(receipt, parameters, check.unchecked); });
  if (algorithm) {
    hold([&] { check_proved(receipt, *algorithm); });
    hold([&] { check_unit_draw(receipt, *algorithm); });
  }
  if (method != nullptr) {
    hold([&] { expect_neighbours(parameters, receipt.guarantee.adjacency); });
    hold([&] { check_calibration(receipt, *method); });
  }
  bool compared = false;
  hold([&] {
    if (receipt.public_row_count) {
      parameters.expect("public_row_count", *receipt.public_row_count, "the receipt says");
    }
    const auto own = own_events(receipt, file);
    if (!own || !algorithm || algorithm->recorded_events == nullptr) return;
    compared = true;
    if (parameters.has(data::schema_fit_name)) {
      static_cast<void>(parameters.text(data::schema_fit_name));  // held against the events below
    }
    const auto releases_of = [&](const Event& event) {
      return method == nullptr ? algorithm->recorded_events(receipt, parameters, event)
                               : recorded_releases(*method, receipt, parameters, event);
    };
    check_events(receipt, *own, releases_of, file != nullptr);
  });
  if (file != nullptr) {
    hold([&] {
      if (algorithm && method == nullptr) {
        throw base::DataError("{} is a release of numbers, and no method that trains a model",
                              algorithm->name);
      }
      check_model(receipt, *file, parameters, compared);
    });
    hold([&] {
      if (method != nullptr) check_problem(*file, *method);
    });
    hold([&] {
      if (method != nullptr && method->check_file != nullptr) {
        method->check_file(receipt, *file, parameters);
      }
      check_loss_bounds(receipt.events, *file);
    });
  }
  describe_check(check, {parameters, algorithm.has_value(), compared, file});
  return check;
}

}  // namespace tacet::learn
