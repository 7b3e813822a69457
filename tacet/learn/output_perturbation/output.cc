#include "tacet/learn/output_perturbation/output.h"

#include <array>
#include <numeric>

#include "tacet/learn/output_perturbation/sgd_problem.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/mechanism/noise/partial_gaussian.h"

namespace tacet::learn {

TrainedModel train_output(const data::Dataset& dataset, const data::Schema& schema,
                          const OutputPlan& plan, const TrainingContext& context) {
  check_row_count(dataset, plan.public_row_count, context);
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(plan.public_row_count));
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  auto mean = plan.sgd->run({dataset, rows, {}, context.threads, context.supervision},
                            plan.norm_bits, {.block = 0});
  mechanism::BlockGaussian noise(privacy::NoiseMultiplier(plan.noise_multiplier),
                                 context.reservation);
  const auto released = noise.release(std::move(mean), {}, context.source);
  // Known exactly: there is one release, and nothing is computed after it.
  const std::vector<double> stddevs(released.value().size(), plan.stddev);
  return finish(plan, schema, context, {released.value(), stddevs});
}

namespace {

constexpr auto output_reads =
    bound_names<descent_bindings, penalty_bindings, ball_bindings, smoothing_bindings,
                output_bindings, calibration_bindings, feature_selection_bindings>;
constexpr std::array<std::string_view, 4> descent_sampling{"permutation", "fresh_permutation",
                                                           "with_replacement", "minibatch"};
constexpr std::array output_papers{Paper{Calibration::wang2021, {privacy::Adjacency::replace_one}}};

}  // namespace

constinit const Method output_method{
    .name = "output",
    .help = "stochastic gradient descent, its result perturbed once",
    .usual_adjacency = privacy::Adjacency::replace_one,
    .proved = proved_for_descent,
    .problems = {.targets = classes_and_numbers},
    .sampling = descent_sampling,
    .options = output_reads,
    .plan = planned_by<output_options, plan_output, train_output>,
    .recorded_events = recorded_releases_of<OutputPlan>,
    .papers = output_papers,
    .check_file = check_descent_file,
};

}  // namespace tacet::learn
