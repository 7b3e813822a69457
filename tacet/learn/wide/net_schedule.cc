#include "tacet/learn/wide/net_schedule.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/random/choose/subset.h"

namespace tacet::learn {
namespace {

// The noise of so many steps falls as samples grow, towards that of all records, and steps of a
// given noise are worth more the more they are: of few records each reads all or nearly all, and
// there are more of them.
constexpr double few_records = 8000;
constexpr double usual_passes = 25;
constexpr double min_steps = 100;
constexpr double max_usual_steps = 400;
// The steps of a net of numbers and short lists with more than few records: its layers take long to
// bend (bench/utility/nets.py).
constexpr double steps_of_numbers = 1000;
constexpr double max_sample_of_numbers = 20000;  // half a minute of one processor; not measured
constexpr double unprotected_passes = 10;
constexpr double unprotected_batch = 64;
constexpr double min_unprotected_steps = 1000;  // ten passes over few records learn nothing

double usual_batch(double rows, bool open, bool of_numbers) {
  double wanted = open ? unprotected_batch : std::max(usual_passes * rows / min_steps, few_records);
  if (of_numbers) wanted = std::min(wanted, max_sample_of_numbers);
  return std::min(std::ceil(wanted), rows);
}

double usual_steps(double rows, double batch, bool open, bool of_numbers) {
  if (of_numbers && !open) return rows > few_records ? steps_of_numbers : max_usual_steps;
  // 400 up to 8,000 records, 100 from 32,000 on.
  const double min =
      open ? min_unprotected_steps
           : std::clamp(max_usual_steps * few_records / rows, min_steps, max_usual_steps);
  const double passes = open ? unprotected_passes : usual_passes;
  return std::clamp(passes * rows / batch, min, static_cast<double>(max_net_steps));
}

}  // namespace

void resolve_steps(NetPlan& plan, const WideOptions& options) {
  const auto rows = static_cast<double>(plan.public_row_count);
  const bool open = std::isinf(options.epsilon);
  plan.batch = options.batch_size.value_or(
      static_cast<std::int64_t>(usual_batch(rows, open, plan.of_numbers())));
  plan.batch = std::max<std::int64_t>(plan.batch, 1);
  if (plan.batch > plan.public_row_count) {
    throw base::UsageError("`batch_size` must be at most public_row_count = {}, got {}",
                           plan.public_row_count, plan.batch);
  }
  const auto batch = static_cast<double>(plan.batch);
  plan.rate = random::PoissonRate::at_least(batch / rows).value();
  plan.steps =
      options.steps.value_or(std::llround(usual_steps(rows, batch, open, plan.of_numbers())));
  plan.max_records_per_unit = options.max_records_per_unit;
  if (options.batch_size && options.steps) return;
  if (plan.rate == 1) return plan.reasons.add("{} steps on all records", plan.steps);
  plan.reasons.add("{} steps on samples of {} records: {:.3g} passes", plan.steps, plan.batch,
                   static_cast<double>(plan.steps) * plan.rate);
}

// Found on Adult and texts. More steps are shorter, so that noise alone moves a number
// as far: Adam's moves have a size of their own, those of descent are as long as the noise, which
// grows with the root of the steps, and Adagrad's shrink by themselves.
double usual_step_size(const NetPlan& plan) {
  using enum RowOptimizerKind;
  const auto kind = plan.optimizer.kind;
  if (plan.unprotected()) return kind == adam || kind == adagrad ? 0.005 : 0.2;
  if (kind == adagrad) return 0.05;
  const double fewer = min_steps / std::max(static_cast<double>(plan.steps), min_steps);
  if (kind != adam) return 0.2 * fewer;
  // Classes in a net of numbers want steps twice as long, numbers lose by them:
  // bench/utility/nets.py.
  const bool longer = plan.of_numbers() && plan.shape.loss != model::WideLoss::squared;
  return (longer ? 0.1 : 0.05) * std::sqrt(fewer);
}

}  // namespace tacet::learn
