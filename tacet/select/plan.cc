#include "tacet/select/plan.h"

#include <array>

#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/select/auto.h"
#include "tacet/select/boosting.h"
#include "tacet/select/radius_search.h"
#include "tacet/select/tune.h"

namespace tacet::select {

namespace {

learn::Training planned(const data::Schema& schema, const learn::LinearOptions& options) {
  if (options.loss && model::is_own(*options.loss) && (options.boost || options.radius_search)) {
    throw base::UsageError(
        "choosing among runs scores them by the loss, of which nothing is proved where it is one's "
        "own; leave the radius search and boosting out");
  }
  if (options.boost && options.method == learn::wide_method.name) {
    throw base::UsageError("boost chooses among runs of linear models; leave it out");
  }
  if (options.boost) return chosen_training(settle_boosting(schema, options));
  if (options.radius_search) return chosen_training(settle_radius_search(schema, options));
  return learn::plan_training(options.constant_only ? constant_schema(schema) : schema, options);
}

}  // namespace

learn::Training plan_training(const data::Schema& schema, const learn::LinearOptions& options) {
  auto training = planned(schema, options);
  training.reasons.insert(training.reasons.begin(), options.reasons.begin(), options.reasons.end());
  return training;
}

std::span<const learn::Method* const> choices() {
  static const std::array all{&tune_method(), &radius_search_method(), &boosting_method()};
  return all;
}

}  // namespace tacet::select
