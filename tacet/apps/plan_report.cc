#include "tacet/apps/plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tacet/apps/rehearsal.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/apps/training_run.h"
#include "tacet/base/error.h"

namespace tacet::apps {

std::vector<double> epsilons_around(double epsilon) {
  return {epsilon / 4, epsilon / 2, epsilon, epsilon * 2, epsilon * 4};
}

void spell(std::vector<report::PlannedEpsilon>& epsilons, const Console& console) {
  for (auto& at : epsilons) {
    at.refusal = console.spelled(at.refusal);
    if (at.plan) at.plan = spelled(std::move(*at.plan), console);
  }
}

void PlanReport::declare(Options& options) {
  options.heading("Before spending");
  options.flag("--plan", plan_,
               "What each --epsilon of a list would buy, by the options of `tacet train` "
               "[default list: 0.1,0.5,1,2,4]; reads no data");
  options.add("--rehearse", rehearse_, "FILE",
              "With --plan: also an experiment on the public records of this file, five fits at "
              "each epsilon; needs --public [default: none]");
  options.flag("--public", public_, "The records of --rehearse need no protection");
  training_.declare(options);
}

void PlanReport::check() const {
  if (!plan_ && (training_.any() || !rehearse_.empty() || public_)) {
    throw base::UsageError(
        "options of a training, --rehearse and --public belong to --plan; results and accounts "
        "have none");
  }
  if (!rehearse_.empty() && !public_) {
    throw base::UsageError(
        "--rehearse prints exact figures of the records of '{}', with noise that protects nobody; "
        "give --public if these records are public",
        rehearse_);
  }
  if (public_ && rehearse_.empty()) {
    throw base::UsageError("--public is about the records of --rehearse; give both or neither");
  }
}

report::ReportRequest PlanReport::request(const Console& console,
                                          const base::CancelToken& cancel) const {
  const auto epsilons = training_.epsilons();
  const auto request = training_.request_without_epsilon();
  const auto schema = training_.schema();
  report::PlannedSpending plan{.schema = schema, .schema_file = training_.schema_file()};
  plan.epsilons = report::plan_epsilons(request, schema, epsilons, &cancel);
  spell(plan.epsilons, console);
  const auto words = training_.words_without_epsilon();
  if (!rehearse_.empty()) {
    const auto pool = TrainingRun::threads(console, request.values());
    ProgressLine progress(console);
    plan.rehearsal = rehearse({rehearse_, schema, request, epsilons}, *pool, progress, cancel);
    progress.clear();
  }
  report::ReportRequest out;
  for (const auto& at : plan.epsilons) {
    out.commands.push_back({fmt::format("The plan at epsilon {}:", at.epsilon),
                            fmt::format("tacet plan{} --epsilon {}", words, at.epsilon)});
  }
  out.commands.push_back(
      {"The numbers of every figure:",
       fmt::format("tacet report --plan{} --epsilon {}{} --text --numbers numbers", words,
                   fmt::join(epsilons, ","),
                   rehearse_.empty() ? std::string()
                                     : " --rehearse " + shell_word(rehearse_) + " --public")});
  out.plan = std::move(plan);
  return out;
}

}  // namespace tacet::apps
