#include "tacet/select/radius_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/privacy/cipher_share.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/rounded_up.h"
#include "tacet/select/blocks.h"
#include "tacet/select/recorded_run.h"

namespace tacet::select {
namespace {

constexpr std::int64_t usual_radii = 8;
constexpr std::array usual_shares{0.7, 0.3};
constexpr std::array paper_shares{0.5, 0.5};

struct Search {
  const data::Schema& schema;
  const learn::LinearOptions& options;
  privacy::Guarantee asked;
  std::vector<double> radii;
  bool paper;
};

double curvature_of(const learn::LinearOptions& options, bool classes) {
  const double usual = classes ? 0.25 : 1;
  const double own = options.loss ? model::properties(*options.loss).curvature : usual;
  return std::isfinite(own) && own > 0 ? own : usual;
}

std::vector<double> settle_radii(const data::Schema& schema, const learn::LinearOptions& options,
                                 std::int64_t rows) {
  const bool classes = schema.target && !schema.target->regression();
  const double curvature = curvature_of(options, classes);
  const double norm = schema.norm_bound();
  std::vector<double> radii;
  if (options.paper()) {
    const auto count = paper_radii(static_cast<double>(rows), options.epsilon, curvature, norm);
    for (std::int64_t j = 1; j <= count; ++j) radii.push_back(std::exp2(j));
    return radii;
  }
  const double least = least_radius(curvature, norm, classes);
  for (std::int64_t j = 0; j < usual_radii; ++j) radii.push_back(least * std::exp2(j));
  return radii;
}

/// The share of one radius to begin with.
RunShare first_share(const Search& search, std::int64_t rows) {
  const auto& asked = search.asked;
  const auto count = static_cast<double>(search.radii.size());
  const double delta = asked.delta / count;
  if (asked.delta == 0 || search.paper) return {asked.epsilon / count, delta, rows};
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(asked.epsilon),
                                                 privacy::Delta(asked.delta * (1 - 1e-6)));
  const double each = accounting::gaussian::epsilon(mu / std::sqrt(count), privacy::Delta(delta));
  return {each * (1 - 1e-9), delta, rows};
}

void plan_runs(ChoicePlan& plan, const Search& search, const RunShare& share) {
  plan.contenders.clear();
  for (const double radius : search.radii) {
    auto options = run_options(search.options, share);
    options.radius = radius;
    plan.contenders.push_back(
        {fmt::format("radius={:.6g}", radius), learn::plan_training(search.schema, options)});
  }
}

privacy::Event runs_of(const ChoicePlan& plan) {
  privacy::Composed all;
  for (const auto& contender : plan.contenders) all.parts.push_back(contender.training.events);
  return all;
}

/// The dearest share that all radii together keep epsilon with.
RunShare settle_runs(ChoicePlan& plan, const Search& search) {
  const double epsilon = search.asked.epsilon;
  const privacy::Delta delta(search.asked.delta * (1 - 1e-6));
  auto share = first_share(search, plan.sizes[0]);
  constexpr int most_rounds = 38;
  for (int round = 0; round < most_rounds; ++round) {
    plan_runs(plan, search, share);
    const double cost = accounting::epsilon(runs_of(plan), search.asked.adjacency, delta);
    // Up once where much is left, down for as long as it is too much.
    if (cost <= epsilon && (round > 0 || search.paper || cost > 0.98 * epsilon)) return share;
    share.epsilon *= epsilon / cost * (1 - 0x1p-40 * std::exp2(round));
  }
  throw base::GuaranteeError("no share of a radius was found at which all keep epsilon {}",
                             epsilon);
}

/// Losses of each ball's own bound, and the penalties that Bernstein's inequality asks for.
void settle_paper_rules(ChoicePlan& plan, const Search& search) {
  const auto& loss = plan.contenders.front().training.loss;
  const double rows = static_cast<double>(plan.sizes[1]);
  const double at_zero = std::max(model::loss_value(loss, 0, 1), model::loss_value(loss, 0, -1));
  const Bernstein facts{rows, static_cast<double>(search.radii.size()), plan.failure, at_zero};
  plan.by = ChosenBy::generalized;
  for (std::size_t j = 0; j < search.radii.size(); ++j) {
    const double reach = search.radii[j] * search.schema.norm_bound();
    const double cap = model::loss_value(loss, -reach, 1);
    auto& contender = plan.contenders[j];
    contender.rule = {.score = Score::loss, .cap = cap, .as_shipped = false};
    contender.penalty = rows * bernstein_penalty(facts, cap);
  }
  plan.zero = ScoreRule{.score = Score::loss, .cap = at_zero, .as_shipped = false};
}

void settle_rules(ChoicePlan& plan, const Search& search) {
  if (search.paper) return settle_paper_rules(plan, search);
  const auto& training = plan.contenders.front().training;
  const auto rule = common_rule(model::described_model(training.schema, training.loss));
  for (auto& contender : plan.contenders) contender.rule = rule;
  plan.zero = rule;
}

void check_search(const data::Schema& schema, const learn::LinearOptions& options) {
  if (std::isinf(options.epsilon)) {
    throw base::UsageError("epsilon inf needs no private choice of a radius; leave --radius out");
  }
  if (options.paper() && options.calibration != learn::Calibration::arora2022) {
    throw base::UsageError("--radius auto follows calibration arora2022 or tight, not {}",
                           to_string(options.calibration));
  }
  if (options.paper() && schema.target && schema.target->class_count() > 2) {
    throw base::UsageError("--radius auto --calibration arora2022 is for numbers and two classes");
  }
  if (schema.unit && options.adjacency != privacy::Adjacency::add_remove) {
    throw base::UsageError(
        "units are divided into blocks by a coin each, which leaves the numbers of units in them "
        "secret: use --adjacency add_remove");
  }
  const auto& method = learn::find_method(options.method);
  if (learn::has_word(method.options, "radius")) return;
  throw base::UsageError("method {} has no radius to choose", options.method);
}

privacy::Guarantee settle_asked(const data::Schema& schema, const learn::LinearOptions& options,
                                ChoicePlan& plan) {
  plan.public_row_count = learn::settle_row_count(schema, options);
  const double delta =
      learn::settle_delta_or_pure(schema, options, plan.public_row_count, plan.reasons);
  return {options.epsilon, delta, options.adjacency};
}

constexpr learn::Method search_row{"radius-search",
                                   "one model a radius, and one of them chosen privately",
                                   privacy::Adjacency::add_remove,
                                   {},
                                   nullptr,
                                   recorded_choice,
                                   false,
                                   learn::UnitProtection::bounded,
                                   {}};

}  // namespace

