#pragma once

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/learn/plan/parameters.h"

namespace tacet::choose {

/// Whether a wide model is asked for. UsageError for one with a method of linear models, and for a
/// parameter of wide models without one.
[[nodiscard]] bool asks_wide(const learn::ParameterValues& values);

/// The options that values of a command line, or of a candidate, stand for: where no method is
/// named with gradient, or for pure privacy with what `auto` takes, and the adjacency usual for it.
/// UsageError that names the parameter.
[[nodiscard]] learn::LinearOptions read_options(learn::ParameterValues values,
                                                const data::Schema& schema);

}  // namespace tacet::choose
