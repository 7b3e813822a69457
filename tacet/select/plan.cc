#include "tacet/select/plan.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/privacy/prg_share_error.h"
#include "tacet/select/auto.h"
#include "tacet/select/boosting.h"
#include "tacet/select/radius_search.h"
#include "tacet/select/tune.h"

namespace tacet::select {

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
    throw base::UsageError("boost chooses among runs of linear models; leave it out");
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
    } catch (const privacy::CipherShareError& error) {
      const double room = error.epsilon_with_room();
      if (request.common().paper() || room < hardly_any_noise || room >= epsilon) throw;
      epsilon = room;
      request.values.set("epsilon", room);
    }
  }
}

}  // namespace

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

}  // namespace tacet::select
