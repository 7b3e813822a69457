#include "tacet/learn/rows/row_plan.h"

#include <cmath>
#include <utility>

#include "tacet/accounting/calibrate.h"
#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/mechanism/sample_permit.h"
#include "tacet/random/choose/subset.h"

namespace tacet::learn {

std::vector<privacy::Event> step_parts(const RowPlan& plan) {
  std::vector<privacy::Event> parts;
  if (auto choice = step_choice_event(plan.choice, plan.guarantee.adjacency)) {
    parts.push_back(std::move(*choice));
  }
  parts.emplace_back(privacy::Gaussian{plan.noise});
  return parts;
}

privacy::Event step_releases(const RowPlan& plan) {
  const auto sample =
      privacy::Sample::poisson(privacy::SamplingRate(plan.rate), plan.max_records_per_unit);
  auto one = mechanism::SamplePermit::event(sample, step_parts(plan));
  if (plan.steps == 1) return one;
  return privacy::Repeated{plan.steps, std::move(one)};
}

void split_noise(RowPlan& plan, double share, double whole) {
  plan.noise = whole;
  if (!plan.choice.counts_words()) return;
  plan.noise = whole / std::sqrt(1 - share);
  plan.choice.noise = whole / std::sqrt(share);
}

privacy::Event min_noise(const std::function<privacy::Event(double whole)>& releases_at,
                         const CommonOptions& options, privacy::Delta left) {
  return releases_at(accounting::min_noise(
      releases_at, {privacy::Epsilon(options.epsilon), left, options.adjacency}));
}

void list_steps(SettingList& list, RowPlan& plan, double step_unit) {
  list.checked("batch_size", plan.batch, at_least_1);
  list.checked("sampling_rate", plan.rate, rate_range, {.table = plan.rate < 1});
  list.checked("steps", plan.steps, at_least_1);
  list.note("optimizer", row_optimizer_names.of(plan.optimizer.kind));
  list.note("step_size", plan.optimizer.step_size / step_unit);
}

void check_sample(const RowPlan& plan) {
  const auto rows = plan.public_row_count;
  if (plan.batch <= rows &&
      random::PoissonRate::at_least(base::to_double(plan.batch) / base::to_double(rows)).value() ==
          plan.rate) {
    return;
  }
  throw base::DataError("sampling rate, batch size and number of records do not fit");
}

}  // namespace tacet::learn
