#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tacet/choose/read_options.h"
#include "tacet/choose/request.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"

/// The one way from a request to a plan, for the command line, C, C++ and Python: the methods of
/// `learn`, and what chooses among them or among their runs.
namespace tacet::choose {

/// Plans the training from public facts alone; the result is booked, run and written down like
/// any other. A method that is not named is chosen (docs/methods/auto.md). A total epsilon is
/// divided between the training and the fit of the schema (total_budget.h), and a tuning is planned
/// as a whole (tune.h).
///
/// Where noise from the cipher leaves nothing of delta at the epsilon asked for, but something at a
/// smaller one that is at least 10, the plan is for that one, and a reason says so; not with a
/// paper's calibration. UsageError for values out of range or that exclude each other; else errors
/// as learn::plan_training.
[[nodiscard]] learn::Training plan(const Request& request, const data::Schema& schema);

/// How records lie that are not in this process.
struct PartsLayout {
  std::int64_t parts = 1;
  std::optional<std::string> whole = {};  ///< the unit column of which each unit is in one part
};

/// plan() of records in parts, which answer with sums alone (optimize/parts/). UsageError with the
/// reason, before anything is booked: for what needs the records themselves, which names a method
/// that does not, for a tuning, for a schema whose units may lie in several parts, and for answers
/// larger than a round may be.
[[nodiscard]] learn::Training plan_over_parts(const Request& request, const data::Schema& schema,
                                              const PartsLayout& layout);

/// Refuses what no schema makes right: UsageError that names the parameter.
void check(const Request& request);

/// Under which adjacency plan() would plan. It asks for no number of records.
[[nodiscard]] privacy::Adjacency adjacency_of(const Request& request, const data::Schema& schema);

/// plan() of a request that was resolved already.
[[nodiscard]] learn::Training plan_training(const data::Schema& schema,
                                            const ResolvedRequest& request);
/// The same for values that name method and adjacency.
[[nodiscard]] learn::Training plan_training(const data::Schema& schema,
                                            const learn::ParameterValues& asked);

/// What this floor trains with, for the way back from a receipt (learn::check_receipt).
[[nodiscard]] std::span<const learn::Method* const> choices();

}  // namespace tacet::choose
