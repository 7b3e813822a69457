#include "tacet/choose/plan.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "tacet/base/error.h"
#include "tacet/choose/auto.h"
#include "tacet/choose/boosting.h"
#include "tacet/choose/radius_search.h"
#include "tacet/choose/read_options.h"
#include "tacet/choose/total_budget.h"
#include "tacet/choose/tune.h"
#include "tacet/learn/method.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::choose {

namespace {

learn::Training planned(const data::Schema& schema, const learn::LinearOptions& options) {
  if (options.loss && model::is_custom(*options.loss) && (options.boost || options.radius_search)) {
    throw base::UsageError(
        "choosing among runs scores them by the loss, of which nothing is proved where it is one's "
        "own; leave the radius search and boosting out");
  }
  if (options.boost && options.method == learn::wide_method.name) {
    throw base::UsageError("boost chooses among runs of linear models; leave it out");
  }
  if (options.boost) return chosen_training(resolve_boosting(schema, options));
  if (options.radius_search) return chosen_training(resolve_radius_search(schema, options));
  return learn::plan_training(options.constant_only ? constant_schema(schema) : schema, options);
}

/// Noise from the cipher bounds what can be proved: beyond some epsilon nothing is left of delta.
/// What is proved there holds at every larger one, and where it is still so large that noise hardly
/// counts it is what is trained with and spent. A paper's constants are for the epsilon asked for.
learn::Training planned_beside_cipher(const data::Schema& schema, learn::LinearOptions options) {
  constexpr double hardly_any_noise = 10;
  const double asked = options.epsilon;
  while (true) {
    try {
      auto training = planned(schema, options);
      if (options.epsilon < asked) {
        training.reasons.push_back(fmt::format(
            "epsilon {:g} is proved instead of {:g}: at a larger one too little is left "
            "beside noise from the cipher",
            options.epsilon, asked));
      }
      return training;
    } catch (const privacy::CipherShareError& error) {
      const double room = error.epsilon_with_room();
      if (options.paper() || room < hardly_any_noise || room >= options.epsilon) throw;
      options.epsilon = room;
    }
  }
}

/// What the request stands for. A loss of the caller's own is trained by gradient alone.
learn::LinearOptions options_of(const Request& request, const data::Schema& schema) {
  auto values = request.values();
  const bool automatic = values.text("method").value_or("auto") == "auto";
  const auto& custom = request.loss();
  if (automatic && !custom) return auto_options(values, schema);
  if (automatic) values.set("method", "gradient");
  auto options = read_options(values, schema);
  if (custom) {
    const bool numbers = schema.target && schema.target->regression();
    options.loss =
        model::custom_loss(numbers ? model::Labels::numbers : model::Labels::signs, *custom);
  }
  return options;
}

TuneRequest tuning_of(const Request& request) {
  const auto& asked = *request.tuning();
  if (request.loss()) {
    throw base::UsageError(
        "tuning scores runs by the loss, of which nothing is proved where it is one's own; leave "
        "one of them out");
  }
  TuneOptions options{
      .trials = asked.trials, .max_trials = asked.max_trials, .holdout = asked.holdout};
  const auto law = trial_law_names.find(asked.law);
  if (!law) {
    throw base::UsageError("law must be logarithmic, geometric or poisson, got '{}'", asked.law);
  }
  options.law = *law;
  if (!asked.score.empty()) {
    options.score = score_names.find(asked.score);
    if (!options.score) {
      throw base::UsageError("score must be accuracy or loss, got '{}'", asked.score);
    }
  }
  return {request.values(), grid_from_toml(asked.grid, asked.name), options};
}

learn::Training tuned(const Request& request, const data::Schema& schema) {
  auto tuning = tuning_of(request);
  if (!request.total_epsilon()) return plan_tuning(schema, tuning);
  const auto total = tuning.values.real("epsilon").value_or(0);
  return plan_within(schema, tuning_adjacency(schema, tuning), total, [&](double epsilon) {
    tuning.values.set("epsilon", fmt::format("{}", epsilon));
    return plan_tuning(schema, tuning);
  });
}

}  // namespace

learn::Training plan(const Request& request, const data::Schema& schema) {
  if (request.tuning()) return tuned(request, schema);
  const auto options = options_of(request, schema);
  if (!request.total_epsilon()) return choose::plan_training(schema, options);
  return plan_within(schema, options, options.epsilon);
}

void check(const Request& request) {
  if (request.tuning()) {
    static_cast<void>(tuning_of(request));
    return;
  }
  const auto values = request.values();
  if (values.text("method").value_or("auto") != "auto") {
    static_cast<void>(read_options(values, data::Schema{}));
  } else {
    static_cast<void>(learn::linear_options(values, privacy::Adjacency::add_remove));
  }
}

privacy::Adjacency adjacency_of(const Request& request, const data::Schema& schema) {
  if (request.tuning()) return tuning_adjacency(schema, tuning_of(request));
  return options_of(request, schema).adjacency;
}

learn::Training plan_training(const data::Schema& schema, const learn::LinearOptions& options) {
  auto training = planned_beside_cipher(schema, options);
  training.reasons.insert(training.reasons.begin(), options.reasons.begin(), options.reasons.end());
  return training;
}

std::span<const learn::Method* const> choices() {
  static const std::array all{&tune_method(), &radius_search_method(), &boosting_method()};
  return all;
}

}  // namespace tacet::choose
