#include "tacet/choose/recorded_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/choose/choice.h"
#include "tacet/choose/recorded_run.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/random/choose/subset.h"
#include "tacet/random/source/source.h"

namespace tacet::choose {
namespace {

namespace named = recorded_setting;
using nlohmann::json;

/// The parameters of a run from which its method derives the events.
json telling_parameters(const privacy::Receipt& receipt) {
  learn::RecordedParameters parameters(receipt.parameters);
  static_cast<void>(learn::recorded_releases(learn::find_method(receipt.algorithm), receipt,
                                             parameters, receipt.events));
  const auto all = json::parse(receipt.parameters);
  json telling = json::object();
  for (const auto& name : parameters.looked_for()) {
    if (all.contains(name)) telling[name] = all.at(name);
  }
  return telling;
}

/// One run as a receipt has it.
struct RecordedRun {
  privacy::Receipt receipt;
  json parameters;
  std::size_t part;
  std::vector<std::size_t> candidates;
};

RecordedRun read_run(const privacy::Receipt& choice, learn::RecordedParameters& of_choice,
                     const json& entry) {
  RecordedRun run{choice, entry.at("parameters"), entry.at("part").get<std::size_t>(), {}};
  run.receipt.algorithm = entry.at("method").get<std::string>();
  run.receipt.sampling = entry.at("sampling").get<std::string>();
  run.receipt.calibration = entry.at("calibration").get<std::string>();
  run.receipt.public_row_count = of_choice.count(named::run_rows, learn::Looking::assumes);
  run.receipt.guarantee.epsilon = of_choice.real(named::run_epsilon);
  run.receipt.guarantee.delta = of_choice.real(named::run_delta, learn::Looking::assumes);
  if (entry.contains("candidates")) {
    run.candidates = entry.at("candidates").get<std::vector<std::size_t>>();
  }
  if (!run.parameters.is_object()) throw base::DataError("a run of the receipt has no parameters");
  return run;
}

std::vector<RecordedRun> read_runs(const privacy::Receipt& choice,
                                   learn::RecordedParameters& parameters, std::size_t parts) {
  std::vector<RecordedRun> runs;
  try {
    for (const auto& entry : json::parse(parameters.text(runs_name))) {
      runs.push_back(read_run(choice, parameters, entry));
    }
  } catch (const json::exception&) {
    throw base::DataError("the parameter {} is no list of runs", runs_name);
  }
  std::vector<bool> told(parts, false);
  for (const auto& run : runs) {
    if (run.part >= parts) throw base::DataError("the events have no part {}", run.part);
    told[run.part] = true;
  }
  if (std::ranges::find(told, false) == told.end()) return runs;
  throw base::DataError("the receipt does not tell of all runs of the events");
}

void expect_releases(const RecordedRun& run, const privacy::Event& part) {
  const auto& method = learn::find_method(run.receipt.algorithm);
  auto receipt = run.receipt;
  receipt.events = part;
  learn::check_recorded_run(receipt, method);
  learn::RecordedParameters parameters(run.parameters.dump());
  if (learn::same_releases(learn::recorded_releases(method, receipt, parameters, part), part)) {
    return;
  }
  throw base::DataError("a run of the events is not what method {} releases with its parameters",
                        method.name);
}

double draw_slack_of(const RecordedRun& run) {
  return learn::draw_slack(run.receipt, learn::find_method(run.receipt.algorithm).proved);
}

/// The PRG slack of the whole has that of the choice and of the random draws of its runs.
void expect_random_draws(const privacy::Receipt& choice, double of_runs) {
  constexpr double roundings = 1 - 1e-9;
  if (choice.prg_slack >= choice_prg_slack(of_runs) * roundings) return;
  throw base::DataError(
      "the PRG slack leaves out random draws: those of the choice, or those that draw a record of "
      "each unit in its runs");
}

/// What a candidate of the grid says under this name.
std::optional<std::string> value_in(const std::string& candidate, std::string_view name) {
  const auto text = " " + candidate + " ";
  const auto key = " " + std::string(name) + "=";
  const auto at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  const auto first = at + key.size();
  return text.substr(first, text.find(' ', first) - first);
}

std::int64_t whole_number(const char* option, const std::string& text) {
  constexpr double max = 0x1p53;
  const double value = learn::parse_real(option, text);
  if (value >= 0 && value <= max && value == std::floor(value)) {
    return static_cast<std::int64_t>(value);
  }
  throw base::DataError("the grid's {} is no whole number: {}", option, text);
}

/// The run with the values that the grid has for a candidate in place of its own.
RecordedRun as_in_grid(RecordedRun run, const std::string& candidate) {
  auto& parameters = run.parameters;
  if (const auto method = value_in(candidate, "method"); method && *method != "auto") {
    run.receipt.algorithm = *method;
  }
  if (const auto sampling = value_in(candidate, "sampling");
      sampling && run.receipt.algorithm == "gradient") {
    run.receipt.sampling = *sampling;
  }
  for (const auto* option :
       {"steps", "batch-size", "max-records-per-unit", "positives", "groups"}) {
    std::string name(option);
    std::ranges::replace(name, '-', '_');
    const auto value = value_in(candidate, option);
    if (value && parameters.contains(name)) parameters[name] = whole_number(option, *value);
  }
  const auto batch = value_in(candidate, "batch-size");
  const auto rows = run.receipt.public_row_count.value_or(0);
  if (batch && run.receipt.algorithm == "gradient" && !parameters.contains("sampling_rate")) {
    throw base::DataError("a candidate of the grid has batches, but its run reads all records");
  }
  if (batch && parameters.contains("sampling_rate") && rows > 0) {
    const double rate = learn::parse_real("batch-size", *batch) / static_cast<double>(rows);
    if (!(rate > 0 && rate <= 1)) throw base::DataError("a batch of the grid is out of range");
    parameters["sampling_rate"] =
        run.receipt.sampling == "poisson" ? random::PoissonRate::at_least(rate).value() : rate;
  }
  return run;
}

}  // namespace

learn::Setting runs_setting(std::span<const PlannedRun> runs) {
  json list = json::array();
  for (const auto& [training, part, candidates] : runs) {
    auto receipt = learn::receipt_of(training);
    receipt.events = training.events;
    json entry{{"part", part},
               {"method", receipt.algorithm},
               {"sampling", receipt.sampling},
               {"calibration", receipt.calibration},
               {"parameters", telling_parameters(receipt)}};
    if (!candidates.empty()) entry["candidates"] = candidates;
    list.push_back(std::move(entry));
  }
  return {runs_name, list.dump(), {.table = false, .json = false}};
}

std::vector<std::string> grid_entries(const std::string& text) {
  constexpr std::string_view between = "; ";
  std::vector<std::string> entries;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(between, at), text.size());
    auto entry = text.substr(at, end - at);
    entries.push_back(entry.substr(0, entry.rfind(" weight=")));
    at = end + between.size();
  }
  return entries;
}

