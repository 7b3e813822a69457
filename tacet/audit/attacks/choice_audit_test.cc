// Distinguishing games on whole runs of tuning, radius search and boosting: what they show of two
// neighbours stays below what they state, and with half of the noise of one part it does not.
//
// Of several models one is released; that the others are paid for is seen by looking at all of them
// before the choice. The score's own audit is in score_test.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/evidence.h"
#include "tacet/base/error.h"
#include "tacet/choose/boosting.h"
#include "tacet/choose/radius_search.h"
#include "tacet/choose/tune_plan.h"
#include "tacet/learn/method.h"
#include "tests/support/carried_out.h"

namespace tacet::choose {
namespace choice_audit_test {

constexpr auto replace_one = privacy::Adjacency::replace_one;
constexpr double step_size = 0.1;
constexpr double clipping_norm = 0.5;  // what the logistic loss has at 0

data::Schema line(std::int64_t rows) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  schema.public_row_count = rows;
  return schema;
}

/// Records that are all alike; the label of one may be turned round. Which block it is in is drawn.
data::Dataset records(std::int64_t rows, bool turned) {
  data::Dataset dataset(line(rows).shape());
  const std::vector<std::int16_t> row{2048};
  for (std::int64_t i = 0; i < rows; ++i) dataset.append_dense(row, turned && i == 0 ? -1.0 : 1.0);
  return dataset;
}

/// One step from 0, so that a model is one noisy sum.
learn::ParameterValues one_step(double epsilon, double delta) {
  return {{"method", "gradient"},           {"epsilon", epsilon}, {"delta", delta},
          {"adjacency", replace_one},       {"steps", 1},         {"step-size", step_size},
          {"clipping-norm", clipping_norm}, {"knots", "none"}};
}

double noise_of(const learn::Training& training) {
  for (const auto& setting : training.settings) {
    if (setting.name == "noise_multiplier") return std::get<double>(setting.value);
  }
  return 0;
}

/// The same training with half of its noise.
learn::Training halved(const learn::Training& training, learn::ParameterValues options) {
  const double mu = 2 / noise_of(training);
  const double delta = training.guarantee.delta;
  options.set("epsilon", accounting::gaussian::epsilon(2 * mu, privacy::Delta(delta)));
  options.set("delta", delta);
  options.set("public-row-count", training.public_row_count);
  auto weaker = learn::plan_training(training.schema, options);
  EXPECT_NEAR(noise_of(weaker) / noise_of(training), 0.5, 1e-3);
  return weaker;
}

/// Where the model of a block without the turned record lies, and how far apart both are.
struct Scale {
  double centre;
  double shift;
  double stddev;
};
Scale scale_of(const learn::Training& training, std::int64_t block) {
  const double unit = step_size * clipping_norm / static_cast<double>(training.public_row_count);
  return {unit * static_cast<double>(block), 2 * unit, unit * noise_of(training)};
}

/// What is looked for in the models of a run, the released one last.
using Seen = std::function<bool(const std::vector<double>&)>;

/// A way of carrying out a plan that leaves the models of its runs behind.
struct Game {
  learn::Training training;
  std::shared_ptr<std::vector<double>> models = std::make_shared<std::vector<double>>();
};

learn::Training watched(learn::Training training,
                        const std::shared_ptr<std::vector<double>>& models) {
  training.run = [run = training.run, models](const data::Dataset& block,
                                              const data::Schema& schema,
                                              const learn::TrainingContext& context) {
    auto trained = run(block, schema, context);
    models->push_back(trained.model.coefficients[0]);
    return trained;
  };
  return training;
}

Game game_of(ChoicePlan plan) {
  Game game;
  for (auto& contender : plan.contenders) {
    contender.training = watched(std::move(contender.training), game.models);
  }
  game.training = chosen_training(std::move(plan));
  return game;
}

std::int64_t times_seen(const Game& game, const data::Dataset& data, const Seen& seen,
                        std::int64_t runs, std::uint64_t first_seed) {
  std::int64_t count = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    game.models->clear();
    const auto done =
        test::carried_out(game.training, data, first_seed + static_cast<std::uint64_t>(run));
    game.models->push_back(done.result.model.coefficients[0]);
    count += seen(*game.models) ? 1 : 0;
  }
  return count;
}

