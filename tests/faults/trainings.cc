// Faults of whole trainings.

#include <algorithm>
#include <vector>

#include "tacet/audit/training_audit.h"
#include "tacet/choose/plan.h"
#include "tacet/learn/localization/localization.h"
#include "tacet/mechanism/minimum/perturbed_minimum.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/faults/fault_tests.h"

namespace tacet::faults {
namespace {

using enum privacy::Adjacency;

constexpr privacy::Guarantee claimed{1, 1e-5, add_remove};

/// A record that has no feature has no gradient: with the same noise the model has the same bits.
Finding private_count_as_divisor() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  schema.public_row_count = 6;
  choose::Request request(add_remove);
  request.set("method", "gradient").set("epsilon", 1).set("delta", 1e-5).set("steps", 3);
  const auto plan = choose::plan(request.set("knots", "none"), schema);
  const auto weights = [&](bool one_more) {
    data::Dataset records(plan.reading_schema().shape());
    for (int i = 0; i < 6; ++i) records.append_dense(std::vector<std::int16_t>{2048}, 1);
    if (one_more) records.append_dense(std::vector<std::int16_t>{0}, 1);
    random::SeededSource source(4);
    privacy::TrustingBudget budget(add_remove);
    auto reservation = budget.reserve(plan.events, plan.guarantee);
    base::ThreadPool threads(1);
    return plan.run(records, plan.schema, {source, reservation, threads}).model.coefficients;
  };
  return certain(weights(true) != weights(false), 2);
}

/// A solver that always says the same: only the noise on what it says is seen.
Finding output_noise_off() {
  constexpr std::size_t columns = 50;
  const privacy::ObjectivePerturbation event{3, 1, .25, 4, 1e-4, .01};
  random::SeededSource source(5);
  privacy::TrustingBudget budget(add_remove);
  auto reservation = budget.reserve(event, {1, 1e-5, add_remove});
  const auto released =
      mechanism::release_perturbed_minimum(
          event, columns,
          [](std::span<const double> linear) { return std::vector<double>(linear.size(), 0.5); },
          {{}, source, reservation})
          .value();
  const bool all_equal =
      std::ranges::all_of(released, [&](double number) { return number == released[0]; });
  return certain(all_equal, columns);
}

/// Two visits of each record, as its noise is made for.
Finding output_for_one_visit() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  schema.public_row_count = audit::few_records;
  choose::Request request(replace_one);
  request.set("method", "output").set("epsilon", 1).set("delta", 1e-5);
  request.set("loss", "hinge").set("step-size", 0.05).set("steps", 2 * audit::few_records);
  return audited(audit::training_subject(choose::plan(request, schema)), 20000);
}

/// Their events say that each record is in one phase.
Finding phases_that_overlap() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  const auto plan = learn::plan_localization(
      schema, learn::chain_options(learn::ParameterValues{{"adjacency", replace_one},
                                                          {"method", "phased-erm"},
                                                          {"epsilon", 1.0},
                                                          {"delta", 1e-6},
                                                          {"public-row-count", std::int64_t{1000}},
                                                          {"radius", 4.0}}));
  std::vector<int> phases(1000);
  for (const auto& phase : plan.epochs[0].phases) {
    for (auto i = phase.first; i < phase.last; ++i) ++phases[static_cast<std::size_t>(i)];
  }
  return certain(std::ranges::max(phases) > 1, 1000);
}

constexpr FaultTest tests[] = {
    {"gradients_not_clipped", [] { return audited("gradient", claimed, 10000); }},
    {"sampling_counted_twice", [] { return audited("gradient/poisson", claimed, 20000); }},
    {"private_count_as_divisor", private_count_as_divisor},
    {"private_count_in_a_default", private_count_as_divisor},
    {"regulariser_halved",
     [] {
       return audited("regularized-output", {1, 0, add_remove}, 10000);
     }},
    {"output_for_one_visit", output_for_one_visit},
    {"phases_that_overlap", phases_that_overlap},
    {"output_noise_off", output_noise_off}};

}  // namespace

std::span<const FaultTest> training_tests() { return tests; }

}  // namespace tacet::faults
