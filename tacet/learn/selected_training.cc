#include "tacet/learn/selected_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/optimize/parts/local_parts.h"

namespace tacet::learn {
namespace {

// Different from the method's addresses, whose steps and tensors are few.
constexpr mechanism::NoiseAddress choice_address{.step = 0, .tensor = 8};
constexpr std::int64_t room_of_matrices = 4096;

struct Booked {
  const Method* method;
  ParameterValues asked;     // for the method, with its own epsilon
  PlanContext context;       // includes the release of the feature selection
  privacy::Event events;     // of the method
  std::int64_t max_columns;  // that are kept
  data::Schema expected;     // as if the columns for which it was planned had been selected

  [[nodiscard]] Training plan(const data::Schema& schema) const {
    return method->plan(schema, asked, context);
  }
  [[nodiscard]] double epsilon() const { return *asked.real("epsilon"); }
};

/// The schema as if the first `count` of its choosable columns were kept.
data::Schema with_first_columns(const data::Schema& schema, std::int64_t count) {
  data::Schema narrowed = schema;
  auto& kept = narrowed.selected_columns.emplace();
  for (const auto& [begin, end] : schema.choosable_columns()) {
    for (auto column = begin; column < end && std::ssize(kept) < count; ++column) {
      kept.push_back(column);
    }
  }
  return narrowed;
}

void refuse_choice(const CommonOptions& options) {
  const auto fail = [](std::string_view why) {
    throw base::UsageError("`feature_selection` is not possible here: {}", why);
  };
  if (options.delta == 0.0) {
    fail("Gaussian noise tells which columns occur, which is not pure; give a delta above 0");
  }
  if (options.paper()) fail("a paper's schedule knows its columns; leave `calibration` out");
}

/// How many columns the method has room for, and its plan for as many.
std::pair<std::int64_t, Training> widest(const Booked& booked, const data::Schema& schema) {
  const auto fixed = schema.full_column_count() - choosable_count(schema);
  const auto max = [&](std::int64_t room) {
    return std::max<std::int64_t>(1, std::min(choosable_count(schema), room - fixed));
  };
  try {
    return {max(max_kept), booked.plan(with_first_columns(schema, max(max_kept)))};
  } catch (const base::UsageError&) {
  } catch (const base::NumericError&) {
  }
  const auto count = max(room_of_matrices);
  return {count, booked.plan(with_first_columns(schema, count))};
}

double both_cost(const FirstRelease& first, const privacy::Event& own,
                 const CommonOptions& options) {
  return accounting::epsilon(privacy::Composed{{privacy::Gaussian{first.noise}, own}},
                             options.adjacency, privacy::Delta(first.delta_left));
}

/// Keeps the penalty that the method chose, for any number of columns.
void keep_penalty(Booked& booked, const Training& plan) {
  if (booked.asked.given("l2") || !reads(*booked.method, "l2")) return;
  for (const auto& setting : plan.settings) {
    const auto* value = std::get_if<double>(&setting.value);
    if (setting.name == "l2" && value != nullptr && *value > 0) booked.asked.set("l2", *value);
  }
}

/// The plan at an epsilon of its own, such that both releases are within the one asked for.
Training share_budget(Booked& booked, const data::Schema& expected, const CommonOptions& options,
                      double share) {
  const auto& first = *booked.context.first_release;
  const privacy::Delta left(first.delta_left);
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(options.epsilon), left);
  booked.asked.set("epsilon", accounting::gaussian::epsilon(mu * std::sqrt(1 - share), left));
  keep_penalty(booked, booked.plan(expected));
  constexpr int max_rounds = 38;
  for (int round = 0; round < max_rounds; ++round) {
    auto plan = booked.plan(expected);
    const double cost = both_cost(first, plan.events, options);
    // Raises the method's epsilon once if much is left, and lowers it as long as it is too large.
    if (cost <= options.epsilon && (round > 0 || cost > 0.99 * options.epsilon)) return plan;
    double next = booked.epsilon();
    next *= options.epsilon / cost * (1 - 0x1p-40 * std::exp2(round));
    booked.asked.set("epsilon", next);
  }
  throw base::GuaranteeError(
      "no share of epsilon {} was found at which method {} and the choice of columns stay within "
      "it",
      options.epsilon, options.method);
}

/// A release that followed the number of columns could not be booked before it is known.
void refuse_if_columns_matter(const Booked& booked, const data::Schema& schema) {
  for (const std::int64_t count :
       {std::int64_t{1}, std::int64_t{30}, std::int64_t{300}, expected_kept, booked.max_columns}) {
    const auto narrowed = with_first_columns(schema, std::min(count, booked.max_columns));
    if (booked.plan(narrowed).events == booked.events) continue;
    throw base::UsageError(
        "`feature_selection` is not possible here: how the releases of method {} share the budget "
        "follows from the number of columns, which is known only after they were booked; use "
        "`method=gradient` or regularized-output",
        booked.method->name);
  }
}

/// The plan for the selected columns; `narrowed` is their schema. At this point a part of the
/// booking is spent, and a run inside a private selection may not reveal anything of its own. So if
/// the method refuses these columns, or would release something else, it trains on the columns for
/// which it was planned, a public list.
Training replanned(const Booked& booked, data::Schema& narrowed) {
  try {
    auto training = booked.plan(narrowed);
    if (training.events == booked.events) return training;
  } catch (const base::Error&) {
  }
  narrowed = booked.expected;
  return booked.plan(narrowed);
}

TrainedModel train_on_selected_columns(const Booked& booked, optimize::PartSums& records,
                                       const data::Schema& schema, const TrainingContext& context) {
  const auto options = common_options(booked.asked);
  const auto rows = options.public_row_count.value_or(schema.public_row_count.value_or(0));
  if (rows > 0 && options.adjacency != privacy::Adjacency::add_remove) {
    // Before anything is spent.
    check_declared_count(records.rows(), rows, context.reservation);
  }
  auto narrowed = release_selected_columns(records, schema, booked.context.first_release->noise,
                                           context, choice_address);
  auto& kept = *narrowed.selected_columns;
  kept.resize(std::min(kept.size(), static_cast<std::size_t>(booked.max_columns)));
  const auto training = replanned(booked, narrowed);
  records.rewrite({narrowed, optimize::Rewriting::columns});
  if (const auto* here = records.here()) return training.run(*here, narrowed, context);
  return training.over_parts(records, narrowed, context);
}

void show_all_columns(Training& training, std::int64_t columns) {
  training.columns = columns;
  for (auto& setting : training.settings) {
    if (setting.name == "columns") setting.value = columns;
  }
}

}  // namespace

