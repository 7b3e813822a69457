#include "tacet/learn/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/chain/localization.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/line/inverse_sensitivity.h"
#include "tacet/learn/minimiser/objective.h"
#include "tacet/learn/minimiser/regularized_output.h"
#include "tacet/learn/output/output.h"
#include "tacet/learn/output/phased.h"

namespace tacet::learn {
namespace {

// Read by every method.
constexpr std::array<std::string_view, 9> common{
    "epsilon",          "delta",  "adjacency", "loss", "loss-parameter", "loss-width",
    "public-row-count", "method", "threads"};

constexpr std::array<std::string_view, 13> gradient_options{
    "l2",       "steps",      "step-size",  "momentum", "clipping-norm",
    "average",  "averaging",  "batch-size", "radius",   "records-a-unit",
    "sampling", "order-seed", "calibration"};

constexpr std::array<std::string_view, 14> output_options{
    "l2",        "steps",     "step-size",    "step-decay", "clipping-norm",
    "average",   "averaging", "batch-size",   "sampling",   "order-seed",
    "smoothing", "radius",    "weight-scale", "calibration"};

constexpr std::array<std::string_view, 7> phased_options{
    "l2", "step-size", "phases", "clipping-norm", "order-seed", "radius", "weight-scale"};

constexpr std::array<std::string_view, 2> inverse_sensitivity_options{"l2", "radius"};

constexpr std::array<std::string_view, 2> objective_options{"l2", "calibration"};

constexpr std::array<std::string_view, 2> regularized_output_options{"l2", "radius"};
constexpr std::array<std::string_view, 4> ladder_options{"radius", "growth", "record-use",
                                                         "phases"};
constexpr std::array<std::string_view, 3> growth_options{"radius", "growth", "calibration"};
constexpr std::array<std::string_view, 2> localized_options{"radius", "calibration"};

constexpr std::array table{
    Method{"gradient", "noisy gradient descent, for every loss", privacy::Adjacency::add_remove,
           gradient_options, gradient_training},
    Method{"output", "stochastic gradient descent, its result perturbed once",
           privacy::Adjacency::replace_one, output_options, output_training},
    Method{"phased", "output perturbation on ever smaller disjoint parts of the records",
           privacy::Adjacency::replace_one, phased_options, phased_training},
    Method{"inverse-sensitivity", "one draw scored by the gradient: pure, few columns",
           privacy::Adjacency::replace_one, inverse_sensitivity_options,
           inverse_sensitivity_training},
    Method{"objective", "a random term in the objective, for the logistic loss",
           privacy::Adjacency::replace_one, objective_options, objective_training},
    Method{"regularized-output", "noise on the minimiser of a regularized loss",
           privacy::Adjacency::replace_one, regularized_output_options,
           regularized_output_training},
    Method{"ladder", "a chain of ever closer problems on all records: pure, kinks, sharp minima",
           privacy::Adjacency::replace_one, ladder_options, localization_training},
    Method{"localized", "algorithm 1 of Asi, Levy, Duchi 2021, on disjoint blocks",
           privacy::Adjacency::replace_one, localized_options, localization_training},
    Method{"growth", "algorithm 2 of Asi, Levy, Duchi 2021, epochs on shrinking balls",
           privacy::Adjacency::replace_one, growth_options, localization_training},
    Method{"phased-erm", "minimisers of blocks that halve (Feldman, Koren, Talwar 2020)",
           privacy::Adjacency::replace_one, localized_options, localization_training},
};

bool reads(const Method& method, std::string_view parameter) {
  return std::ranges::find(common, parameter) != common.end() ||
         std::ranges::find(method.options, parameter) != method.options.end();
}

}  // namespace

std::span<const Method> methods() { return table; }

const Method& find_method(std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& method : table) {
    if (method.name == name) return method;
    known.push_back(method.name);
  }
  throw base::UsageError(
      fmt::format("there is no method '{}'; known: {}", name, fmt::join(known, ", ")));
}

std::string_view usual_method(const ParameterValues& values) {
  const bool pure = values.real("delta") == 0.0 && !std::isinf(values.real("epsilon").value_or(1));
  return pure ? "ladder" : "gradient";
}

void check_parameters(const Method& method, const ParameterValues& values) {
  for (const auto& parameter : parameters()) {
    if (!values.given(parameter.name) || reads(method, parameter.name)) continue;
    std::vector<std::string_view> readers;
    for (const auto& other : table) {
      if (reads(other, parameter.name)) readers.push_back(other.name);
    }
    throw base::UsageError(fmt::format("{} has no meaning for method {}; it belongs to {}",
                                       parameter.name, method.name, fmt::join(readers, ", ")));
  }
}

Training plan_training(const data::Schema& schema, const LinearOptions& options) {
  return find_method(options.method).plan(schema, options);
}

bool Training::unprotected() const { return std::isinf(guarantee.epsilon); }

}  // namespace tacet::learn
