#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "python/binding/context.h"
#include "tacet/choose/request.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/model_file.h"
#include "tacet/run/read_rows.h"

namespace tacet::python {

/// Options by the names of `tacet train`, as texts.
using Values = std::map<std::string, std::string>;

[[nodiscard]] choose::Request request_of(const Values& given);

/// Books as `command`, reads, trains, without the interpreter's lock.
[[nodiscard]] model::ModelFile trained(const std::string& command, const learn::Training& plan,
                                       const run::Rows& rows, const Context& context,
                                       const nanobind::object& callback);

/// A training that was planned, for fit to carry out.
struct HeldPlan {
  data::Schema schema;  ///< as it was given
  learn::Training training;
  std::string command;  ///< as ledgers name the run
};

}  // namespace tacet::python
