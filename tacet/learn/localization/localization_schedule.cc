#include "tacet/learn/localization/localization_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

void expect_facts(const LocalFacts& facts) {
  const bool valid = facts.rows >= 1 && facts.columns >= 1 && facts.lipschitz > 0 &&
                     facts.gradient_diameter > 0 && facts.diameter > 0 && facts.epsilon > 0 &&
                     facts.delta >= 0 && facts.delta < 1 && std::isfinite(facts.lipschitz) &&
                     std::isfinite(facts.diameter);
  if (!valid) {
    throw base::UsageError(
        "a schedule of phases needs records, columns, finite positive constants and a bounded "
        "domain");
  }
}

/// Standard deviation, or scale, of the noise that one release of sensitivity 1 needs.
double unit_noise(const LocalFacts& facts) {
  if (facts.pure()) return 1 / facts.epsilon;
  return accounting::gaussian::sigma_for(1, privacy::Epsilon(facts.epsilon),
                                         privacy::Delta(facts.delta));
}

/// The factor by which a part of the budget raises it.
double raised_by(const LocalFacts& facts, double budget) {
  return facts.pure() ? 1 / budget : std::sqrt(1 / budget);
}

/// The part of the budget for each of `count` phases.
std::vector<double> budgets_of(std::int64_t count, const LadderOptions& options) {
  std::vector<double> budgets(static_cast<std::size_t>(count), 1.0);
  if (options.use == RecordUse::disjoint) return budgets;
  constexpr double fall = 0.7;
  const auto phases = static_cast<double>(count);
  double falling = options.front * (1 - fall) / (1 - std::pow(fall, phases));
  for (double& budget : budgets) {
    budget = (1 - options.front) / phases + falling;
    falling *= fall;
  }
  return budgets;
}

void expect_block(std::int64_t records, std::int64_t rows) {
  if (records >= 1) return;
  throw base::UsageError(
      "{} too few for this schedule: a phase would have none; use fewer phases, or a method that "
      "uses all records in each step",
      rows == 1 ? "one sample is" : fmt::format("{} records are", rows));
}

/// ln(1 / beta) for the failure probability 1 / (n + d) of the paper's propositions.
double failure_log(std::int64_t rows, std::int64_t columns) {
  return std::log(static_cast<double>(rows + columns));
}

/// The step length of propositions 1 and 2.
double paper_step(const LocalFacts& facts, double diameter, std::int64_t rows) {
  const double log_failure = failure_log(rows, facts.columns);
  const auto d = static_cast<double>(facts.columns);
  const double privacy =
      facts.pure() ? facts.epsilon / (d * log_failure)
                   : facts.epsilon / (std::sqrt(d * std::log(1 / facts.delta)) * log_failure);
  const double sampling = 1 / std::sqrt(static_cast<double>(rows) * log_failure);
  return diameter / facts.lipschitz * std::min(sampling, privacy);
}

/// Algorithm 1 as printed, on `rows` records from `first` on.
std::vector<LocalPhase> paper_phases(const LocalFacts& facts, double diameter, std::int64_t first,
                                     std::int64_t rows) {
  const auto count = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(std::log(static_cast<double>(rows)))));
  const std::int64_t block = rows / count;
  expect_block(block, rows);
  const double eta = paper_step(facts, diameter, rows);
  const auto m = static_cast<double>(block);
  std::vector<LocalPhase> phases;
  for (std::int64_t i = 1; i <= count; ++i) {
    const double step = std::ldexp(eta, static_cast<int>(-4 * i));
    const double noise =
        facts.pure()
            ? 4 * facts.lipschitz * step * std::sqrt(static_cast<double>(facts.columns)) /
                  facts.epsilon
            : 4 * facts.lipschitz * step * std::sqrt(std::log(1 / facts.delta)) / facts.epsilon;
    phases.push_back({.first = first + (i - 1) * block,
                      .last = first + i * block,
                      .mean_l2 = 2 / (step * m),
                      .radius = 2 * facts.lipschitz * step * m,
                      .sensitivity = facts.gradient_diameter * step / 2,
                      .noise = noise});
  }
  return phases;
}

