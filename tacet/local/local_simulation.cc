#include "tacet/local/local_simulation.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/local/bounded_note.h"
#include "tacet/local/report_mean.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/random/choose/subset.h"

namespace tacet::local {
namespace {

Learner learner_of(const LocalPlan& plan) {
  if (const auto* banco = std::get_if<BancoSettings>(&plan.learner)) return Banco(*banco);
  return LocalSgd(std::get<LocalSgdSettings>(plan.learner));
}

template <typename Kept>
void end_run(const Kept& kept, const LocalPlan& plan) {
  if (plan.keep) plan.keep(kept);
  if (!kept.diverged()) return;
  const auto& state = kept.state();
  throw base::NumericError(
      "diverged: in {} of {} rounds the learner's weights would have passed {}, so that the model "
      "says nothing; what the devices sent stays spent. The weight scale, the initial wealth or "
      "the clipping norm is far from the problem's scale",
      state.bounded.refused, state.observed, kept.settings().bounds.domain);
}

// All rounds of all passes. Devices beyond whole rounds are not asked.
template <typename Kept>
std::vector<double> learn_from(Kept& kept, ReportMean& reports, const LocalPlan& plan,
                               const learn::TrainingContext& context) {
  std::vector<double> point(static_cast<std::size_t>(plan.columns));
  const auto batch = static_cast<std::size_t>(plan.batch);
  for (std::int64_t pass = 0; pass < plan.passes; ++pass) {
    const auto order = random::random_permutation(
        context.source.claim(random::Purpose::sampling, static_cast<std::uint64_t>(pass), 0),
        plan.public_row_count);
    for (std::int64_t i = 0; i < plan.rounds_per_pass(); ++i) {
      const std::int64_t round = pass * plan.rounds_per_pass() + i;
      context.supervision.step("asking devices", round, plan.rounds);
      kept.point(point);
      const auto devices = std::span(order).subspan(static_cast<std::size_t>(i) * batch, batch);
      kept.observe({reports.of(point, devices, round * plan.batch)});
    }
  }
  context.supervision.step("asking devices", plan.rounds, plan.rounds);
  end_run(kept, plan);
  return kept.model();
}

template <bool sgd>
learn::Training planned(const data::Schema& schema, const learn::ParameterValues& asked,
                        const learn::PlanContext& /*context*/) {
  auto options =
      learn::read_options<LocalOptions, simulation_bindings, learn::ball_bindings,
                          learn::class_weight_bindings, learn::calibration_bindings>(asked);
  options.method = sgd ? "local-sgd" : "banco";
  return local_training(schema, options);
}

constexpr auto simulation_reads =
    learn::bound_names<simulation_bindings, learn::ball_bindings, learn::class_weight_bindings,
                       learn::calibration_bindings>;
constexpr std::array papers{learn::Paper{learn::Calibration::jun2019}};
constexpr privacy::AdjacencySet replaced{privacy::Adjacency::replace_one};
constexpr learn::Proved proved_reports{
    replaced, replaced, learn::UnitProtection::refused,
    "each device's report is private whatever its record is, which is replace_one"};

constexpr std::array<std::string_view, 1> report_sampling{"local"};

constexpr learn::Method banco_method{
    .name = "banco",
    .help = "from reports that are private before they leave a device",
    .usual_adjacency = privacy::Adjacency::replace_one,
    .proved = proved_reports,
    .problems = reported_problems,
    .sampling = report_sampling,
    .options = simulation_reads,
    .plan = planned<false>,
    .recorded_events = learn::recorded_releases_of<LocalPlan>,
    .takes_infinite_epsilon = false,
    .papers = papers,
};
constexpr learn::Method sgd_method{
    .name = "local-sgd",
    .help = "the same with a step size, to compare",
    .usual_adjacency = privacy::Adjacency::replace_one,
    .proved = proved_reports,
    .problems = reported_problems,
    .sampling = report_sampling,
    .options = simulation_reads,
    .plan = planned<true>,
    .recorded_events = learn::recorded_releases_of<LocalPlan>,
    .takes_infinite_epsilon = false,
};
constexpr std::array<const learn::Method*, 2> methods{&banco_method, &sgd_method};

}  // namespace

learn::TrainedModel simulate_devices(const data::Dataset& dataset, const data::Schema& schema,
                                     const LocalPlan& plan, const learn::TrainingContext& context) {
  learn::check_shape(dataset, schema, plan);
  learn::check_row_count(dataset, plan.public_row_count, context, "devices");
  ReportMean reports(dataset, plan, context);
  auto learner = learner_of(plan);
  auto model =
      std::visit([&](auto& kept) { return learn_from(kept, reports, plan, context); }, learner);
  auto trained = learn::finish(plan, schema, context, {std::move(model)});
  note_bounded(trained.receipt, learner);
  return trained;
}

learn::Training local_training(const data::Schema& schema, const LocalOptions& options) {
  auto training = learn::resolved_training(plan_local(schema, options), simulate_devices);
  training.schema = schema;
  return training;
}

std::span<const learn::Method* const> local_methods() { return methods; }

}  // namespace tacet::local
