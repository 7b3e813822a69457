#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/problems.h"
#include "tacet/learn/plan/training.h"

/// The methods of training, by name. A new method is a folder (room) that ends with its `const
/// Method`, and a line in method.cc.
namespace tacet::learn {

/// All methods, in the order of the help page.
[[nodiscard]] std::span<const Method* const> methods();

/// UsageError that lists the known names.
[[nodiscard]] const Method& find_method(std::string_view name,
                                        std::span<const Method* const> known = methods());

/// Whether delta 0 is asked for, with some protection at all.
[[nodiscard]] bool asks_pure(const ParameterValues& values);

/// The names of the methods that read a parameter; empty if all do.
[[nodiscard]] std::vector<std::string_view> readers_of(std::string_view parameter);

/// UsageError when a value was given that this method does not read; it names the methods that do.
void check_parameters(const Method& method, const ParameterValues& values);

/// UsageError for a schema with released means and standard deviations. Only the model for which
/// they were released may have them.
void refuse_released_standards(const data::Schema& schema);

/// The facts about a request that decide which methods suit it.
struct Facts {
  TargetKind target;
  std::optional<model::Loss> loss = {};  ///< absent: the usual loss of the target
  bool pure = false;                     ///< delta 0
  bool unit = false;                     ///< all records of a unit are protected together
  std::optional<privacy::Adjacency> adjacency = {};  ///< nothing: any
};
[[nodiscard]] Facts facts_of(const data::Schema& schema, const ParameterValues& asked);

/// Whether the method is made and proved for such a problem, by its own data. Further demands are
/// checked by its plan.
[[nodiscard]] bool suits(const Method& method, const Facts& facts);

/// The methods that can train such a problem, in words that finish a sentence: "use
/// `method=gradient` or adassp".
[[nodiscard]] std::string way_out(const Facts& facts,
                                  std::span<const Method* const> known = methods());

/// The method's abilities, in sentences for a help page.
[[nodiscard]] std::string described(const Method& method);

/// Every plan begins with it. UsageError if the method is not made for the kind of target or the
/// loss, or if the schema protects all records of a unit together and the method protects single
/// ones. GuaranteeError if there is no proof for the adjacency, or if delta is 0 and the method is
/// not pure. It reads the method's own data, which check_receipt uses for receipts as well.
void expect_offered(const Method& method, const data::Schema& schema, const CommonOptions& options,
                    std::span<const Method* const> known = methods());

/// UsageError, with the reason and the methods that can, for a training that needs more than sums
/// over the records. Call it before anything is booked for records in parts.
void expect_over_parts(const Training& training);

/// Whether the method reads this parameter.
[[nodiscard]] bool reads(const Method& method, std::string_view parameter);

/// Plans the training by the given method (gradient if none is given), from public facts alone.
/// UsageError if something is missing, has no meaning for the method or makes no sense;
/// GuaranteeError if no guarantee can be proved. With an infinite epsilon it is the exact
/// minimiser, whatever the method.
[[nodiscard]] Training plan_training(const data::Schema& schema, ParameterValues asked,
                                     const PlanContext& context = {},
                                     std::span<const Method* const> known = methods());

}  // namespace tacet::learn
