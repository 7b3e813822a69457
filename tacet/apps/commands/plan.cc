
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_warnings.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

constexpr std::string_view plan_examples =
    "  tacet plan --schema s.toml --epsilon 1\n"
    "  tacet plan --schema s.toml --epsilon 0.5 --delta 1e-6 --json\n"
    "\n"
    "Takes the options of `tacet train`, reads no data and costs nothing.\n";

class Plan : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "plan", "Print what `train` would do and cost; reads no data", plan_examples);
    options.add("data", data_, "FILE", "Not opened; only there so that train's command line fits");
    training_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto options = training_.linear_options();
    const auto plan = training_.plan(training_.schema(), options);
    const auto& schema = plan.schema;
    const auto alone = receipt_of(plan, schema, options);
    const auto whole = data::with_schema_cost(schema, alone);
    for (const auto& warning : training_warnings(plan)) {
      console.say(paragraph("warning: " + warning));
    }
    if (console.json()) {
      auto out = plan_json(plan);
      if (schema.cost) {
        out["with_schema_fit"] = {{"epsilon", json_number(whole.guarantee.epsilon)},
                                  {"delta", whole.guarantee.delta},
                                  {"adjacency", to_string(whole.guarantee.adjacency)},
                                  {"protected", whole.is_protected()}};
      }
      console.result(json_text(out));
      return;
    }
    auto text = plan_text(plan) + "\n";
    // What protects nobody with its schema promises nothing without it.
    if (whole.is_protected()) text += paragraph(privacy::statement(alone));
    if (schema.cost && whole.is_protected()) text += "\nTogether with the fit of the schema\n";
    if (schema.cost || !whole.is_protected()) text += paragraph(privacy::statement(whole));
    if (whole.is_protected()) text += fit_share_text(schema, whole.guarantee.adjacency);
    console.result(text);
  }

 private:
  /// What training by the plan would leave behind.
  static privacy::Receipt receipt_of(const learn::Training& plan, const data::Schema& schema,
                                     const learn::LinearOptions& options) {
    privacy::Receipt receipt;
    receipt.algorithm = plan.method;
    receipt.calibration = "tight";
    receipt.events = plan.events;
    receipt.guarantee = plan.guarantee;
    receipt.privacy_unit = schema.unit.value_or("record");
    receipt.public_row_count =
        options.public_row_count ? options.public_row_count : schema.public_row_count;
    receipt.cipher_delta = plan.cipher_delta;
    if (plan.unprotected()) receipt.unprotected_reason = "epsilon inf: no noise is added";
    return privacy::checked(std::move(receipt));
  }

  std::string data_;
  TrainingOptions training_;
};

}  // namespace

std::unique_ptr<Command> make_plan() { return std::make_unique<Plan>(); }

}  // namespace tacet::apps
