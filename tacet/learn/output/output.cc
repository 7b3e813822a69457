#include "tacet/learn/output/output.h"

#include <array>
#include <numeric>

#include "tacet/learn/output/sgd_problem.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/mechanism/noise/partial_gaussian.h"

namespace tacet::learn {

TrainedModel train_output(const data::Dataset& dataset, const data::Schema& schema,
                          const OutputPlan& plan, const TrainingMeans& means) {
  check_row_count(dataset, plan.public_row_count, means);
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(plan.public_row_count));
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  auto mean = plan.sgd->run({dataset, rows, {}, means.threads, means.supervision}, plan.norm_bits,
                            {.block = 0});
  mechanism::BlockGaussian door(privacy::NoiseMultiplier(plan.noise_multiplier), means.reservation);
  const auto released = door.release(std::move(mean), {}, means.source);
  // Known exactly: the noise of one release, without anything after it.
  const std::vector<double> deviations(released.value().size(), plan.standard_deviation);
  return finish(plan, schema, means, {released.value(), deviations});
}

namespace {

privacy::Event recorded_output(const privacy::Receipt& receipt, RecordedParameters& parameters,
                               const privacy::Event&) {
  expect_sampling(receipt, parameters.text("sampling"));
  expect_there(parameters, {"averaging", "smoothed"});
  const double noise = recorded_noise(parameters);
  expect_claim(parameters, receipt);
  const auto sgd = recorded_descent(receipt, parameters);
  expect_planned(parameters, "sensitivity", sgd.sensitivity());
  expect_planned(parameters, "noise_deviation", noise * sgd.deviation_unit(norm_bits_for(noise)));
  return mechanism::BlockGaussian::event(privacy::NoiseMultiplier(noise));
}

constexpr std::array output_papers{Paper{Calibration::wang2021, {privacy::Adjacency::replace_one}}};

}  // namespace

constinit const Method output_method{
    "output",
    "stochastic gradient descent, its result perturbed once",
    privacy::Adjacency::replace_one,
    proved_for_descent,
    "l2 steps step-size step-decay clipping-norm average averaging batch-size sampling "
    "order-seed smoothing radius weight-scale calibration columns-kept",
    planned_by<plan_output, train_output>,
    recorded_output,
    true,
    output_papers,
    check_descent_file};

}  // namespace tacet::learn
