#include "tacet/choose/tune_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/choose/blocks.h"
#include "tacet/choose/budget_search.h"
#include "tacet/choose/read_options.h"
#include "tacet/choose/reading.h"
#include "tacet/choose/recorded_run.h"
#include "tacet/choose/recorded_runs.h"
#include "tacet/choose/tune_terms.h"
#include "tacet/learn/inference/inference.h"
#include "tacet/learn/method.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::choose {
namespace {

privacy::RandomlyRepeated stopping(const TuneTerms& terms, std::int64_t cap, privacy::Event base) {
  return stopping_event(terms.request.options.law, terms.request.options.trials, cap,
                        std::move(base));
}

/// The cap's share of delta is P(K > cap) (1 + e^epsilon), for which the accountant has a
/// thousandth.
std::int64_t resolve_cap(const TuneTerms& terms) {
  const auto& options = terms.request.options;
  const auto event = stopping(terms, 0, privacy::no_event());
  const double price = 1 + std::exp(terms.guarantee.epsilon);
  const double delta = terms.guarantee.delta;
  // For a pure guarantee, what is cut off is part of the PRG slack.
  const double negligible = delta > 0 ? 5e-4 * delta / price : 0x1p-60;
  if (!options.max_trials) return min_cap(event, negligible);
  if (*options.max_trials < 1) {
    throw base::UsageError("`max_trials` must be at least 1, got {}", *options.max_trials);
  }
  const double cut = beyond(event, *options.max_trials);
  if (cut <= 2 * negligible) return *options.max_trials;
  throw base::GuaranteeError(
      "`max_trials={}` cuts off so many runs that it costs delta {:.3g}, where a thousandth of {} "
      "is set apart for it; {} or more cost no more than that",
      *options.max_trials, price * cut, delta, min_cap(event, negligible));
}

RunBudget first_budget(const TuneTerms& terms) {
  const auto& whole = terms.guarantee;
  if (whole.delta == 0) {
    const double noise = accounting::min_noise(
        [&](double x) {
          return stopping(terms, 0, privacy::PureDp{1 / x, whole.adjacency});
        },
        {privacy::Epsilon(privacy::decimal_down(whole.epsilon)), privacy::Delta(0),
         whole.adjacency});
    return {1 / noise, 0};
  }
  const double left = whole.delta * (1 - 1e-6);
  const double noise = accounting::min_noise(
      [&](double z) { return stopping(terms, 0, privacy::Gaussian{z}); },
      {privacy::Epsilon(whole.epsilon), privacy::Delta(left), whole.adjacency});
  const double share = left / std::max(1.0, terms.mean);
  const double mu = privacy::distance_factor(whole.adjacency) / noise;
  const double each = accounting::gaussian::epsilon(mu, privacy::Delta(share)) * (1 - 1e-9);
  if (each > 0) return {each, share};
  throw base::GuaranteeError(
      "epsilon {} at delta {} leaves nothing that a run could be made for; ask for a larger "
      "epsilon or a smaller delta",
      whole.epsilon, whole.delta);
}

learn::Training plan_candidate(const TuneTerms& terms, const Candidate& candidate,
                               const RunBudget& run, std::int64_t rows) {
  auto values = together(terms.request, candidate);
  values.set("epsilon", fmt::format("{}", run.epsilon));
  values.set("delta", fmt::format("{}", run.delta));
  values.set("adjacency", to_string(terms.guarantee.adjacency));
  values.set("public-row-count", fmt::format("{}", rows));
  const auto run_values = read_options(values, terms.schema).values;
  if (run_values.text("radius") == "auto" || run_values.given("boost")) {
    throw base::UsageError(
        "radius auto and boost choose among runs themselves, and a receipt describes one such "
        "choice; give radii as values of the grid, and leave `boost` out");
  }
  if (run_values.text("method") == learn::wide_method.name) {
    throw base::UsageError("tune chooses among linear models; leave wide ones out of the grid");
  }
  if (run_values.text("method") == learn::inference_method.name) {
    throw base::UsageError(
        "tune chooses among models by their predictions, and a table of coefficients has none; "
        "leave method inference out of the grid");
  }
  return learn::plan_training(terms.schema, run_values);
}

bool same_loss(const model::Loss& one, const model::Loss& other) {
  const auto parts = [](const model::Loss& loss) {
    const auto known = [](double value) { return std::isnan(value) ? -1 : value; };
    return std::tuple(model::loss_name(loss), known(model::loss_parameter(loss)),
                      known(model::loss_width(loss)));
  };
  return parts(one) == parts(other);
}

/// Records are read once, for all of them.
void check_alike(const std::vector<PlannedCandidate>& candidates, std::optional<Score> score) {
  const auto& first = candidates.front();
  const auto reading = reading_of(first.training);
  for (const auto& other : candidates) {
    if (reading_of(other.training) != reading) {
      throw base::UsageError(
          "candidates {} and {} read the records differently (knots, standardise or a projection), "
          "and they are read once; give `knots=none` to candidates of gradient, or one of each for "
          "all",
          first.name, other.name);
    }
    if (score == Score::loss && !same_loss(other.training.loss, first.training.loss)) {
      throw base::UsageError(
          "candidates {} and {} minimise different losses, which cannot be compared; use "
          "`score=accuracy`, or one loss",
          first.name, other.name);
    }
  }
}

using Places = std::vector<std::size_t>;

/// The candidates that release the same, by their places; the kinds in the order of their first.
std::vector<Places> kinds_of(const TunePlan& plan) {
  std::vector<Places> kinds;
  std::map<std::string, std::size_t> known;
  for (std::size_t place = 0; place < plan.candidates.size(); ++place) {
    const auto text = privacy::event_to_json(plan.candidates[place].training.events);
    const auto [kind, fresh] = known.emplace(text, kinds.size());
    if (fresh) kinds.emplace_back();
    kinds[kind->second].push_back(place);
  }
  return kinds;
}

/// One for each kind and method: different methods may release the same.
std::vector<PlannedRun> runs_of(const TunePlan& plan) {
  std::vector<PlannedRun> runs;
  std::size_t part = 0;
  for (const auto& kind : kinds_of(plan)) {
    const auto first = runs.size();
    for (const auto place : kind) {
      const auto& training = plan.candidates[place].training;
      const auto same = std::find_if(
          runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end(),
          [&](const PlannedRun& run) { return run.training.method == training.method; });
      if (same != runs.end()) {
        same->candidates.push_back(place);
      } else {
        runs.push_back({training, part, {place}});
      }
    }
    ++part;
  }
  return runs;
}

const privacy::Event& releases_of(const TunePlan& plan, const Places& kind) {
  return plan.candidates[kind.front()].training.events;
}

/// Both blocks, each part once.
privacy::Event base_event(const TunePlan& plan, privacy::Adjacency adjacency) {
  privacy::Partitioned blocks{assignment_of(adjacency), {}};
  for (const auto& kind : kinds_of(plan)) blocks.parts.push_back(releases_of(plan, kind));
  blocks.parts.push_back(plan.score_event());
  return blocks;
}

double prg_slack_term_of(const TunePlan& plan, const privacy::RandomlyRepeated& event) {
  double dearest = 0;
  for (const auto& candidate : plan.candidates) {
    dearest = std::max(dearest, candidate.training.prg_slack);
  }
  const double run = dearest + random::prg_slack_of(1, random::max_block_words);
  const double cut = event.cap == 0 ? beyond(event, plan.max_runs) : 0;
  // Beside the runs: the blocks' random draws, and the choices of candidates.
  return static_cast<double>(plan.max_runs) * run +
         random::prg_slack_of(2, random::max_block_words) + count_distance(event) + cut;
}

/// These candidates at this budget, and what everything costs then if they are all there are.
void plan_at(TunePlan& plan, const TuneTerms& terms, const Places& places, const RunBudget& run) {
  const auto adjacency = terms.guarantee.adjacency;
  const auto& candidates = terms.request.grid.candidates;
  plan.run = run;
  plan.candidates.clear();
  for (const auto place : places) {
    const auto& candidate = candidates[place];
    plan.candidates.push_back({candidate.name, candidate.weight, naming(candidate, [&] {
                                 return plan_candidate(terms, candidate, run, plan.sizes[0]);
                               })});
  }
  plan.score_noise = score_noise_of(run, adjacency);
  const bool pure = terms.guarantee.delta == 0;
  auto event = stopping(terms, pure ? 0 : plan.max_runs, base_event(plan, adjacency));
  plan.prg_slack = prg_slack_term_of(plan, event);
  plan.events = std::move(event);
}

double resolve_cost(TunePlan& plan, const TuneTerms& terms) {
  try {
    plan.guarantee = accounting::stated_guarantee(plan.events, terms.guarantee, plan.prg_slack);
    return plan.guarantee.epsilon;
  } catch (const base::GuaranteeError&) {
    return std::numeric_limits<double>::infinity();  // nothing is proved for so much
  }
}

/// The first candidate of each event that they release.
Places distinct(const TunePlan& plan) {
  Places places;
  for (const auto& kind : kinds_of(plan)) places.push_back(kind.front());
  return places;
}

/// All candidates are planned at the first budget and at the last one, between them one of each
/// kind of release.
void resolve_budget(TunePlan& plan, const TuneTerms& terms) {
  Places all(terms.request.grid.candidates.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  auto run = first_budget(terms);
  auto planned = all;
  const auto cost = [&](double epsilon) {
    run.epsilon = epsilon;
    plan_at(plan, terms, planned, run);
    const double found = resolve_cost(plan, terms);
    if (planned.size() == all.size()) planned = distinct(plan);
    return found;
  };
  for (int attempt = 0; attempt < 8; ++attempt) {
    run.epsilon = largest_share(run.epsilon, terms.guarantee.epsilon, cost);
    if (plan.candidates.size() == all.size()) return;
    plan_at(plan, terms, all, run);
    if (resolve_cost(plan, terms) <= terms.guarantee.epsilon) return;
    planned = all;  // at another budget they are of more kinds
  }
  throw base::GuaranteeError("no budget of a run was found that keeps epsilon {} in total",
                             terms.guarantee.epsilon);
}

std::string grid_text(const ParameterGrid& grid) {
  std::vector<std::string> lines;
  for (const auto& candidate : grid.candidates) {
    lines.push_back(candidate.weight == 1
                        ? candidate.name
                        : fmt::format("{} weight={}", candidate.name, candidate.weight));
  }
  auto text = fmt::format("{}", fmt::join(lines, "; "));
  if (grid_entries(text).size() == grid.candidates.size()) return text;
  throw base::UsageError(
      "a value of the grid has '; ' in it, which separates candidates in receipts; write it "
      "without a blank after the semicolon");
}

/// What the usual habit would have cost: every candidate once with that noise, all trained on the
/// one block and scored on the other.
double naive_epsilon(const TunePlan& plan, const TuneTerms& terms) {
  privacy::Composed trained;
  for (const auto& kind : kinds_of(plan)) {
    trained.parts.push_back(privacy::Repeated{std::ssize(kind), releases_of(plan, kind)});
  }
  const privacy::Repeated scored{std::ssize(plan.candidates), plan.score_event()};
  const auto adjacency = terms.guarantee.adjacency;
  return accounting::epsilon(
      privacy::Partitioned{assignment_of(adjacency), {std::move(trained), scored}}, adjacency,
      privacy::Delta(terms.guarantee.delta));
}

void add_reasons(TunePlan& plan, const TuneTerms& terms, double naive) {
  const auto& options = terms.request.options;
  plan.reasons.add("a run and its score: epsilon {} at delta {}",
                   privacy::rounded_up(plan.run.epsilon, 6),
                   privacy::rounded_up(plan.run.delta, 6));
  plan.reasons.add(
      "in total: epsilon {} at delta {}, for a secret number of runs ({} law, mean {:g}), of which "
      "the best alone is released",
      privacy::rounded_up(plan.guarantee.epsilon, 6), privacy::rounded_up(plan.guarantee.delta, 6),
      trial_law_names.of(options.law), options.trials);
  plan.reasons.add("a naive grid, each of {} candidates once with that noise: epsilon {}",
                   plan.candidates.size(), privacy::rounded_up(naive, 6));
  plan.reasons.add(
      "{} of {} declared records train, {} score; running time tells how many runs "
      "there were",
      plan.sizes[0], plan.public_row_count, plan.sizes[1]);
}

void add_settings(TunePlan& plan, const TuneTerms& terms) {
  const auto& options = terms.request.options;
  namespace named = recorded_setting;
  plan.settings = {
      {"public_row_count", plan.public_row_count, {.table = false}},
      {"candidates", static_cast<std::int64_t>(plan.candidates.size())},
      {"grid", grid_text(terms.request.grid), {.table = false}},
      {named::law, std::string(trial_law_names.of(options.law))},
      {named::trials, options.trials},
      {named::max_trials, plan.max_runs},
      {"holdout", options.holdout},
      {named::score_noise, plan.score_noise},
      {named::run_epsilon, plan.run.epsilon},
      {named::run_delta, plan.run.delta},
      {named::run_rows, plan.sizes[0]},
  };
  plan.score = options.score;
  const auto rule = score_rule(model::described_model(terms.schema, plan.loss), options.score);
  plan.settings.push_back({"score", std::string(score_names.of(rule.score))});
  if (rule.score == Score::loss) plan.settings.push_back({"score_cap", rule.cap});
  check_alike(plan.candidates, rule.score);
  plan.settings.push_back(runs_setting(runs_of(plan)));
}

}  // namespace

double score_noise_of(const RunBudget& run, privacy::Adjacency adjacency) {
  const double mu = run.delta == 0 ? run.epsilon
                                   : accounting::gaussian::mu_for(privacy::Epsilon(run.epsilon),
                                                                  privacy::Delta(run.delta));
  return privacy::distance_factor(adjacency) / mu;
}

privacy::Event score_event_of(const RunBudget& run, double noise) {
  return run.delta == 0 ? privacy::Event(privacy::Laplace{noise})
                        : privacy::Event(privacy::Gaussian{noise});
}

TunePlan resolve_tuning(const data::Schema& schema, const TuneRequest& request) {
  const auto terms = resolve_terms(schema, request);
  TunePlan plan;
  plan.method = tune_method().name;
  plan.sampling_scheme = blocks_sampling;
  plan.public_row_count = terms.rows;
  const std::array shares{1 - request.options.holdout, request.options.holdout};
  plan.sizes = declared_sizes(plan.public_row_count, shares);
  plan.max_runs = resolve_cap(terms);
  resolve_budget(plan, terms);
  const auto& first = plan.candidates.front().training;
  plan.loss = first.loss;
  plan.columns = first.columns;
  plan.outputs = first.outputs;
  plan.projection = first.projection;
  plan.privacy_unit = first.privacy_unit;
  add_settings(plan, terms);
  add_reasons(plan, terms, naive_epsilon(plan, terms));
  return plan;
}

learn::Training plan_tuning(const data::Schema& schema, const TuneRequest& request) {
  return tuned_training(resolve_tuning(schema, request));
}

}  // namespace tacet::choose
