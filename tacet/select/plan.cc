#include "tacet/select/plan.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/privacy/prg_share.h"
#include "tacet/select/auto.h"
#include "tacet/select/boosting.h"
#include "tacet/select/radius_search.h"
#include "tacet/select/tune.h"

namespace tacet::select {

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

}  // namespace

learn::Training plan_training(const data::Schema& schema, const learn::LinearOptions& options) {
  auto training = planned_beside_cipher(schema, options);
  training.reasons.insert(training.reasons.begin(), options.reasons.begin(), options.reasons.end());
  return training;
}

std::span<const learn::Method* const> choices() {
  static const std::array all{&tune_method(), &radius_search_method(), &boosting_method()};
  return all;
}

}  // namespace tacet::select
