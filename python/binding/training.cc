#include "python/binding/training.h"

#include "python/binding/supervised.h"
#include "tacet/run/train.h"
#include "tacet/choose/auto.h"
#include "tacet/choose/read_options.h"

namespace tacet::python {

learn::ParameterValues values_of(const Values& given) {
  learn::ParameterValues values;
  for (const auto& [name, value] : given) values.set(name, value);
  return values;
}

learn::LinearOptions options_of(const Values& given, const data::Schema& schema) {
  const auto values = values_of(given);
  if (values.text("method").value_or("auto") != "auto") return choose::read_options(values, schema);
  return choose::auto_options(values, schema);
}

model::ModelFile trained(const std::string& command, const learn::Training& plan,
                         const run::Rows& rows, const Means& context,
                         const nanobind::object& callback) {
  Payer payer(context);
  const Telling telling(payer);
  const auto source = payer.source();
  auto file = supervised(callback, [&](const base::Supervision& supervision) {
    const auto front = payer.in_memory(supervision.cancel);
    return run::train(plan, rows,
                      {.budget = front.budget,
                       .account = front.account,
                       .command = command,
                       .source = source.get(),
                       .threads = context.threads,
                       .supervision = supervision,
                       .notes = context.notes});
  });
  return file;
}

}  // namespace tacet::python