const learn::Method& radius_search_method() { return search_row; }

double least_radius(double curvature, double norm_bound, bool classes) {
  return classes ? 1 / norm_bound : 0.25 / (std::sqrt(curvature) * norm_bound);
}

std::int64_t paper_radii(double rows, double epsilon, double curvature, double norm_bound) {
  const double ratio = std::cbrt(rows * epsilon) / (std::sqrt(curvature) * norm_bound);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(std::log2(ratio))));
}

double bernstein_penalty(const Bernstein& facts, double cap) {
  const double u = std::log(4 * facts.candidates / facts.failure) / facts.rows;
  return std::min(cap, std::sqrt(2 * facts.loss_at_zero * cap * u) + cap * u);
}

learn::Training plan_radius_search(const data::Schema& schema,
                                   const learn::LinearOptions& options) {
  check_search(schema, options);
  ChoicePlan plan;
  plan.own = &search_row;
  const auto asked = settle_asked(schema, options, plan);
  const Search search{schema, options, asked, settle_radii(schema, options, plan.public_row_count),
                      options.paper()};
  const auto& shares = search.paper ? paper_shares : usual_shares;
  plan.sizes = declared_sizes(plan.public_row_count, shares);
  const auto share = settle_runs(plan, search);
  settle_rules(plan, search);
  plan.selection_epsilon = privacy::decimal_down(asked.epsilon);
  plan.events = privacy::Partitioned{assignment_of(asked.adjacency),
                                     {runs_of(plan), choice_event(plan, asked.adjacency)}};
  plan.reasons.add(
      "radii {:.4g}: each on the same {} declared records at epsilon {}, delta {}; the best of "
      "them and of the model of all zeros on the other {}, at epsilon {}",
      fmt::join(search.radii, ", "), plan.sizes[0], privacy::rounded_up(share.epsilon, 6),
      privacy::rounded_up(share.delta, 6), plan.sizes[1], asked.epsilon);
  settle_choice(plan, asked,
                {{"radii", fmt::format("{:.6g}", fmt::join(search.radii, " "))},
                 {recorded_setting::run_epsilon, share.epsilon},
                 {recorded_setting::run_delta, share.delta}});
  return chosen_training(std::move(plan));
}

}  // namespace tacet::select
