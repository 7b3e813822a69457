#include "tacet/select/read_options.h"

#include <string>

#include "tacet/learn/method.h"
#include "tacet/select/auto.h"

namespace tacet::select {

learn::LinearOptions read_options(learn::ParameterValues values, const data::Schema& schema) {
  if (values.text("method").value_or("auto") == "auto") {
    const bool pure = learn::asks_pure(values);
    values.set("method",
               pure ? std::string(auto_method(values, schema)) : learn::LinearOptions{}.method);
  }
  const auto& method = learn::find_method(*values.text("method"));
  learn::check_parameters(method, values);
  return learn::linear_options(values, method.usual_adjacency);
}

}  // namespace tacet::select
