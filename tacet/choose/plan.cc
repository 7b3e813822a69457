#include "tacet/choose/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/choose/auto.h"
#include "tacet/choose/boosting.h"
#include "tacet/choose/radius_search.h"
#include "tacet/choose/read_options.h"
#include "tacet/choose/total_budget.h"
#include "tacet/choose/tune.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/inference/inference.h"
#include "tacet/learn/method.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/optimize/parts/remote_parts.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::choose {

namespace {

learn::Training planned(const data::Schema& schema, const ResolvedRequest& request) {
  const auto& asked = request.values;
  const bool boost = asked.given("boost");
  const bool radius_search = asked.text("radius") == "auto";
  const auto loss = asked.loss();
  if (loss && model::is_custom(*loss) && (boost || radius_search)) {
    throw base::UsageError(
        "choosing among runs scores them by the loss, of which nothing is proved where it is one's "
        "own; leave the radius search and boosting out");
  }
  if (boost && asked.text("method") == learn::wide_method.name) {
    throw base::UsageError("`boost` chooses among runs of linear models; leave it out");
  }
  if (boost && asked.text("method") == learn::inference_method.name) {
    throw base::UsageError(
        "`boost` chooses among runs by their predictions, and a table of coefficients has none; "
        "leave it out");
  }
  if (boost) return chosen_training(resolve_boosting(schema, asked));
  if (radius_search) return chosen_training(resolve_radius_search(schema, asked));
  return learn::plan_training(request.constant_only ? constant_schema(schema) : schema, asked,
                              {.path_share = request.path_share});
}

/// Noise from the cipher bounds what can be proved: beyond some epsilon nothing is left of delta.
/// What is proved there holds at every larger one, and where it is still so large that noise hardly
/// counts it is what is trained with and spent. A paper's constants are for the epsilon asked for.
learn::Training planned_beside_cipher(const data::Schema& schema, ResolvedRequest request) {
  constexpr double hardly_any_noise = 10;
  const double asked = request.common().epsilon;
  double epsilon = asked;
  while (true) {
    try {
      auto training = planned(schema, request);
      if (epsilon < asked) {
        training.reasons.push_back(fmt::format(
            "epsilon {:g} is proved instead of {:g}: at a larger one too little is left "
            "beside noise from the cipher",
            epsilon, asked));
      }
      return training;
    } catch (const privacy::PrgShareError& error) {
      const double room = error.epsilon_with_room();
      if (request.common().paper() || room < hardly_any_noise || room >= epsilon) throw;
      epsilon = room;
      request.values.set("epsilon", room);
    }
  }
}

/// A loss of the caller's own is trained by gradient alone.
ResolvedRequest resolved(const Request& request, const data::Schema& schema) {
  auto values = request.values();
  const bool automatic = values.text("method").value_or("auto") == "auto";
  const auto& custom = request.loss();
  if (automatic && !custom) return auto_options(values, schema);
  if (automatic) values.set("method", learn::gradient_method.name);
  if (custom) {
    const bool numbers = schema.target && schema.target->regression();
    values.set("loss", model::custom_loss(numbers ? model::Labels::numbers : model::Labels::signs,
                                          *custom));
  }
  return read_options(std::move(values), schema);
}

TuneRequest tuning_of(const Request& request) {
  const auto& asked = *request.tuning();
  if (request.loss()) {
    throw base::UsageError(
        "tuning scores runs by the loss, of which nothing is proved where it is a custom one; "
        "leave "
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
  const auto asked = resolved(request, schema);
  if (!request.total_epsilon()) return choose::plan_training(schema, asked);
  return plan_within(schema, asked, asked.common().epsilon);
}

learn::Training plan_over_parts(const Request& request, const data::Schema& schema,
                                const PartsLayout& layout) {
  if (request.tuning()) {
    throw base::UsageError(
        "settings are chosen among runs on parts of the records that are drawn in secret, which "
        "records in parts cannot be asked for; leave the tuning out");
  }
  if (layout.whole && layout.whole != schema.unit) {
    throw base::UsageError("`whole` names the column {}, but the schema's unit is {}",
                           *layout.whole, schema.unit.value_or("a single record"));
  }
  if (schema.unit && !layout.whole) {
    throw base::UsageError(
        "all records of one {0} are protected together, and its records could lie in several "
        "parts, each of which would count the unit by itself; if each {0} lies in one part, say "
        "so: `whole={0}`",
        *schema.unit);
  }
  auto training = plan(request, schema);
  learn::expect_over_parts(training);
  optimize::check_round(layout.parts, training.part_rounds.numbers);
  if (schema.unit) {
    const auto units = optimize::unit_rounds(layout.parts, training.declared_count());
    auto& [rounds, numbers] = training.part_rounds;
    rounds += units.count() - 1;
    numbers = std::max(numbers, units.numbers());
  }
  return training;
}

void check(const Request& request) {
  if (request.tuning()) {
    static_cast<void>(tuning_of(request));
    return;
  }
  auto values = request.values();
  if (values.text("method").value_or("auto") != "auto") {
    static_cast<void>(read_options(std::move(values), data::Schema{}));
  } else {
    values.set("adjacency", privacy::Adjacency::add_remove);  // any: the method's is not known yet
    static_cast<void>(learn::common_options(values));
  }
}

privacy::Adjacency adjacency_of(const Request& request, const data::Schema& schema) {
  if (request.tuning()) return tuning_adjacency(schema, tuning_of(request));
  return resolved(request, schema).common().adjacency;
}

learn::Training plan_training(const data::Schema& schema, const ResolvedRequest& request) {
  auto training = planned_beside_cipher(schema, request);
  training.reasons.insert(training.reasons.begin(), request.reasons.begin(), request.reasons.end());
  return training;
}

learn::Training plan_training(const data::Schema& schema, const learn::ParameterValues& asked) {
  return plan_training(schema, ResolvedRequest{asked});
}

std::span<const learn::Method* const> choices() {
  static const std::array all{&tune_method(), &radius_search_method(), &boosting_method()};
  return all;
}

}  // namespace tacet::choose
