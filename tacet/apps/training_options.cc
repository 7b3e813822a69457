#include "tacet/apps/training_options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tacet/apps/describe.h"
#include "tacet/apps/text_table.h"
#include "tacet/base/error.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

std::string type_word(learn::ParameterType type) {
  switch (type) {
    case learn::ParameterType::integer:
      return "COUNT";
    case learn::ParameterType::real:
      return "NUMBER";
    case learn::ParameterType::text:
      return "NAME";
  }
  return {};
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string loss_text(const model::Loss& loss) {
  const auto parameter = model::loss_parameter_name(loss);
  if (parameter.empty()) return std::string(model::loss_name(loss));
  return fmt::format("{}, {} {:g}", model::loss_name(loss), parameter, model::loss_parameter(loss));
}

}  // namespace

void TrainingOptions::declare(CLI::App& app) {
  app.add_option("--schema,-s", schema_,
                 "Schema file (TOML): which columns count, and their bounds")
      ->type_name("FILE");
  for (const auto& parameter : learn::parameters()) {
    const std::string name(parameter.name);
    app.add_option_function<std::string>(
           "--" + name, [this, name](const std::string& value) { given_[name] = value; },
           fmt::format("{} [{}; default: {}]", capitalised(parameter.help), parameter.range,
                       parameter.default_value))
        ->type_name(type_word(parameter.type));
  }
}

learn::ParameterValues TrainingOptions::values() const {
  learn::ParameterValues values;
  for (const auto& [name, value] : given_) values.set(name, value);
  return values;
}

learn::LinearOptions TrainingOptions::linear_options() const {
  return learn::linear_options(values(), privacy::Adjacency::add_remove);
}

data::Schema TrainingOptions::schema() const {
  if (schema_.empty()) {
    throw base::UsageError(
        "--schema is missing: a file that says which columns count and their public bounds; "
        "nothing of it is ever guessed from private data");
  }
  return data::load_schema(schema_);
}

std::string plan_text(const learn::GradientPlan& plan) {
  std::string out;
  for (const auto& reason : plan.reasons) out += "  " + wrapped(reason, 92, "    ") + "\n";
  if (plan.unprotected()) return out;
  TextTable table({"  loss", loss_text(plan.loss)});
  const auto number = [&](const char* name, double value) {
    table.add({fmt::format("  {}", name), fmt::format("{:.6g}", value)});
  };
  number("epsilon", plan.guarantee.epsilon);
  number("delta", plan.guarantee.delta);
  table.add({"  adjacency", to_string(plan.guarantee.adjacency)});
  table.add({"  public row count", fmt::format("{}", plan.public_row_count)});
  table.add({"  encoded columns", fmt::format("{}", plan.columns)});
  number("clipping norm", plan.clipping_norm);
  number("noise multiplier", plan.noise_multiplier);
  table.add({"  steps", fmt::format("{}", plan.steps)});
  number("step size", plan.step_size);
  number("momentum", plan.momentum);
  if (plan.averaging == learn::Averaging::suffix) number("average", plan.average);
  if (plan.rate < 1) {
    number("expected batch", plan.rate * static_cast<double>(plan.public_row_count));
  }
  if (plan.outputs > 1) table.add({"  outputs", fmt::format("{}", plan.outputs)});
  if (plan.l2 > 0) number("l2 penalty", plan.l2);
  if (plan.radius) number("radius", *plan.radius);
  return out + "\n" + table.text();
}

ordered_json plan_json(const learn::GradientPlan& plan) {
  ordered_json out;
  out["method"] = plan.unprotected() ? "exact minimiser" : "gradient";
  out["loss"] = model::loss_name(plan.loss);
  if (const auto name = model::loss_parameter_name(plan.loss); !name.empty()) {
    out["loss_parameter"] = model::loss_parameter(plan.loss);
  }
  out["epsilon"] = json_number(plan.guarantee.epsilon);
  out["delta"] = plan.guarantee.delta;
  out["adjacency"] = to_string(plan.guarantee.adjacency);
  out["columns"] = plan.columns;
  if (!plan.unprotected()) {
    out["outputs"] = plan.outputs;
    out["public_row_count"] = plan.public_row_count;
    out["clipping_norm"] = plan.clipping_norm;
    out["noise_multiplier"] = plan.noise_multiplier;
    out["steps"] = plan.steps;
    out["step_size"] = plan.step_size;
    out["momentum"] = plan.momentum;
    out["average"] = plan.average;
    out["sampling_rate"] = plan.rate;
    out["records_a_unit"] = plan.records_a_unit;
    out["l2"] = plan.l2;
    if (plan.radius) out["radius"] = *plan.radius;
    out["events"] = ordered_json::parse(privacy::event_to_json(plan.events));
  }
  out["reasons"] = plan.reasons;
  return out;
}

}  // namespace tacet::apps