/// The largest epsilon at `delta` that the counts refute, by exact bounds at level 1e-6 each.
double audited_epsilon(const Game& game, const Seen& seen, std::int64_t runs, double delta) {
  const auto rows = game.training.public_row_count;
  const auto with = times_seen(game, records(rows, true), seen, runs, 1);
  const auto without = times_seen(game, records(rows, false), seen, runs, 1000003);
  return audit::epsilon_refuted({with, runs}, {without, runs}, delta, 1e-6);
}

/// All runs of the choice end with this error, after what they release or before.
template <typename Error>
learn::Training failing(ChoicePlan plan, bool released = true) {
  for (auto& contender : plan.contenders) {
    contender.training.run = [run = contender.training.run, released](
                                 const data::Dataset& block, const data::Schema& schema,
                                 const learn::TrainingContext& context) -> learn::TrainedModel {
      if (released) static_cast<void>(run(block, schema, context));
      throw Error("of this run's records");
    };
  }
  return chosen_training(std::move(plan));
}

// That a run failed after a release is no message about it: the model of all zeros comes out. What
// is no result of the run is thrown.
TEST(ChoiceAudit, ARunThatFailsAfterAReleaseIsNotSeen) {
  auto options = one_step(1, 1e-6);
  options.set("boost", 0.5);
  const auto plan = resolve_boosting(line(40), options);
  for (const auto& training : {failing<base::NumericError>(plan), failing<base::DataError>(plan)}) {
    const auto done = test::carried_out(training, records(40, false), 1);
    EXPECT_EQ(done.result.model.coefficients, std::vector<double>{0});
    EXPECT_EQ(done.spent, plan.events);
  }
  const auto thrown = [](const learn::Training& training) {
    static_cast<void>(test::carried_out(training, records(40, false), 1));
  };
  EXPECT_THROW(thrown(failing<base::NumericError>(plan, false)), base::NumericError);
  EXPECT_THROW(thrown(failing<base::InternalError>(plan)), base::InternalError);
  EXPECT_THROW(thrown(failing<base::IoError>(plan)), base::IoError);
}

// The stand-in for such a run is scored on the records as they were read, whatever the run was to
// make of them.
TEST(ChoiceAudit, ARunThatFailsIsScoredOnRecordsAsTheyWereRead) {
  auto options = one_step(20, 1e-6);
  options.set("standardise", "private");
  options.set("knots", 4);
  options.set("boost", 0.5);
  const auto plan = resolve_boosting(line(40), options);
  const auto& first = plan.contenders.front().training;
  ASSERT_NE(first.schema.encoded_column_count(), 0);
  ASSERT_TRUE(first.raw_schema);
  data::Dataset dataset(first.reading_schema().shape());
  const std::vector<std::int16_t> row(
      static_cast<std::size_t>(first.reading_schema().encoded_column_count()), 2048);
  for (int i = 0; i < 40; ++i) dataset.append_dense(row, 1.0);
  const auto done = test::carried_out(failing<base::NumericError>(plan), dataset, 1);
  for (const double weight : done.result.model.coefficients) EXPECT_EQ(weight, 0);
}

constexpr double epsilon = 1.5;
constexpr double delta = 0.01;

/// `least`: the share of the claim that honest runs have to show.
void audit_tuning(std::int64_t runs, double least) {
  TuneRequest asked{{}, grid_from_toml("[[candidate]]\nsteps = 1\n", "g.toml"), {.trials = 1.05}};
  asked.options.holdout = 0.1;
  for (const auto& [name, value] : {std::pair{"epsilon", "1.5"},
                                    {"delta", "0.01"},
                                    {"adjacency", "replace_one"},
                                    {"step-size", "0.1"},
                                    {"clipping-norm", "0.5"},
                                    {"knots", "none"}}) {
    asked.values.set(name, value);
  }
  auto plan = resolve_tuning(line(40), asked);
  auto& training = plan.candidates.front().training;
  const auto seen_by = [&] {
    const auto scale = scale_of(training, plan.sizes[0]);
    return [least = scale.centre - 2.2 * scale.stddev](const std::vector<double>& models) {
      return models.back() < least;
    };
  };
  const double honest = audited_epsilon({tuned_training(plan)}, seen_by(), runs, delta);
  EXPECT_LE(honest, epsilon);
  EXPECT_GE(honest, least * epsilon);
  training = halved(training, one_step(epsilon, delta));
  EXPECT_GT(audited_epsilon({tuned_training(plan)}, seen_by(), runs, delta), epsilon);
}

