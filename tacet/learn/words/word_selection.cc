#include "tacet/learn/words/word_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/rows/word_threshold.h"
#include "tacet/optimize/sums/score_sum.h"

namespace tacet::learn {
namespace {

// Numbers that get noise in every step without anybody waiting for it.
constexpr double many_word_numbers = 0x1p24;
// The most numbers of a table that is held whole, so that every number gets noise.
constexpr double max_numbers = 0x1p31;
// The most numbers in the gradients of a step's units, if all of them are held at once.
constexpr double max_held = 0x1p30;
constexpr double usual_word_share = 0.1;
constexpr double usual_share_of_draws = 0.3;
// A draw at which a candidate at the bound weighs e as much as one of score 0. More of it costs
// much more than it finds.
constexpr double max_draw_epsilon = 2;

optimize::RowLimit limit_of(const WordPlan& plan) { return {.max_rows = plan.max_rows_per_unit()}; }

std::int64_t pool_of(const WordPlan& plan) {
  const auto layout = plan.layout();
  return plan.choice.granularity == optimize::Granularity::row ? layout.rows() : layout.cells();
}

double numbers_of(const WordPlan& plan) {
  return base::to_double(plan.shape.rows()) * base::to_double(plan.shape.width());
}

void resolve_kind(WordPlan& plan, const WordOptions& options) {
  auto& choice = plan.choice;
  const double numbers = numbers_of(plan);
  if (options.selection) {
    choice.kind = *options.selection;
  } else {
    const bool few = numbers <= many_word_numbers;
    choice.kind = few ? WordSelection::all : WordSelection::adafest;
    plan.reasons.add("selection {}: {:.4g} numbers are {} for noise in every step",
                     word_selection_names.of(choice.kind), numbers,
                     few ? "few enough" : "too many");
  }
  if (choice.kind == WordSelection::all && numbers > max_numbers) {
    throw base::UsageError(
        "selection all holds and noises {:.4g} numbers, more than the 2^31 that it is offered for; "
        "use `selection=adafest`, or fewer words or dimensions",
        numbers);
  }
}

void refuse_given(bool given, std::string_view option, std::string_view where,
                  const RowChoice& choice) {
  if (!given) return;
  throw base::UsageError("{} has no meaning with selection {}; it goes with {}",
                         base::parameter_name(option), word_selection_names.of(choice.kind), where);
}

// Options that say nothing about this kind of choice.
void refuse_meaningless(const RowChoice& choice, const WordOptions& options) {
  const bool at_random = choice.kind == WordSelection::uniform;
  const bool scores = choice.scores_sums();
  const bool counts = choice.counts_words() || choice.chooses_first();
  if (choice.kind == WordSelection::all && (options.selection_share || options.threshold)) {
    throw base::UsageError(
        "`selection_share` and threshold have no meaning where all rows are chosen; leave them "
        "out, or use `selection=adafest`");
  }
  refuse_given(options.selection_share && !scores && !counts, "selection-share",
               "selections that read records", choice);
  refuse_given(options.threshold && !counts && choice.kind != WordSelection::sparse_vector,
               "threshold", "adafest, fest and sparse_vector", choice);
  refuse_given(options.granularity && !scores && !at_random, "granularity",
               "exponential, permute_and_flip, sparse_vector and uniform", choice);
  refuse_given(options.score_bound && !scores, "score-bound",
               "exponential, permute_and_flip and sparse_vector", choice);
  refuse_given(options.selection_epsilon && !scores, "selection-epsilon",
               "exponential, permute_and_flip and sparse_vector", choice);
  refuse_given(options.selected &&
                   (choice.kind == WordSelection::all || choice.kind == WordSelection::adafest),
               "selected", "those that choose so many", choice);
  if (options.selected && options.threshold && choice.kind == WordSelection::fest) {
    throw base::UsageError(
        "fest chooses by a threshold, or so many (`selected`); give one of them");
  }
  if (options.selection_share && options.selection_epsilon) {
    throw base::UsageError(
        "`selection_share` and `selection_epsilon` say the same; give one of them");
  }
}

// Rules whose numbers go on moving in steps that did not choose them. Single numbers are chosen as
// in the paper, whose Adam does so.
void refuse_moving_rows(const WordPlan& plan, const WordOptions& options) {
  const auto& choice = plan.choice;
  const auto kind = options.optimizer.value_or(RowOptimizerKind::sgd);
  const bool moves =
      kind == RowOptimizerKind::momentum || kind == RowOptimizerKind::adam_dense_zero;
  const bool same_rows = choice.kind == WordSelection::all || choice.kind == WordSelection::fest ||
                         choice.kind == WordSelection::fixed;
  if (!moves || same_rows || plan.unprotected() ||
      choice.granularity == optimize::Granularity::coordinate) {
    return;
  }
  throw base::UsageError(
      "optimizer {} moves rows in steps that did not choose them, which undoes selection {}; use "
      "sgd, adagrad or adam, which keep numbers of chosen rows alone, or selection all, fest or "
      "fixed, whose rows are the same in every step",
      row_optimizer_names.of(kind), word_selection_names.of(choice.kind));
}

// What is booked must not depend on the number of words, where that is found first.
void refuse_counts_on_words(const RowChoice& choice, const WordOptions& options) {
  if (!options.select_vocabulary) return;
  const bool any =
      choice.kind == WordSelection::all || choice.counts_words() || choice.chooses_first();
  if (any && !options.selected) return;
  throw base::UsageError(
      "selection {} counts on a number of words that nobody knows before they are found; with "
      "`select_vocabulary` use all, or adafest, adafest_plus or fest by a threshold",
      word_selection_names.of(choice.kind));
}

void resolve_count(WordPlan& plan, const WordOptions& options) {
  auto& choice = plan.choice;
  const bool of_words = choice.chooses_first() || choice.kind == WordSelection::fixed;
  const std::int64_t pool = of_words ? plan.shape.words : pool_of(plan);
  if (options.selected && *options.selected > pool) {
    throw base::UsageError("selected must be 1 to the {} {} there are, got {}", pool,
                           of_words ? "words" : "rows or numbers", *options.selected);
  }
  if (choice.kind == WordSelection::fixed && !options.selected) {
    throw base::UsageError(
        "selection fixed moves the rows of the first words of the list; say how many with "
        "`selected`");
  }
  if (options.selected) {
    choice.count = *options.selected;
  } else if (choice.scores_sums() || choice.kind == WordSelection::uniform) {
    const bool rows = choice.granularity == optimize::Granularity::row;
    choice.count = std::max<std::int64_t>(1, pool / (rows ? 100 : 1000));
    plan.reasons.add("{} {} a step: {} of them", choice.count, rows ? "rows" : "numbers",
                     rows ? "a hundredth" : "a thousandth");
  }
}

void resolve_bounds(WordPlan& plan) {
  auto& choice = plan.choice;
  if (!choice.scores_sums()) return;
  choice.bounds = optimize::row_score_bounds(
      plan.layout(), limit_of(plan), {choice.granularity, plan.clipping_norm, choice.score_bound},
      plan.guarantee.adjacency);
}

void resolve_second_clip(WordPlan& plan, const WordOptions& options) {
  auto& choice = plan.choice;
  choice.second = options.second_clip;
  if ((choice.second == optimize::SecondClip::aggregate) != options.aggregate_norm.has_value()) {
    throw base::UsageError("`second_clip` aggregate and `aggregate_norm` go together; give both");
  }
  choice.aggregate = options.aggregate_norm.value_or(0);
  const double held = base::to_double(plan.batch) *
                      base::to_double(std::min(plan.max_rows_per_unit(), plan.shape.rows())) *
                      base::to_double(plan.shape.width());
  if (choice.holds_gradients() && held > max_held) {
    throw base::UsageError(
        "this choice holds the gradients of all units of a step, up to {:.3g} numbers, more than "
        "2^30; use a smaller `batch_size` or `max_pairs_per_unit`, or `selection=adafest`",
        held);
  }
}

// A step's sum costs about as much as the square root of this many times one release of all
// records.
double releases_worth(const WordPlan& plan) {
  return base::to_double(plan.steps) * plan.rate * plan.rate;
}

}  // namespace

void resolve_choice(WordPlan& plan, const WordOptions& options) {
  auto& choice = plan.choice;
  resolve_kind(plan, options);
  refuse_meaningless(choice, options);
  refuse_counts_on_words(choice, options);
  choice.granularity = options.granularity.value_or(optimize::Granularity::row);
  refuse_moving_rows(plan, options);
  resolve_count(plan, options);
  choice.score_bound = options.score_bound.value_or(plan.clipping_norm / 3);
  resolve_second_clip(plan, options);
  resolve_bounds(plan);
}

void split_noise(WordPlan& plan, const WordOptions& options, double whole) {
  auto& choice = plan.choice;
  const double share = options.selection_share.value_or(
      choice.kind == WordSelection::permute_and_flip || choice.kind == WordSelection::sparse_vector
          ? usual_share_of_draws
          : usual_word_share);
  split_noise(plan, share, whole);
  const double count = base::to_double(std::max<std::int64_t>(choice.count, 1));
  if (choice.chooses_first()) {
    choice.first_noise = whole / std::sqrt(releases_worth(plan) * share / (1 - share));
    // k draws are k epsilon^2 / 8 of zero-concentrated privacy, a sum 1 / (2 noise^2).
    choice.first_epsilon = 2 / (choice.first_noise * std::sqrt(count));
  }
  if (!choice.scores_sums()) return;
  if (options.selection_epsilon) {
    choice.epsilon = *options.selection_epsilon;
  } else if (choice.kind == WordSelection::exponential) {
    choice.epsilon = std::min(max_draw_epsilon, max_draw_epsilon / whole);
  } else {
    plan.noise = whole / std::sqrt(1 - share);
    const double each = std::sqrt(share / count) / whole;  // epsilon^2 / 2 of each
    choice.epsilon = choice.kind == WordSelection::permute_and_flip ? each : each * count;
  }
}

void resolve_thresholds(WordPlan& plan, const WordOptions& options) {
  auto& choice = plan.choice;
  if (plan.unprotected()) return;
  ThresholdFacts facts{
      .units = base::to_double(plan.batch),
      .max_words_per_unit = std::min(base::to_double(plan.shape.words),
                                     2 * base::to_double(plan.examples.max_examples_per_unit)),
      .words = base::to_double(plan.shape.words)};
  if (choice.chooses_first() && choice.count == 0) {
    auto all = facts;
    all.noise = choice.first_noise;
    all.units = base::to_double(plan.public_row_count);
    choice.first_threshold = usual_threshold(all);
    if (choice.kind == WordSelection::fest && options.threshold) {
      choice.first_threshold = *options.threshold;
    }
  }
  if (choice.counts_words()) {
    facts.noise = choice.noise;
    choice.threshold = options.threshold.value_or(usual_threshold(facts));
    if (options.threshold) return;
    plan.reasons.add(
        "threshold {:.4g}: were words distributed by Zipf's law, at most one in 2,000 of those "
        "chosen would be so by noise alone",
        choice.threshold);
  }
  if (choice.kind == WordSelection::sparse_vector) {
    // The comparisons' share of the epsilon between two draws of the threshold
    // (SparseVectorOptions::threshold_share).
    const double share = 1 / (1 + std::pow(2.0, -2.0 / 3));
    const double count = base::to_double(choice.count);
    const double unit = choice.score_bound / base::to_double(choice.bounds->score_bound);
    const double scale =
        2 * base::to_double(choice.bounds->sensitivity) * unit * count / (share * choice.epsilon);
    choice.threshold = options.threshold.value_or(
        scale * std::log(std::max(1.0, 5 * base::to_double(pool_of(plan)) / count)));
    if (options.threshold) return;
    plan.reasons.add(
        "threshold {:.4g}: untouched ones reach it by the noise of comparisons about "
        "a tenth as often as {} are chosen",
        choice.threshold, choice.count);
  }
}

privacy::Event releases(const WordPlan& plan) {
  std::vector<privacy::Event> parts;
  if (plan.vocabulary) {
    parts.push_back(
        mechanism::partition_selection_event(plan.vocabulary->rule(), plan.guarantee.adjacency));
  }
  if (auto first = first_choice_event(plan.choice, plan.guarantee.adjacency)) {
    parts.push_back(std::move(*first));
  }
  auto steps = step_releases(plan);
  if (parts.empty()) return steps;
  parts.push_back(std::move(steps));
  return privacy::Composed{std::move(parts)};
}

void list_choice(SettingList& list, RowChoice& choice) {
  constexpr SettingRange of_rows{.lowest = 1, .highest = 0x1p40};
  list.checked("selection", choice.kind, word_selection_names);
  const bool scored = choice.scores_sums();
  const bool cells = choice.granularity == optimize::Granularity::coordinate;
  if (scored && list.has("granularity", cells)) {
    list.checked("granularity", choice.granularity, granularity_names);
  } else if (cells) {
    list.note("granularity", granularity_names.of(choice.granularity));
  }
  const bool counted = list.has("selected", choice.count > 0);
  if (scored || (choice.chooses_first() && counted)) {
    list.checked("selected", choice.count, of_rows);
  } else if (counted) {
    list.note("selected", choice.count);
  }
  if (choice.chooses_first() && !counted) {
    list.note("first_threshold", choice.first_threshold);
    list.checked("first_noise_multiplier", choice.first_noise, above_0);
  } else if (choice.chooses_first()) {
    list.checked("first_epsilon", choice.first_epsilon, above_0);
  }
  if (choice.counts_words() || choice.kind == WordSelection::sparse_vector) {
    list.note("threshold", choice.threshold);
  }
  if (choice.counts_words()) list.checked("selection_noise_multiplier", choice.noise, above_0);
  if (scored) {
    list.checked("score_bound", choice.score_bound, above_0);
    list.checked("selection_epsilon", choice.epsilon, above_0);
  }
  if (choice.second != optimize::SecondClip::masked) {
    list.note("second_clip", second_clip_names.of(choice.second));
  }
  if (choice.aggregate > 0) list.note("aggregate_norm", choice.aggregate);
}

void resolve_recorded_choice(WordPlan& plan) {
  if (!plan.choice.scores_sums()) return;
  if (plan.choice.count > pool_of(plan)) throw base::DataError("selected is out of range");
  resolve_bounds(plan);
}

}  // namespace tacet::learn