Training plan_on_selected_columns(const Method& method, const data::Schema& schema,
                                  const ParameterValues& asked, double share) {
  const auto options = common_options(asked);
  refuse_choice(options);
  Booked booked{.method = &method,
                .asked = asked,
                .context = {},
                .events = privacy::no_event(),
                .max_columns = 0,
                .expected = schema};
  booked.asked.erase("feature-selection");
  const auto [max_columns, wide] = widest(booked, schema);
  booked.max_columns = max_columns;
  const double delta = wide.guarantee.delta;
  FirstRelease first{.stddevs = feature_selection_threshold(schema)};
  // The plan for other columns may need a little more: a chain may have a few phases more or less.
  first.max_prg_slack = 64 * wide.prg_slack;
  first.prg_slack = kept_prg_slack(schema.encoded_column_count()) + first.max_prg_slack;
  const auto left = resolve_delta_left(wide, options, delta, first.prg_slack);
  first.delta_left = left.value();
  first.noise = full_batch_noise(1, privacy::Epsilon(options.epsilon), left, options.adjacency) /
                std::sqrt(share);
  check_kept_noise(first.noise);
  first.guarantee = {options.epsilon, delta, options.adjacency};
  booked.context.first_release = first;

  booked.expected = with_first_columns(schema, std::min(booked.max_columns, expected_kept));
  auto training = share_budget(booked, booked.expected, options, share);
  booked.events = training.events;

  training.events = privacy::Composed{{privacy::Gaussian{first.noise}, booked.events}};
  training.first.reset();
  resolve_guarantee(training, options, delta);
  booked.context.first_release->guarantee = training.guarantee;
  refuse_if_columns_matter(booked, schema);
  show_all_columns(training, schema.encoded_column_count());
  training.reasons.insert(
      training.reasons.begin(),
      fmt::format(
          "{:g} of the budget's mu^2 to find out which of {} columns occur often enough, at "
          "most {} of them; epsilon {:.4g} is left for the method, which is planned again "
          "for those: {} are expected",
          share, schema.encoded_column_count(), booked.max_columns, booked.epsilon(),
          std::min(booked.max_columns, expected_kept)));
  training.run_last = [booked](data::Dataset&& records, const data::Schema& read_by,
                               const TrainingContext& context) {
    optimize::LocalParts all(std::move(records), context.threads);
    return train_on_selected_columns(booked, all, read_by, context);
  };
  if (training.over_parts) {
    // One more round, which counts the columns that may be kept.
    training.part_rounds = {training.part_rounds.rounds + 1,
                            std::max(training.part_rounds.numbers, choosable_count(schema))};
    training.over_parts = [booked](optimize::PartSums& records, const data::Schema& read_by,
                                   const TrainingContext& context) {
      return train_on_selected_columns(booked, records, read_by, context);
    };
  }
  training.run = [booked = std::move(booked)](const data::Dataset& dataset,
                                              const data::Schema& read_by,
                                              const TrainingContext& context) {
    optimize::LocalParts all(dataset, context.threads);
    return train_on_selected_columns(booked, all, read_by, context);
  };
  return training;
}

}  // namespace tacet::learn
