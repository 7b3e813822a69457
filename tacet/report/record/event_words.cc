#include "tacet/report/record/event_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>

#include "tacet/privacy/event_tree.h"
#include "tacet/report/figure/labels.h"

namespace tacet::report {
namespace {

using namespace privacy;  // NOLINT(google-build-using-namespace)

constexpr std::size_t max_event_lines = 200;

struct EventLine {
  std::string what;
  std::string times = {};
  std::string noise = {};
  std::string sample = {};
};

std::string of_bound(double multiplier, std::string_view bound) {
  return fmt::format("{} times {}", number_text(multiplier, 6), bound);
}

struct SayEvent {
  EventLine operator()(const Gaussian& e) const {
    return {"a sum with Gaussian noise", "once",
            "sd " + of_bound(e.noise_multiplier, "a record's largest length")};
  }
  EventLine operator()(const Laplace& e) const {
    return {"a sum with Laplace noise", "once",
            "scale " + of_bound(e.noise_multiplier, "a record's largest sum")};
  }
  EventLine operator()(const DiscreteGaussian& e) const {
    return {fmt::format("{} whole numbers with discrete Gaussian noise", e.dimension), "once",
            fmt::format("sd {}, a record moves them by at most {}", number_text(e.sigma),
                        e.sensitivity)};
  }
  EventLine operator()(const DiscreteLaplace& e) const {
    return {"counts with discrete Laplace noise", "once",
            fmt::format("scale {}, a record moves them by at most {}", number_text(e.scale),
                        e.sensitivity)};
  }
  EventLine operator()(const PureDp& e) const {
    return {"a release known by its guarantee", "once", "epsilon " + number_text(e.epsilon)};
  }
  EventLine operator()(const ApproximateDp& e) const {
    return {"a release known by its guarantee", "once",
            fmt::format("epsilon {}, delta {}", number_text(e.epsilon), number_text(e.delta))};
  }
  EventLine operator()(const BoundedRange& e) const {
    return {"a choice by the exponential mechanism", "once",
            "range of its loss " + number_text(e.epsilon)};
  }
  EventLine operator()(const ScoreSelection& e) const {
    return {fmt::format("a choice among {} by noisy scores", e.candidates), "once",
            "weight " + number_text(e.eta)};
  }
  EventLine operator()(const Zcdp& e) const {
    return {"a release known by its guarantee", "once", "rho " + number_text(e.rho)};
  }
  EventLine operator()(const Profile& e) const {
    return {"a release known by its curve of epsilon and delta", "once",
            fmt::format("{} points", e.points.size())};
  }
  EventLine operator()(const ObjectivePerturbation& e) const {
    return {"the minimum of a sum with a random linear term", "once",
            fmt::format("sd {} in the gradient, {} in the minimum", number_text(e.sigma),
                        number_text(e.output_sigma))};
  }
  EventLine operator()(const ShuffledLocal& e) const {
    return {fmt::format("{} private reports in random order", e.reports), "once",
            "epsilon of each report " + number_text(e.local_epsilon)};
  }
  EventLine operator()(const PoissonSampled& e) const {
    return {"from a secret sample:", "", "",
            fmt::format("each record joins with probability {}", number_text(e.rate))};
  }
  EventLine operator()(const FixedSizeSampled& e) const {
    return {"from a secret sample:", "", "",
            fmt::format("{} of {} records", e.sample_size, e.population)};
  }
  EventLine operator()(const Partitioned& e) const {
    return {"from disjoint parts of the records:", "", "",
            e.assignment == Assignment::by_position ? "by their place" : "each by itself"};
  }
  EventLine operator()(const Composed& e) const {
    if (e.parts.empty()) return {"nothing with noise; what was computed exactly is no release"};
    return {fmt::format("{} releases, one after the other:", e.parts.size())};
  }
  EventLine operator()(const Repeated& e) const {
    return {"again and again:", fmt::format("{} times", e.count)};
  }
  EventLine operator()(const RandomlyRepeated&) const {
    return {"the best of several runs, whose number is secret:"};
  }
};

struct EventLines {
  Table& table;
  std::size_t left_out = 0;

  void add(const Event& event, int depth) {
    if (table.rows.size() >= max_event_lines) {
      ++left_out;
    } else {
      auto line = std::visit(SayEvent{}, event.node());
      table.rows.push_back({line.what, line.times, line.noise, line.sample});
      table.depths.push_back(depth);
    }
    for (const auto& child : inside(event)) add(child, depth + 1);
  }
};

}  // namespace

Table events_table(const Event& event) {
  Table table{.caption = "What was released",
              .header = {"what", "how often", "noise", "sample"},
              .rows = {},
              .depths = {}};
  EventLines lines{table};
  lines.add(event, 0);
  if (lines.left_out > 0) {
    table.rows.push_back(
        {fmt::format("and {} more lines, which the receipt has", lines.left_out), "", "", ""});
    table.depths.push_back(0);
  }
  // Where nothing is sampled there is nothing to say of it.
  constexpr std::size_t sample = 3;
  const bool sampled = std::ranges::any_of(
      table.rows, [](const auto& row) { return row[sample] != Cell(std::string()); });
  if (!sampled) {
    table.header.pop_back();
    for (auto& row : table.rows) row.pop_back();
  }
  return table;
}

}  // namespace tacet::report
