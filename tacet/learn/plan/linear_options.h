#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tacet/learn/plan/parameters.h"
#include "tacet/model/loss/loss.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::learn {

/// Which mean of the iterates is the model. For methods that release every step all are free:
/// functions of what was released. For output perturbation the sensitivity depends on it.
enum class Averaging {
  suffix,     ///< of the last share of them
  uniform,    ///< of all
  last,       ///< of the last alone
  polynomial  ///< weights growing like t^3
};
[[nodiscard]] std::string to_string(Averaging averaging);

/// What a user asks of a linear model. Everything left out is chosen from public facts.
struct LinearOptions {
  std::string method = "gradient";
  double epsilon = 0;           ///< above 0; infinity trains without protection
  std::optional<double> delta;  ///< 0 asks for pure privacy
  privacy::Adjacency adjacency = privacy::Adjacency::add_remove;
  std::optional<std::int64_t> public_row_count;  ///< overrides the schema's
  std::optional<model::Loss> loss;
  std::optional<std::int64_t> steps;
  std::optional<double> step_size;
  std::optional<double> momentum;
  std::optional<double> clipping_norm;
  std::optional<double> average;  ///< share of the last iterates that are averaged
  std::optional<Averaging> averaging;
  std::optional<std::int64_t> batch_size;  ///< records a step, for samples their expected number
  std::optional<std::string> sampling;     ///< how the records of a step are chosen
  std::optional<std::int64_t> order_seed;  ///< of a public order of the records
  double step_decay = 0;                   ///< step t has size step_size / t^step_decay
  bool smoothing = true;                   ///< of kinks and powers, on a width tied to the step
  std::optional<double> weight_scale;      ///< size of weights worth reaching
  std::optional<std::int64_t> phases;      ///< of phased output perturbation
  std::optional<double> growth;            ///< least growth exponent that a chain is made for
  bool reuse = true;                       ///< each phase of a chain reads all records
  bool paper = false;                      ///< the schedule and noise of the method's paper
  double l2 = 0;                           ///< weight of |w|^2 / 2 in the objective
  std::optional<double> radius;            ///< weights stay in the ball of this radius
  std::int64_t records_a_unit = 1;         ///< of a unit column's records that take part
};

/// Reads and checks the values of a command line. `adjacency` is what holds when none is given: the
/// library has no default. UsageError names the parameter, what was given and what is allowed.
[[nodiscard]] LinearOptions linear_options(const ParameterValues& values,
                                           privacy::Adjacency adjacency);

/// The largest power of ten below 1 / row_count^1.1.
[[nodiscard]] double default_delta(std::int64_t row_count);

}  // namespace tacet::learn