/// `phases` blocks whose sizes differ by at most one, or all records each time.
void spread_records(std::vector<LocalPhase>& phases, std::int64_t rows, RecordUse use) {
  const auto count = static_cast<std::int64_t>(phases.size());
  for (std::int64_t t = 0; t < count; ++t) {
    auto& phase = phases[static_cast<std::size_t>(t)];
    phase.first = use == RecordUse::reuse ? 0 : rows * t / count;
    phase.last = use == RecordUse::reuse ? rows : rows * (t + 1) / count;
  }
}

/// The number of phases that is enough for the rate of every growth exponent from `min_growth` up.
/// The noise falls by `ratio` from phase to phase. At most 64, since the noise is then far below
/// what doubles resolve.
std::int64_t enough_phases(const LocalFacts& facts, double min_growth, double ratio) {
  const double one_release =
      facts.gradient_diameter * facts.noise_unit() / static_cast<double>(facts.rows);
  const double needed = min_growth / (min_growth - 1) *
                        std::log(std::max(4.0, facts.lipschitz / one_release)) / std::log(ratio);
  return static_cast<std::int64_t>(std::clamp(std::ceil(needed), 2.0, 64.0));
}

void expect_growth(double min_growth) {
  if (!(min_growth > 1)) {
    throw base::UsageError("the growth exponent must be above 1, got {}", min_growth);
  }
}

}  // namespace

double LocalFacts::noise_unit() const {
  const auto d = static_cast<double>(columns);
  return (pure() ? d : std::sqrt(d)) * unit_noise(*this);
}

std::vector<LocalPhase> ladder_schedule(const LocalFacts& facts, const LadderOptions& options) {
  expect_facts(facts);
  expect_growth(options.min_growth);
  if (!(options.ratio > 1) || !(options.population >= 0) || !(options.front >= 0) ||
      !(options.front < 1)) {
    throw base::UsageError(
        "the ladder's ratio must be above 1, its population weight not below 0, its front in [0, "
        "1)");
  }
  const std::int64_t count =
      options.phases.value_or(enough_phases(facts, options.min_growth, options.ratio));
  const std::int64_t smallest =
      options.use == RecordUse::reuse ? facts.rows : facts.rows / std::max<std::int64_t>(count, 1);
  expect_block(count < 1 ? 0 : smallest, facts.rows);
  const auto m = static_cast<double>(smallest);
  const auto budgets = budgets_of(count, options);
  const double level =
      facts.gradient_diameter * facts.noise_unit() * raised_by(facts, budgets[0]) / m;
  const double first_l2 =
      (std::sqrt(options.ratio) * level +
       options.population * facts.lipschitz / std::sqrt(static_cast<double>(facts.rows))) /
      facts.diameter;
  std::vector<LocalPhase> phases(static_cast<std::size_t>(count));
  spread_records(phases, facts.rows, options.use);
  double mean_l2 = first_l2;
  for (std::size_t t = 0; t < phases.size(); ++t) {
    auto& phase = phases[t];
    phase.mean_l2 = mean_l2;
    phase.sensitivity = facts.gradient_diameter / (m * mean_l2) * (1 + 2 * options.solver_share);
    phase.budget = budgets[t];
    phase.noise = phase.sensitivity * unit_noise(facts) * raised_by(facts, budgets[t]);
    mean_l2 *= options.ratio;
  }
  return phases;
}

std::vector<LocalPhase> localized_paper_schedule(const LocalFacts& facts, std::int64_t first) {
  expect_facts(facts);
  return paper_phases(facts, facts.diameter, first, facts.rows);
}

std::vector<LocalPhase> localized_schedule(const LocalFacts& facts) {
  expect_facts(facts);
  const double logarithm =
      std::log(static_cast<double>(facts.rows) / facts.noise_unit()) / std::log(4.0);
  const auto count =
      std::max<std::int64_t>(2, static_cast<std::int64_t>(std::ceil(0.5 * logarithm)));
  const std::int64_t block = facts.rows / count;
  expect_block(block, facts.rows);
  const double eta = paper_step(facts, facts.diameter, facts.rows);
  std::vector<LocalPhase> phases(static_cast<std::size_t>(count));
  spread_records(phases, facts.rows, RecordUse::disjoint);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const double step = std::ldexp(eta, -4 * static_cast<int>(i));
    phases[i].mean_l2 = 2 / (step * static_cast<double>(block));
    phases[i].sensitivity = facts.gradient_diameter * step / 2;
    phases[i].noise = phases[i].sensitivity * unit_noise(facts);
  }
  return phases;
}

