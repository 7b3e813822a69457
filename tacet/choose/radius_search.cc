#include "tacet/choose/radius_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/choose/blocks.h"
#include "tacet/choose/budget_search.h"
#include "tacet/choose/recorded_run.h"
#include "tacet/choose/recorded_runs.h"
#include "tacet/learn/method.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::choose {
namespace {

constexpr std::int64_t usual_radii = 8;
constexpr std::array usual_shares{0.7, 0.3};
constexpr std::array paper_shares{0.5, 0.5};
constexpr std::string_view one_radius = "give a radius in place of auto";

struct Search {
  const data::Schema& schema;
  const learn::ParameterValues& values;
  privacy::Guarantee asked;
  std::vector<double> radii;
  bool paper;
};

double curvature_of(const learn::CommonOptions& options, bool classes) {
  const double usual = classes ? 0.25 : 1;
  const double own = options.loss ? model::properties(*options.loss).curvature : usual;
  return std::isfinite(own) && own > 0 ? own : usual;
}

std::vector<double> resolve_radii(const data::Schema& schema, const learn::CommonOptions& options,
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
  const double min = min_radius(curvature, norm, classes);
  for (std::int64_t j = 0; j < usual_radii; ++j) radii.push_back(min * std::exp2(j));
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
  const Sharing sharing{fmt::format("each of {} radii", search.radii.size()), search.asked.epsilon,
                        one_radius};
  plan.contenders.clear();
  for (const double radius : search.radii) {
    auto values = run_values(search.values, share);
    values.set("radius", radius);
    plan.contenders.push_back(
        {fmt::format("radius={:.6g}", radius), planned_within(sharing, share.epsilon, [&] {
           return learn::plan_training(search.schema, values);
         })});
  }
}

privacy::Composed runs_of(const ChoicePlan& plan) {
  privacy::Composed all;
  for (const auto& contender : plan.contenders) all.parts.push_back(contender.training.events);
  return all;
}

const std::array<double, 2>& shares_of(bool paper) { return paper ? paper_shares : usual_shares; }

/// All radii on one block, and the choice on the other.
privacy::Event searched(privacy::Adjacency adjacency, privacy::Composed runs,
                        const privacy::Event& choice) {
  return privacy::Partitioned{assignment_of(adjacency), {std::move(runs), choice}};
}

/// The dearest share that all radii together keep epsilon with; the paper's own where that is less.
RunShare resolve_runs(ChoicePlan& plan, const Search& search) {
  auto share = first_share(search, plan.sizes[0]);
  const auto cost = [&](double epsilon) {
    share.epsilon = epsilon;
    plan_runs(plan, search, share);
    plan.events = searched(search.asked.adjacency, runs_of(plan),
                           choice_event(plan.by, plan.selection_epsilon, search.asked.adjacency));
    return accounting::stated_guarantee(plan.events, search.asked,
                                        choice_prg_slack(runs_prg_slack(plan)))
        .epsilon;
  };
  if (search.paper && cost(share.epsilon) <= search.asked.epsilon) return share;
  share.epsilon = largest_share(share.epsilon, search.asked.epsilon, cost);
  return share;
}

/// Losses of each ball's own bound, and the penalties that Bernstein's inequality asks for.
void resolve_paper_rules(ChoicePlan& plan, const Search& search) {
  const auto& loss = plan.contenders.front().training.loss;
  const double rows = static_cast<double>(plan.sizes[1]);
  const double at_zero = std::max(model::loss_value(loss, 0, 1), model::loss_value(loss, 0, -1));
  const Bernstein facts{rows, static_cast<double>(search.radii.size()), plan.failure, at_zero};
  for (std::size_t j = 0; j < search.radii.size(); ++j) {
    const double reach = search.radii[j] * search.schema.norm_bound();
    const double cap = model::loss_value(loss, -reach, 1);
    auto& contender = plan.contenders[j];
    contender.rule = {.score = Score::loss, .cap = cap, .as_shipped = false};
    contender.penalty = rows * bernstein_penalty(facts, cap);
  }
  plan.zero = ScoreRule{.score = Score::loss, .cap = at_zero, .as_shipped = false};
}

void resolve_rules(ChoicePlan& plan, const Search& search) {
  if (search.paper) return resolve_paper_rules(plan, search);
  const auto& training = plan.contenders.front().training;
  const auto rule = common_rule(model::described_model(training.schema, training.loss));
  for (auto& contender : plan.contenders) contender.rule = rule;
  plan.zero = rule;
}

void check_search(const data::Schema& schema, const learn::CommonOptions& options) {
  if (std::isinf(options.epsilon)) {
    throw base::UsageError("epsilon inf needs no private choice of a radius; leave `radius` out");
  }
  if (options.paper() && options.calibration != learn::Calibration::arora2022) {
    throw base::UsageError("`radius=auto` follows calibration arora2022 or tight, not {}",
                           to_string(options.calibration));
  }
  if (options.paper() && schema.target && schema.target->class_count() > 2) {
    throw base::UsageError("`radius=auto` `calibration=arora2022` is for numbers and two classes");
  }
  if (options.paper() && options.adjacency != privacy::Adjacency::replace_one) {
    throw base::UsageError(
        "the published search of a radius is about replace_one, not {}; give "
        "`adjacency=replace_one` beside `radius=auto`, or leave `calibration={}` out",
        to_string(options.adjacency), to_string(options.calibration));
  }
  if (options.paper() && options.delta == 0) {
    throw base::UsageError(
        "the published search of a radius needs a delta above 0; give one, or leave "
        "`calibration={}` out",
        to_string(options.calibration));
  }
  const auto& method = learn::find_method(options.method);
  if (learn::reads(method, "radius")) return;
  throw base::UsageError("method {} has no radius to choose", options.method);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// DataError where the chosen run's ball is larger than that of the candidate, which is written to
/// six digits; a paper's may be smaller, and behind a projection it is another one.
void expect_radius(learn::RecordedParameters& parameters, const std::string& candidate) {
  if (chose_zero(parameters) || !parameters.has("radius") || parameters.has("projection")) return;
  const double radius = parameters.real("radius");
  constexpr double roundings = 1e-5;
  const double named = learn::parse_real("radius", candidate.substr(candidate.find('=') + 1));
  if (radius <= named * (1 + roundings)) return;
  throw base::DataError("the radius {} is not that of the candidate {}", radius, candidate);
}

privacy::Event recorded_search(const privacy::Receipt& receipt,
                               learn::RecordedParameters& parameters, const privacy::Event& own) {
  const bool paper = receipt.calibration == to_string(learn::Calibration::arora2022);
  const auto choice = recorded_choice(receipt, parameters,
                                      paper ? ChosenBy::generalized : ChosenBy::permute_and_flip);
  const auto radii = words_of(parameters.text("radii"));
  const auto* runs = recorded_blocks(own).front().as<privacy::Composed>();
  if (runs == nullptr || runs->parts.size() != radii.size() ||
      (!paper && std::ssize(radii) != usual_radii)) {
    throw base::DataError("the events do not have a run for each of the radii");
  }
  const auto rows = receipt.public_row_count.value_or(0);
  parameters.expect(recorded_setting::run_rows, declared_sizes(rows, shares_of(paper)).front(),
                    "the number of records leads to");
  const auto candidate = parameters.text(recorded_setting::candidate);
  for (std::size_t j = 0; j < radii.size(); ++j) {
    const auto& run = runs->parts[j];
    if (candidate == "radius=" + radii[j]) expect_run(receipt, parameters, run);
    if (j > 0 && run == runs->parts[j - 1]) continue;
    expect_run_cost(receipt, parameters, run, !paper);
  }
  const auto named = [&](const std::string& radius) { return candidate == "radius=" + radius; };
  if (!chose_zero(parameters) && std::ranges::none_of(radii, named)) {
    throw base::DataError("the candidate {} is none of the radii", candidate);
  }
  expect_radius(parameters, candidate);
  expect_runs(receipt, parameters, runs->parts);
  return searched(receipt.guarantee.adjacency, *runs, choice);
}

constexpr std::array papers_of_search{
    learn::Paper{learn::Calibration::arora2022, {privacy::Adjacency::replace_one}}};
constexpr learn::Method search_row{
    .name = "radius-search",
    .help = "one model a radius, and one of them chosen privately",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::every_adjacency, learn::UnitProtection::bounded},
    .recorded_events = recorded_search,
    .takes_infinite_epsilon = false,
    .papers = papers_of_search,
    .check_file = check_chosen_file,
};

}  // namespace

