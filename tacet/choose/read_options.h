#pragma once

#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/learn/plan/training.h"

namespace tacet::choose {

/// Whether a wide model is asked for. UsageError for one with a method of linear models, and for a
/// parameter of wide models without one.
[[nodiscard]] bool asks_wide(const learn::ParameterValues& values);

/// What a request stands for: its values with a method and an adjacency, and what was decided
/// beside them.
struct ResolvedRequest {
  learn::ParameterValues values;
  std::vector<std::string> reasons = {};  ///< for the head of the plan's own
  double path_share = 1;                  ///< of the path that the step rule of `gradient` finds
  bool constant_only = false;             ///< no column is read

  [[nodiscard]] learn::CommonOptions common() const { return learn::common_options(values); }
};

/// The values with the adjacency that is usual for the method, where none was given.
[[nodiscard]] learn::ParameterValues with_adjacency(learn::ParameterValues values,
                                                    const learn::Method& method);

/// What values of a command line, or of a candidate, stand for: where no method is named gradient,
/// or for pure privacy what `auto` takes, and the adjacency usual for it. UsageError that names the
/// parameter.
[[nodiscard]] ResolvedRequest read_options(learn::ParameterValues values,
                                           const data::Schema& schema);

}  // namespace tacet::choose
