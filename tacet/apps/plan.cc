#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/training_options.h"
#include "tacet/data/schema_cost.h"
#include "tacet/learn/method.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

constexpr std::string_view examples =
    "  tacet plan --schema s.toml --epsilon 1\n"
    "  tacet plan --schema s.toml --epsilon 0.5 --delta 1e-6 --json\n"
    "\n"
    "Takes the options of `tacet train`, reads no data and costs nothing.\n";

class Plan : public Command {
 public:
  void declare(CLI::App& program) override {
    auto& app =
        add(program, "plan", "Print what `train` would do and cost; reads no data", examples);
    app.add_option("data", data_, "Not opened; only there so that train's command line fits")
        ->type_name("FILE");
    training_.declare(app);
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto options = training_.linear_options();
    const auto schema = training_.schema();
    const auto plan = learn::plan_training(schema, options);
    const auto whole = data::with_schema_cost(schema, {plan.events, plan.guarantee}).guarantee;
    if (console.json()) {
      auto out = plan_json(plan);
      if (schema.cost) {
        out["with_schema_fit"] = {{"epsilon", json_number(whole.epsilon)},
                                  {"delta", whole.delta},
                                  {"adjacency", to_string(whole.adjacency)}};
      }
      console.result(out.dump(1) + "\n");
      return;
    }
    const auto unit = schema.unit.value_or("record");
    auto text =
        fmt::format("{}\n{}", plan_text(plan), paragraph(privacy::statement(plan.guarantee, unit)));
    if (schema.cost) {
      text +=
          "\nTogether with the fit of the schema\n" + paragraph(privacy::statement(whole, unit));
    }
    console.result(text);
  }

 private:
  std::string data_;
  TrainingOptions training_;
};

}  // namespace

std::unique_ptr<Command> make_plan() { return std::make_unique<Plan>(); }

}  // namespace tacet::apps