TEST(ChoiceAuditLong, HalfOfTheNoiseOfATunedRunIsFound) { audit_tuning(20000, 0.55); }

/// `seen_by` makes what is looked at from the plan, whose noise changes.
template <typename SeenBy>
void expect_half_of_the_noise_found(ChoicePlan& plan, const SeenBy& seen_by, double least) {
  constexpr std::int64_t runs = 12000;
  const double honest = audited_epsilon(game_of(plan), seen_by(), runs, delta);
  EXPECT_LE(honest, epsilon);
  EXPECT_GE(honest, least * epsilon);
  for (auto& contender : plan.contenders) {
    contender.training = halved(contender.training, one_step(epsilon, delta));
  }
  EXPECT_GT(audited_epsilon(game_of(plan), seen_by(), runs, delta), epsilon);
}

// Eight models of one block, each with the noise of an eighth of mu^2: their sum tells what all of
// them do.
TEST(ChoiceAuditLong, HalfOfTheNoiseOfRadiiIsFound) {
  auto options = one_step(epsilon, delta);
  options.set("radius", "auto");
  auto plan = resolve_radius_search(line(40), options);
  const auto seen_by = [&] {
    const auto scale = scale_of(plan.contenders[0].training, plan.sizes[0]);
    const double least = 8 * scale.centre - 2.2 * std::sqrt(8.0) * scale.stddev;
    return [least](const std::vector<double>& models) {
      double sum = 0;
      for (std::size_t i = 0; i + 1 < models.size(); ++i) sum += models[i];
      return sum < least;
    };
  };
  expect_half_of_the_noise_found(plan, seen_by, 0.4);
}

// The turned record is in one block or another: the lowest model is looked at.
TEST(ChoiceAuditLong, HalfOfTheNoiseOfBoostedRunsIsFound) {
  auto options = one_step(epsilon, delta);
  options.set("boost", 0.5);
  auto plan = resolve_boosting(line(40), options);
  ASSERT_EQ(plan.contenders.size(), 2U);
  const auto seen_by = [&] {
    const auto scale = scale_of(plan.contenders[0].training, plan.sizes[0]);
    const double least = scale.centre - 2.4 * scale.stddev;
    return [least](const std::vector<double>& models) {
      return std::min(models[0], models[1]) < least;
    };
  };
  expect_half_of_the_noise_found(plan, seen_by, 0.1);
}

/// Runs that come to the same model whatever they read: the choice alone depends on records.
void fix_models(ChoicePlan& plan, double first, double others) {
  for (auto& contender : plan.contenders) {
    const double weight = &contender == plan.contenders.data() ? first : others;
    contender.training.run = [run = contender.training.run, weight,
                              once = std::make_shared<std::optional<learn::TrainedModel>>()](
                                 const data::Dataset& block, const data::Schema& schema,
                                 const learn::TrainingContext& context) {
      if (!*once) *once = run(block, schema, context);
      auto trained = **once;
      trained.model.coefficients[0] = weight;
      return trained;
    };
  }
}

void audit_choice(ChoicePlan plan, double stated, double least) {
  constexpr std::int64_t runs = 12000;
  constexpr double none = 1e-6;
  const auto wrong = [](const std::vector<double>& models) { return models.back() < 0; };
  fix_models(plan, 4, -4);
  const double honest = audited_epsilon(game_of(plan), wrong, runs, none);
  EXPECT_LE(honest, stated);
  EXPECT_GE(honest, least * stated);
  plan.selection_epsilon *= 2;
  EXPECT_GT(audited_epsilon(game_of(plan), wrong, runs, none), stated);
}

// A record of the two that choose: the right model has it right, wrong ones wrong.
TEST(ChoiceAuditLong, HalfOfTheNoiseOfTheChoiceIsFound) {
  auto searched = one_step(4, 1e-6);
  searched.set("radius", "auto");
  auto search = resolve_radius_search(line(7), searched);
  search.zero.reset();  // between right and wrong
  audit_choice(std::move(search), 4, 0.3);
  auto boosted = one_step(3, 1e-6);
  boosted.set("boost", 0.5);
  audit_choice(resolve_boosting(line(8), boosted), 3, 0.4);
}

}  // namespace choice_audit_test
}  // namespace tacet::choose