const learn::Method& radius_search_method() { return search_row; }

double min_radius(double curvature, double norm_bound, bool classes) {
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

ChoicePlan resolve_radius_search(const data::Schema& schema, const learn::ParameterValues& values) {
  const auto options = learn::common_options(values);
  check_search(schema, options);
  ChoicePlan plan;
  plan.own = &search_row;
  const auto asked = resolve_whole(plan, schema, options);
  const Search search{schema, values, asked, resolve_radii(schema, options, plan.public_row_count),
                      options.paper()};
  plan.sizes = declared_sizes(plan.public_row_count, shares_of(search.paper));
  if (search.paper) plan.calibration = learn::Calibration::arora2022;
  plan.by = search.paper ? ChosenBy::generalized : ChosenBy::permute_and_flip;
  plan.selection_epsilon = resolve_selection(asked.epsilon, 1, one_radius);
  const auto share = resolve_runs(plan, search);
  resolve_rules(plan, search);
  plan.reasons.add(
      "radii {:.4g}: each on the same {} declared records at epsilon {}, delta {}; the best of "
      "them and of the model of all zeros on the other {}, at epsilon {}",
      fmt::join(search.radii, ", "), plan.sizes[0], privacy::rounded_up(share.epsilon, 6),
      privacy::rounded_up(share.delta, 6), plan.sizes[1], asked.epsilon);
  std::vector<PlannedRun> runs;
  for (const auto& contender : plan.contenders) runs.push_back({contender.training, runs.size()});
  resolve_choice(plan, asked,
                 {runs_setting(runs),
                  {"radii", fmt::format("{:.6g}", fmt::join(search.radii, " "))},
                  {recorded_setting::run_epsilon, share.epsilon},
                  {recorded_setting::run_delta, share.delta}});
  return plan;
}

}  // namespace tacet::choose
