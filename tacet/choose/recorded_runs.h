#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/receipt.h"

/// What a receipt of a choice says of all runs that its events are about, chosen or not: for each
/// the method, and those of its parameters that lead to its events. Without it the events of a run
/// that was not chosen could be any that cost the same.
namespace tacet::choose {

inline constexpr auto runs_name = "runs";

/// A run of the plan, which part of the events it releases, and the places in the grid of the
/// candidates that do the same by its method; no places where there is no grid.
struct PlannedRun {
  const learn::Training& training;
  std::size_t part = 0;
  std::vector<std::size_t> candidates = {};
};

/// The setting that says so; for the receipt alone.
[[nodiscard]] learn::Setting runs_setting(std::span<const PlannedRun> runs);

/// DataError unless each part of the events is what its runs release, each by its own method, for
/// the receipt's adjacency and unit; and unless the PRG slack has the random draws of the choice
/// and, `times` for each run, those that draw a record of each unit.
void expect_runs(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                 std::span<const privacy::Event> parts, std::int64_t times = 1);

/// The same, and that the candidates of `grid` (the receipt's text) are those of the runs: each in
/// one of them, with the method, steps and batches that stand in the grid.
void expect_runs_of_grid(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                         std::span<const privacy::Event> parts);

/// The candidates of a grid's text, each as `name=value name=value`, without their weights.
[[nodiscard]] std::vector<std::string> grid_entries(const std::string& text);

}  // namespace tacet::choose
