#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/learn/plan/parameters.h"

/// The candidates of a private choice, from a TOML file:
///
///     [values]                      # every combination is a candidate
///     clipping-norm = [0.5, 1]
///     steps = [50, 100, 200]
///
///     [weights]                     # optional: how often each value is drawn, 1 where not said
///     steps = [1, 2, 1]
///
///     [[candidate]]                 # one by itself
///     method = "objective"
///     weight = 0.5
namespace tacet::choose {

/// So many candidates at most: more are drawn too rarely to be worth anything.
inline constexpr std::int64_t max_candidates = 100000;

struct Candidate {
  learn::ParameterValues values;
  std::string name;  ///< `steps=50 clipping-norm=1`, its values in the order of the file
  double weight = 1;
};

struct ParameterGrid {
  std::vector<Candidate> candidates;
  /// Whether the model of all zeros may be what comes out where nothing is run.
  bool zero_model = false;
};

/// Reads a grid by the names of `tacet train`; what all candidates have in common (epsilon, delta,
/// adjacency, public-row-count, threads) is no axis. Faults are DataErrors that start with
/// `file:line:column`: unknown names, no candidate at all, two alike, a product beyond
/// max_candidates, weights that are not above 0 or not as many as values.
[[nodiscard]] ParameterGrid grid_from_toml(std::string_view text, std::string_view file_name);

}  // namespace tacet::choose
