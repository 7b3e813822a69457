#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "tacet/apps/command.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_run.h"
#include "tacet/choose/plan.h"

namespace tacet::apps {
namespace {

constexpr std::string_view train_examples =
    "  tacet train data.csv --schema s.toml --epsilon 1\n"
    "      writes model.json and prints what was chosen, the guarantee and the coefficients\n"
    "  tacet train data.csv --schema s.toml --epsilon 0.5 --delta 1e-6 --output m.json --force\n"
    "  tacet train data.csv --schema s.toml --epsilon inf      without any protection\n"
    "  tacet train data.csv --schema s.toml --epsilon 1 --seed 7      repeatable, not private\n"
    "\n"
    "Two models trained on the same records together cost the sum of both epsilons and deltas.\n";

class Train : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "train", "Train a model with differential privacy", train_examples);
    run_.declare_data(options);
    training_.declare(options);
    run_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto terms = run_.terms(console, cancel);
    training_.fit_to(terms, console);
    const auto request = training_.request();
    choose::check(request);  // before the schema is looked for
    const auto schema = training_.schema();
    const auto pool = TrainingRun::threads(console, request.values());
    in_account(terms, way_to_train(terms), [&] {
      const auto plan = spelled(choose::plan(request, schema), console);
      run_.run({name(), plan, training_.schema_file(), *pool, terms}, console, cancel);
    });
  }

 private:
  /// What trains in every account of these terms.
  [[nodiscard]] static std::string way_to_train(const std::optional<run::AccountTerms>& terms) {
    const bool pure = terms && run::fitting_delta(*terms, std::nullopt) == 0.0;
    return fmt::format(
        "leave --method, --adjacency and --delta out, for what fits it, or give --method {}",
        pure ? "objective (for the logistic loss)" : "gradient");
  }

  TrainingOptions training_;
  TrainingRun run_;
};

}  // namespace

std::unique_ptr<Command> make_train() { return std::make_unique<Train>(); }

}  // namespace tacet::apps
