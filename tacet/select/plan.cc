#include "tacet/select/plan.h"

#include <array>

#include "tacet/learn/method.h"
#include "tacet/select/tune.h"

namespace tacet::select {

learn::Training plan_training(const data::Schema& schema, const learn::LinearOptions& options) {
  return learn::plan_training(schema, options);
}

std::span<const learn::Method* const> choices() {
  static const std::array<const learn::Method*, 1> all{&tune_method()};
  return all;
}

}  // namespace tacet::select
