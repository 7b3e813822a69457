#include "tacet/choose/read_options.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/choose/auto.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/method.h"
#include "tacet/learn/wide/net_plan.h"

namespace tacet::choose {
namespace {

// If there are very many buckets and ids, a release first finds those that are worth a vector
// (docs/methods/wide.md).
void choose_kept_ids(learn::ParameterValues& values) {
  const auto options = learn::common_options(values);
  const bool possible = !std::isinf(options.epsilon) && options.delta != 0.0 &&
                        values.text("selection").value_or("all") == "all";
  if (possible && !values.given("feature-selection")) values.set("feature-selection", "auto");
}

}  // namespace

bool asks_wide(const learn::ParameterValues& values) {
  const auto wide = learn::wide_method.name;
  const auto model = values.text("model").value_or("");
  const auto method = values.text("method").value_or("auto");
  if (model == wide && method != "auto" && method != wide) {
    throw base::UsageError(
        "`model=wide` is trained by method wide, and {} trains linear models; leave one of them "
        "out",
        method);
  }
  if (model == "linear" && method == wide) {
    throw base::UsageError(
        "method wide trains wide models; use `model=wide`, or leave `method` out");
  }
  if (model == wide || method == wide) return true;
  if (method != "auto") return false;
  for (const auto& parameter : learn::parameters()) {
    if (!values.given(parameter.name)) continue;
    if (learn::readers_of(parameter.name) != std::vector{wide}) continue;
    throw base::UsageError("{} is of wide models; add `model=wide`, or leave it out",
                           base::parameter_name(parameter.name));
  }
  return false;
}

learn::ParameterValues with_adjacency(learn::ParameterValues values, const learn::Method& method) {
  if (!values.given("adjacency")) values.set("adjacency", method.usual_adjacency);
  return values;
}

ResolvedRequest read_options(learn::ParameterValues values, const data::Schema& schema) {
  if (asks_wide(values)) values.set("method", learn::wide_method.name);
  if (values.text("method").value_or("auto") == "auto") {
    values.set("method", learn::asks_pure(values) ? auto_method(values, schema)
                                                  : learn::gradient_method.name);
  }
  const auto& method = learn::find_method(*values.text("method"));
  learn::check_parameters(method, values);
  values = with_adjacency(std::move(values), method);
  static_cast<void>(learn::common_options(values));  // which says what is missing
  if (method.name == learn::wide_method.name) choose_kept_ids(values);
  return {std::move(values)};
}

}  // namespace tacet::choose
