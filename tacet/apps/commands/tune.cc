#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "tacet/apps/command.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_run.h"
#include "tacet/choose/plan.h"
#include "tacet/data/file_text.h"

namespace tacet::apps {
namespace {

constexpr std::string_view tune_examples =
    "  tacet tune data.csv --schema s.toml --grid grid.toml --epsilon 1\n"
    "      trains with settings from the grid, a secret number of times, and keeps the best model\n"
    "\n"
    "The grid:\n"
    "  [values]\n"
    "  clipping-norm = [0.5, 1]\n"
    "  steps = [50, 100, 200]\n"
    "\n"
    "Epsilon and delta are of everything together. How long it takes tells how often was trained:\n"
    "do not let those see it who see the model.\n";

class Tune : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "tune", "Choose settings by training with them, privately", tune_examples);
    run_.declare_data(options);
    options.add("--grid", grid_, "FILE", "Grid file (TOML): the settings to choose from",
                Form::required);
    options.add("--trials", trials_, "NUMBER",
                "How often is trained on average, above 1 [default: 10]");
    options.add("--max-trials", max_trials_, "COUNT",
                "Never more often [default: so that it costs a thousandth of delta]");
    options.add("--law", law_, "NAME", "How the number varies: logarithmic, geometric or poisson");
    options.offer("--law", {"logarithmic", "geometric", "poisson"});
    options.add("--holdout", holdout_, "SHARE",
                "Share of the records that scores and does not train [default: 0.3]");
    options.add("--score", score_, "NAME",
                "What is best: accuracy or loss [default: accuracy for classes, loss for numbers]");
    options.offer("--score", {"accuracy", "loss"});
    training_.declare(options);
    run_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto schema = training_.schema();
    const auto terms = run_.terms(console, cancel);
    training_.fit_to(terms, console);
    const auto request = training_.request().tune(tuning());
    choose::check(request);
    const auto pool = TrainingRun::threads(console, request.values());
    const auto way = "settings are chosen in accounts in basic that have a delta. " +
                     other_account("--epsilon 1 --delta 1e-6");
    in_account(terms, way, [&] {
      const auto plan = spelled(choose::plan(request, schema), console);
      for (const auto& reason : plan.reasons) console.say(paragraph(reason));
      run_.run({name(),
                plan,
                training_.schema_file(),
                *pool,
                terms,
                {.text = {}, .json = {}, .timed = false}},
               console, cancel);
    });
  }

 private:
  [[nodiscard]] choose::Tuning tuning() const {
    choose::Tuning tuning{.grid = data::read_text_file(grid_), .name = grid_, .law = law_};
    tuning.score = score_;
    if (!trials_.empty()) tuning.trials = number_option("trials", trials_, "a number above 1");
    if (!max_trials_.empty()) tuning.max_trials = count_option("max-trials", max_trials_, 1);
    if (!holdout_.empty()) {
      tuning.holdout = number_option("holdout", holdout_, "a share between 0 and 1");
    }
    return tuning;
  }

  TrainingOptions training_;
  TrainingRun run_;
  std::string grid_;
  std::string trials_;
  std::string max_trials_;
  std::string law_ = "logarithmic";
  std::string holdout_;
  std::string score_;
};

}  // namespace

std::unique_ptr<Command> make_tune() { return std::make_unique<Tune>(); }

}  // namespace tacet::apps
