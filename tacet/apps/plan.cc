#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/training_options.h"
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
    if (console.json()) {
      console.result(plan_json(plan).dump(1) + "\n");
      return;
    }
    const auto unit = schema.unit.value_or("record");
    console.result(fmt::format("{}\n{}", plan_text(plan),
                               paragraph(privacy::statement(plan.guarantee, unit))));
  }

 private:
  std::string data_;
  TrainingOptions training_;
};

}  // namespace

std::unique_ptr<Command> make_plan() { return std::make_unique<Plan>(); }

}  // namespace tacet::apps