std::vector<Epoch> growth_paper_schedule(const LocalFacts& facts, double min_growth) {
  expect_facts(facts);
  expect_growth(min_growth);
  const double wanted = std::ceil(2 * std::log(static_cast<double>(facts.rows)) / (min_growth - 1));
  constexpr double max_epochs = 256;
  if (!(wanted <= max_epochs)) {
    throw base::UsageError(
        "the published schedule would take {:.4g} epochs for growth {}; at most {:g} are carried "
        "out: give a larger growth, or leave `calibration` out",
        wanted, min_growth, max_epochs);
  }
  const auto count = static_cast<std::int64_t>(wanted);
  const std::int64_t block = facts.rows / std::max<std::int64_t>(count, 1);
  expect_block(block, facts.rows);
  std::vector<Epoch> epochs;
  for (std::int64_t i = 0; i < count; ++i) {
    const double radius = std::ldexp(facts.diameter, static_cast<int>(-i));
    epochs.push_back({radius, paper_phases(facts, radius, i * block, block)});
  }
  return epochs;
}

std::vector<Epoch> growth_schedule(const LocalFacts& facts, double min_growth) {
  expect_facts(facts);
  expect_growth(min_growth);
  constexpr double shrink = 4;
  constexpr std::int64_t phases_an_epoch = 2;
  const std::int64_t count = enough_phases(facts, min_growth, shrink);
  const double budget = 1 / static_cast<double>(count * phases_an_epoch);
  const double release = raised_by(facts, budget);
  const auto n = static_cast<double>(facts.rows);
  const double level = facts.gradient_diameter * facts.noise_unit() * release / n;
  std::vector<Epoch> epochs;
  double radius = facts.diameter;
  for (std::int64_t t = 0; t < count; ++t) {
    Epoch epoch{radius, {}};
    double mean_l2 = (4 * level + facts.lipschitz / std::sqrt(n)) / radius;
    for (std::int64_t i = 0; i < phases_an_epoch; ++i) {
      const double sensitivity = facts.gradient_diameter / (n * mean_l2);
      epoch.phases.push_back({.first = 0,
                              .last = facts.rows,
                              .mean_l2 = mean_l2,
                              .sensitivity = sensitivity,
                              .noise = sensitivity * unit_noise(facts) * release,
                              .budget = budget});
      mean_l2 *= 16;
    }
    epochs.push_back(std::move(epoch));
    radius /= shrink;
  }
  return epochs;
}

double travel(const LocalFacts& facts, const std::vector<LocalPhase>& phases) {
  double total = 0;
  for (const auto& phase : phases) total += facts.lipschitz / phase.mean_l2;
  return total / facts.diameter;
}

std::vector<LocalPhase> phased_erm_schedule(const LocalFacts& facts, Calibration calibration) {
  expect_facts(facts);
  const auto n = static_cast<double>(facts.rows);
  const double unit = facts.noise_unit();
  double eta = facts.diameter / facts.lipschitz * 4 / std::sqrt(n);
  if (calibration == Calibration::tight) {
    eta = facts.diameter / facts.lipschitz * std::min(4 / std::sqrt(n), 1 / unit);
  } else {
    if (facts.pure()) {
      throw base::UsageError("the published phased minimisation needs delta above 0");
    }
    const double privacy =
        facts.epsilon / std::sqrt(static_cast<double>(facts.columns) * std::log(1 / facts.delta));
    eta = facts.diameter / facts.lipschitz * std::min(4 / std::sqrt(n), privacy);
  }
  std::vector<LocalPhase> phases;
  std::int64_t first = 0;
  for (int i = 1; (facts.rows >> i) >= 2; ++i) {
    const std::int64_t count = facts.rows >> i;
    const double step = std::ldexp(eta, -2 * i);
    const double sensitivity = facts.gradient_diameter * step / 2;
    const double noise =
        calibration == Calibration::tight
            ? sensitivity * unit_noise(facts)
            : 4 * facts.lipschitz * step * std::sqrt(std::log(1 / facts.delta)) / facts.epsilon;
    phases.push_back({.first = first,
                      .last = first + count,
                      .mean_l2 = 2 / (step * static_cast<double>(count)),
                      .sensitivity = sensitivity,
                      .noise = noise});
    first += count;
  }
  expect_block(static_cast<std::int64_t>(phases.size()), facts.rows);
  return phases;
}

}  // namespace tacet::learn
