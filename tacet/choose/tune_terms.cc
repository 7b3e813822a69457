#include "tacet/choose/tune_terms.h"

#include <cmath>
#include <set>
#include <string>

#include "tacet/base/parameter_names.h"
#include "tacet/choose/blocks.h"
#include "tacet/choose/read_options.h"
#include "tacet/learn/plan/resolve.h"

namespace tacet::choose {
namespace {

void check_request(const TuneRequest& request) {
  const auto& options = request.options;
  if (request.grid.candidates.empty()) throw base::UsageError("the grid has no candidates");
  if (!request.values.given("epsilon")) {
    throw base::UsageError("epsilon is missing; give `epsilon`, of the whole tuning (1 is usual)");
  }
  if (!(options.holdout > 0 && options.holdout < 1)) {
    throw base::UsageError("holdout must be above 0 and below 1, got {:g}", options.holdout);
  }
  if (options.law == TrialLaw::poisson && !request.grid.zero_model) {
    throw base::UsageError(
        "law poisson may carry out no run at all, and then the model of all zeros is what comes "
        "out: allow it with zero_model = true in the grid, or use another law");
  }
}

/// The adjacency that was given, or the usual one where all candidates have the same.
privacy::Adjacency resolve_adjacency(const data::Schema& schema, const TuneRequest& request) {
  const auto usual = [&](const Candidate& candidate) {
    return naming(candidate, [&] {
      return read_options(together(request, candidate), schema).common().adjacency;
    });
  };
  const auto& first = request.grid.candidates.front();
  const auto adjacency = usual(first);
  std::set<std::string> methods;
  for (const auto& candidate : request.grid.candidates) {
    const auto method = candidate.values.text("method").value_or("");
    if (!methods.insert(method).second || usual(candidate) == adjacency) continue;
    throw base::UsageError(
        "candidates {} and {} are usual under {} and {}; say with `adjacency` under which all are",
        first.name, candidate.name, to_string(adjacency), to_string(usual(candidate)));
  }
  return adjacency;
}

}  // namespace

learn::ParameterValues together(const TuneRequest& request, const Candidate& candidate) {
  auto values = request.values;
  for (const auto& parameter : learn::parameters()) {
    const auto own = candidate.values.text(parameter.name);
    if (!own) continue;
    if (request.values.given(parameter.name)) {
      throw base::UsageError("{} is given for all and in the grid; leave one of them out",
                             base::parameter_name(parameter.name));
    }
    values.set(parameter.name, *own);
  }
  return values;
}

TuneTerms resolve_terms(const data::Schema& schema, const TuneRequest& request) {
  check_request(request);
  const auto& first = request.grid.candidates.front();
  const auto options =
      naming(first, [&] { return read_options(together(request, first), schema).common(); });
  if (std::isinf(options.epsilon)) {
    throw base::UsageError(
        "epsilon inf protects nobody, and costs nothing to try again: train without a choice");
  }
  // What is cut off of the law of the number of runs counts e^epsilon times.
  constexpr double max_epsilon = 500;
  if (options.epsilon > max_epsilon) {
    throw base::UsageError("tune takes epsilon up to {}, got {}", max_epsilon, options.epsilon);
  }
  const auto adjacency = resolve_adjacency(schema, request);
  refuse_counted_units(schema.unit.has_value(), adjacency);
  const auto rows = learn::resolve_row_count(schema, options);
  const double delta = options.delta.value_or(learn::default_delta(rows));
  return {schema, request, {options.epsilon, delta, adjacency}, rows, request.options.trials};
}

privacy::Adjacency tuning_adjacency(const data::Schema& schema, const TuneRequest& request) {
  check_request(request);
  return resolve_adjacency(schema, request);
}

}  // namespace tacet::choose