void expect_runs(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                 std::span<const privacy::Event> parts, std::int64_t times) {
  const auto runs = read_runs(choice, parameters, parts.size());
  double random_draws = 0;
  for (const auto& run : runs) {
    expect_releases(run, parts[run.part]);
    random_draws += draw_slack_of(run);
  }
  expect_random_draws(choice, static_cast<double>(times) * random_draws);
}

void expect_runs_of_grid(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                         std::span<const privacy::Event> parts) {
  const auto runs = read_runs(choice, parameters, parts.size());
  const auto entries = grid_entries(parameters.text("grid"));
  parameters.expect("candidates", entries.size(), "the grid has");
  std::vector<bool> seen(entries.size(), false);
  double dearest = 0;
  for (const auto& run : runs) {
    expect_releases(run, parts[run.part]);
    dearest = std::max(dearest, draw_slack_of(run));
    for (const auto place : run.candidates) {
      if (place >= seen.size() || seen[place]) {
        throw base::DataError("the runs of the receipt are not those of its grid");
      }
      seen[place] = true;
      expect_releases(as_in_grid(run, entries[place]), parts[run.part]);
    }
  }
  if (std::ranges::find(seen, false) != seen.end()) {
    throw base::DataError("a candidate of the grid has no run in the receipt");
  }
  // Each run of the secret number draws its candidate, too.
  const double run = dearest + random::prg_slack_of(1, random::max_block_words);
  const auto max = parameters.count(named::max_trials, learn::Looking::assumes);
  expect_random_draws(choice, static_cast<double>(max) * run);
}

}  // namespace tacet::choose
