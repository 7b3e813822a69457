#pragma once

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/learn/plan/parameters.h"

namespace tacet::select {

/// The options that values of a command line, or of a candidate, stand for: with the method
/// that `auto` takes where none is named, without its other choices, and the adjacency usual for
/// it. UsageError that names the parameter.
[[nodiscard]] learn::LinearOptions read_options(learn::ParameterValues values,
                                                const data::Schema& schema);

}  // namespace tacet::select
