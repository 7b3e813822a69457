#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/learn/plan/training.h"

/// The methods of training by name. A new method is a plan function and a row of this table.
namespace tacet::learn {

struct Method {
  std::string_view name;
  std::string_view help;                      ///< one line
  privacy::Adjacency usual_adjacency;         ///< the command line's default
  std::span<const std::string_view> options;  ///< the parameters it reads besides the common ones
  Training (*plan)(const data::Schema& schema, const LinearOptions& options);
};

[[nodiscard]] std::span<const Method> methods();

/// UsageError that lists the known names.
[[nodiscard]] const Method& find_method(std::string_view name);

/// The method where none is named: gradient, or ladder for pure privacy (delta 0).
[[nodiscard]] std::string_view usual_method(const ParameterValues& values);

/// UsageError when a value was given that this method does not read; it names the methods that do.
void check_parameters(const Method& method, const ParameterValues& values);

/// Settles the training by `options.method` from public facts alone. UsageError when something
/// needed is missing or makes no sense, GuaranteeError when no guarantee can be proved for it.
[[nodiscard]] Training plan_training(const data::Schema& schema, const LinearOptions& options);

}  // namespace tacet::learn
