#include "tacet/select/plan.h"

#include "tacet/learn/method.h"

namespace tacet::select {

learn::Training plan_training(const data::Schema& schema, const learn::LinearOptions& options) {
  return learn::plan_training(schema, options);
}

}  // namespace tacet::select
