
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/plan_report.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_run.h"
#include "tacet/apps/training_warnings.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema_cost.h"

namespace tacet::apps {
namespace {

constexpr std::string_view plan_examples =
    "  tacet plan --schema s.toml --epsilon 1\n"
    "  tacet plan --schema s.toml --epsilon 0.5 --delta 1e-6 --json\n"
    "\n"
    "Takes the command line of `tacet train` as it is; with --seed it says that the result would\n"
    "protect nobody. No data are read, nothing is booked, and what only a run has (receipt, model\n"
    "file) changes nothing. With --ledger it fits the account as `train` does, says what would be\n"
    "left, and is refused if the budget does not suffice. --report writes a page about the plan\n"
    "and what more or less epsilon would buy.\n";

class Plan : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "plan", "Print what `train` would do and cost; reads no data", plan_examples);
    options.add_records("data", data_, "Not opened; only there so that train's command line fits",
                        Reading::not_opened, Form::optional);
    training_.declare(options);
    run_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto terms = run_.names_a_ledger() ? run_.terms(console, cancel) : std::nullopt;
    training_.fit_to(terms, console);
    const auto request = training_.request();
    choose::check(request);  // before the schema is looked for
    auto page = run_.page().open(run_.overwrite());
    const auto plan = spelled(choose::plan(request, training_.schema()), console);
    const auto& schema = plan.schema;
    auto alone = report::planned_receipt(plan);
    if (alone.is_protected()) alone.unprotected_reason = run_.unprotected_reason();
    const auto whole = data::with_schema_cost(schema, alone);
    const auto forecast = run_.forecast(plan, training_.schema_file(), console, cancel);
    for (const auto& warning : training_warnings(plan)) {
      console.say(paragraph("warning: " + warning));
    }
    console.result(console.json() ? json_of(plan, forecast)
                                  : text_of(plan, alone, whole) + account_text(forecast));
    if (page) write_page(std::move(page), {plan, whole, request}, console, cancel);
  }

 private:
  [[nodiscard]] static std::string json_of(const learn::Training& plan,
                                           const std::optional<run::Forecast>& forecast) {
    auto out = report::whole_plan_json(plan);
    if (forecast) {
      out["account"] = {{"data_set", forecast->data_set},
                        {"left", forecast->account.left},
                        {"left_after", forecast->account.left_after}};
    }
    return json_text(out);
  }

  [[nodiscard]] static std::string account_text(const std::optional<run::Forecast>& forecast) {
    if (!forecast) return {};
    const auto& [left, left_after] = forecast->account;
    return fmt::format("\nThe account '{}' has {} left; after this run {}\n", forecast->data_set,
                       left, left_after);
  }

  [[nodiscard]] static std::string text_of(const learn::Training& plan,
                                           const privacy::Receipt& alone,
                                           const privacy::Receipt& whole) {
    const auto& schema = plan.schema;
    auto text = plan_text(plan) + "\n";
    if (const auto passes = plan.passes_over_records) {
      text += fmt::format("Reads the records {:.4g} times{}\n\n", *passes,
                          *passes > 1 ? "; with --spool each time from the disk, where they are "
                                        "larger than the memory"
                                      : "");
    }
    // What protects nobody with its schema promises nothing without it.
    if (whole.is_protected()) {
      text += "Guarantee (in full, of the model: `tacet show MODEL --guarantee`)\n" +
              guarantee_text(alone);
    }
    if (schema.cost && whole.is_protected()) text += "\nTogether with the fit of the schema\n";
    if (schema.cost || !whole.is_protected()) text += guarantee_text(whole);
    if (whole.is_protected()) text += fit_share_text(schema, whole.guarantee.adjacency);
    return text;
  }

  struct Planned {
    const learn::Training& plan;
    const privacy::Receipt& cost;
    const choose::Request& request;
  };

  void write_page(std::optional<base::AtomicFile> page, const Planned& planned,
                  const Console& console, const base::CancelToken& cancel) const {
    report::ReportRequest request;
    auto& shown =
        request.plan.emplace(report::PlannedSpending{.schema = planned.plan.schema,
                                                     .schema_file = training_.schema_file(),
                                                     .chosen = planned.plan,
                                                     .cost = planned.cost});
    const auto epsilon = planned.plan.guarantee.epsilon;
    if (planned.cost.is_protected() && !planned.request.total_epsilon()) {
      shown.epsilons = report::plan_epsilons(
          planned.request, training_.schema(),
          epsilons_around(planned.request.values().real("epsilon").value_or(epsilon)), &cancel);
      spell(shown.epsilons, console);
    }
    std::string again = "tacet plan" + training_.words_without_epsilon();
    for (const std::string name : {"epsilon", "total-epsilon"}) {
      const auto asked = planned.request.value(name);
      if (asked) again += fmt::format(" --{} {}", name, *asked);
    }
    request.commands.push_back({"The plan again:", again});
    run_.page().write(std::move(page), request, console, cancel);
  }

  std::string data_;
  TrainingOptions training_;
  TrainingRun run_;
};

}  // namespace

std::unique_ptr<Command> make_plan() { return std::make_unique<Plan>(); }

}  // namespace tacet::apps
