#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "python/binding/context.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/model_file.h"
#include "tacet/run/rows.h"
#include "tacet/select/read_options.h"

namespace tacet::python {

/// Options by the names of `tacet train`, as texts.
using Values = std::map<std::string, std::string>;

[[nodiscard]] learn::ParameterValues values_of(const Values& given);
/// As `tacet train` reads its command line.
[[nodiscard]] select::ResolvedRequest options_of(const Values& given, const data::Schema& schema);

/// Books as `command`, reads, trains, without the interpreter's lock.
[[nodiscard]] model::ModelFile trained(const std::string& command, const learn::Training& plan,
                                       const run::Rows& rows, const Means& context,
                                       const nanobind::object& callback);

}  // namespace tacet::python
