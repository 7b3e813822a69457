#include "tacet/select/tune_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/privacy/cipher_share.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/rounded_up.h"
#include "tacet/select/blocks.h"
#include "tacet/select/plan.h"
#include "tacet/select/read_options.h"
#include "tacet/select/recorded_run.h"

namespace tacet::select {
namespace {

/// What the whole is planned for.
struct Asked {
  const data::Schema& schema;
  const TuneRequest& request;
  privacy::Guarantee guarantee;
  double mean;  // of the number of runs, as far as delta is shared by it
};

/// A fault of a candidate is one of the grid: it says which.
template <typename Plan>
auto naming(const Candidate& candidate, Plan plan) {
  const auto& name = candidate.name;
  try {
    return plan();
  } catch (const base::UsageError& error) {
    throw base::UsageError("candidate {}: {}", name, error.what());
  } catch (const base::GuaranteeError& error) {
    throw base::GuaranteeError("candidate {}: {}", name, error.what());
  } catch (const base::NumericError& error) {
    throw base::NumericError("candidate {}: {}", name, error.what());
  }
}

learn::ParameterValues together(const TuneRequest& request, const Candidate& candidate) {
  auto values = request.values;
  for (const auto& parameter : learn::parameters()) {
    const auto own = candidate.values.text(parameter.name);
    if (!own) continue;
    if (request.values.given(parameter.name)) {
      throw base::UsageError("{0} is given for all and in the grid; leave --{0} out",
                             parameter.name);
    }
    values.set(parameter.name, *own);
  }
  return values;
}

Asked settle_asked(const data::Schema& schema, const TuneRequest& request) {
  const auto& first = request.grid.candidates.front();
  const auto options =
      naming(first, [&] { return read_options(together(request, first), schema); });
  if (std::isinf(options.epsilon)) {
    throw base::UsageError(
        "epsilon inf protects nobody, and costs nothing to try again: use tacet train");
  }
  if (schema.unit && options.adjacency != privacy::Adjacency::add_remove) {
    throw base::UsageError(
        "units are divided into blocks by a coin each, which leaves the numbers of units in them "
        "secret: use --adjacency add_remove");
  }
  const auto rows = learn::settle_row_count(schema, options);
  const double delta = options.delta.value_or(learn::default_delta(rows));
  return {schema, request, {options.epsilon, delta, options.adjacency}, request.options.trials};
}

privacy::RandomlyRepeated stopping(const Asked& asked, std::int64_t cap, privacy::Event base) {
  return stopping_event(asked.request.options.law, asked.request.options.trials, cap,
                        std::move(base));
}

/// The cap's share of delta is P(K > cap) (1 + e^epsilon), for which the accountant has a
/// thousandth.
std::int64_t settle_cap(const Asked& asked) {
  const auto& options = asked.request.options;
  const auto event = stopping(asked, 0, privacy::no_event());
  const double price = 1 + std::exp(asked.guarantee.epsilon);
  const double delta = asked.guarantee.delta;
  // Of a pure guarantee what is cut off is part of the cipher's share.
  const double negligible = delta > 0 ? 5e-4 * delta / price : 0x1p-60;
  if (!options.most_trials) return least_cap(event, negligible);
  if (*options.most_trials < 1) {
    throw base::UsageError("most-trials must be at least 1, got {}", *options.most_trials);
  }
  const double cut = beyond(event, *options.most_trials);
  if (cut <= 2 * negligible) return *options.most_trials;
  throw base::GuaranteeError(
      "most-trials {} cuts off so many runs that it costs delta {:.3g}, where a thousandth of {} "
      "is "
      "set apart for it; {} or more cost no more than that",
      *options.most_trials, price * cut, delta, least_cap(event, negligible));
}

RunBudget first_budget(const Asked& asked) {
  const auto& whole = asked.guarantee;
  if (whole.delta == 0) {
    const double noise = accounting::least_noise(
        [&](double x) {
          return stopping(asked, 0, privacy::PureDp{1 / x, whole.adjacency});
        },
        {privacy::Epsilon(privacy::decimal_down(whole.epsilon)), privacy::Delta(0),
         whole.adjacency});
    return {1 / noise, 0};
  }
  const double left = whole.delta * (1 - 1e-6);
  const double noise = accounting::least_noise(
      [&](double z) { return stopping(asked, 0, privacy::Gaussian{z}); },
      {privacy::Epsilon(whole.epsilon), privacy::Delta(left), whole.adjacency});
  const double share = left / std::max(1.0, asked.mean);
  const double mu = privacy::distance_factor(whole.adjacency) / noise;
  return {accounting::gaussian::epsilon(mu, privacy::Delta(share)) * (1 - 1e-9), share};
}

double score_noise(const RunBudget& run, privacy::Adjacency adjacency) {
  const double mu = run.delta == 0 ? run.epsilon
                                   : accounting::gaussian::mu_for(privacy::Epsilon(run.epsilon),
                                                                  privacy::Delta(run.delta));
  return privacy::distance_factor(adjacency) / mu;
}

learn::Training plan_candidate(const Asked& asked, const Candidate& candidate, const RunBudget& run,
                               std::int64_t rows) {
  auto values = together(asked.request, candidate);
  values.set("epsilon", fmt::format("{}", run.epsilon));
  values.set("delta", fmt::format("{}", run.delta));
  values.set("adjacency", to_string(asked.guarantee.adjacency));
  values.set("public-row-count", fmt::format("{}", rows));
  auto training = select::plan_training(asked.schema, read_options(values, asked.schema));
  check_reading(training);
  return training;
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
  const auto schema = data::schema_to_json(first.training.schema);
  for (const auto& other : candidates) {
    if (data::schema_to_json(other.training.schema) != schema) {
      throw base::UsageError(
          "candidates {} and {} read the records differently (knots or a projection), and they "
          "are read once; give --knots none, or one of each for all",
          first.name, other.name);
    }
    if (score == Score::loss && !same_loss(other.training.loss, first.training.loss)) {
      throw base::UsageError(
          "candidates {} and {} minimise different losses, which cannot be compared; use --score "
          "accuracy, or one loss",
          first.name, other.name);
    }
  }
}

/// Both blocks, each part once.
privacy::Event base_event(const TunePlan& plan, privacy::Adjacency adjacency) {
  privacy::Partitioned blocks{assignment_of(adjacency), {}};
  for (const auto& candidate : plan.candidates) {
    if (std::ranges::find(blocks.parts, candidate.training.events) != blocks.parts.end()) continue;
    blocks.parts.push_back(candidate.training.events);
  }
  blocks.parts.push_back(plan.score_event());
  return blocks;
}

double cipher_term_of(const TunePlan& plan, const privacy::RandomlyRepeated& event) {
  double dearest = 0;
  for (const auto& candidate : plan.candidates) {
    dearest = std::max(dearest, candidate.training.cipher_delta);
  }
  const double run = dearest + random::cipher_term(1, random::most_leaf_words);
  const double cut = event.cap == 0 ? beyond(event, plan.most_runs) : 0;
  // Beside the runs: the blocks' coins, and the choices of candidates.
  return static_cast<double>(plan.most_runs) * run +
         random::cipher_term(2, random::most_leaf_words) + count_distance(event) + cut;
}

/// Every candidate at this budget, and what everything costs then.
void plan_at(TunePlan& plan, const Asked& asked, const RunBudget& run) {
  const auto adjacency = asked.guarantee.adjacency;
  plan.run = run;
  plan.candidates.clear();
  for (const auto& candidate : asked.request.grid.candidates) {
    plan.candidates.push_back({candidate.name, candidate.weight, naming(candidate, [&] {
                                 return plan_candidate(asked, candidate, run, plan.sizes[0]);
                               })});
  }
  plan.score_noise = score_noise(run, adjacency);
  const bool pure = asked.guarantee.delta == 0;
  auto event = stopping(asked, pure ? 0 : plan.most_runs, base_event(plan, adjacency));
  plan.cipher_delta = cipher_term_of(plan, event);
  plan.events = std::move(event);
  plan.guarantee = accounting::stated_guarantee(plan.events, asked.guarantee, plan.cipher_delta);
}

void settle_budget(TunePlan& plan, const Asked& asked) {
  const double epsilon = asked.guarantee.epsilon;
  auto run = first_budget(asked);
  constexpr int most_rounds = 38;
  for (int round = 0; round < most_rounds; ++round) {
    plan_at(plan, asked, run);
    const double cost = plan.guarantee.epsilon;
    // Up once where much is left, down for as long as it is too much.
    if (cost <= epsilon && (round > 0 || cost > 0.98 * epsilon)) return;
    run.epsilon *= epsilon / cost * (1 - 0x1p-40 * std::exp2(round));
  }
  throw base::GuaranteeError("no budget of a run was found that keeps epsilon {} in total",
                             epsilon);
}

std::string grid_text(const Grid& grid) {
  std::vector<std::string> lines;
  for (const auto& candidate : grid.candidates) {
    lines.push_back(candidate.weight == 1
                        ? candidate.name
                        : fmt::format("{} weight={}", candidate.name, candidate.weight));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

/// What the usual habit would have cost: every candidate once on the same records with that noise.
double naive_epsilon(const TunePlan& plan, const Asked& asked) {
  constexpr std::size_t most = 1000;
  const auto runs = static_cast<std::int64_t>(std::min(most, plan.candidates.size()));
  return accounting::epsilon(privacy::Repeated{runs, *plan.stopping().base},
                             asked.guarantee.adjacency, privacy::Delta(asked.guarantee.delta));
}

void add_reasons(TunePlan& plan, const Asked& asked, double naive) {
  const auto& options = asked.request.options;
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

void add_settings(TunePlan& plan, const Asked& asked) {
  const auto& options = asked.request.options;
  namespace named = recorded_setting;
  plan.settings = {
      {"public_row_count", plan.public_row_count, {.table = false}},
      {"candidates", static_cast<std::int64_t>(plan.candidates.size())},
      {"grid", grid_text(asked.request.grid), {.table = false}},
      {named::law, std::string(trial_law_names.of(options.law))},
      {named::trials, options.trials},
      {named::most_trials, plan.most_runs},
      {"holdout", options.holdout},
      {named::score_noise, plan.score_noise},
      {named::run_epsilon, plan.run.epsilon},
      {named::run_delta, plan.run.delta},
      {named::run_rows, plan.sizes[0]},
  };
  plan.score = options.score;
  const auto rule = score_rule(model::described_model(asked.schema, plan.loss), options.score);
  plan.settings.push_back({"score", std::string(score_names.of(rule.score))});
  if (rule.score == Score::loss) plan.settings.push_back({"score_cap", rule.cap});
  check_alike(plan.candidates, rule.score);
}

void check_request(const TuneRequest& request) {
  const auto& options = request.options;
  if (request.grid.candidates.empty()) throw base::UsageError("the grid has no candidates");
  if (!(options.holdout > 0 && options.holdout < 1)) {
    throw base::UsageError("holdout must be above 0 and below 1, got {:g}", options.holdout);
  }
  if (options.law == TrialLaw::poisson && !request.grid.zero_model) {
    throw base::UsageError(
        "law poisson may carry out no run at all, and then the model of all zeros is what comes "
        "out: allow it with zero_model = true in the grid, or use another law");
  }
}

}  // namespace

learn::Training plan_tuning(const data::Schema& schema, const TuneRequest& request) {
  check_request(request);
  const auto asked = settle_asked(schema, request);
  TunePlan plan;
  plan.method = tune_method().name;
  plan.sampling_scheme = blocks_sampling;
  plan.public_row_count = learn::settle_row_count(schema, read_options(request.values, schema));
  const std::array shares{1 - request.options.holdout, request.options.holdout};
  plan.sizes = declared_sizes(plan.public_row_count, shares);
  plan.most_runs = settle_cap(asked);
  settle_budget(plan, asked);
  const auto& first = plan.candidates.front().training;
  plan.loss = first.loss;
  plan.columns = first.columns;
  plan.outputs = first.outputs;
  plan.projection = first.projection;
  add_settings(plan, asked);
  add_reasons(plan, asked, naive_epsilon(plan, asked));
  return tuned_training(std::move(plan));
}

}  // namespace tacet::select
