#include "tacet/select/read_options.h"

#include <string>

#include "tacet/learn/method.h"

namespace tacet::select {

learn::LinearOptions read_options(learn::ParameterValues values, const data::Schema& schema) {
  if (!values.given("method") && learn::asks_pure(values)) {
    values.set("method", std::string(learn::usual_pure_method(values, schema)));
  }
  const auto& method =
      learn::find_method(values.text("method").value_or(learn::LinearOptions{}.method));
  learn::check_parameters(method, values);
  return learn::linear_options(values, method.usual_adjacency);
}

}  // namespace tacet::select
