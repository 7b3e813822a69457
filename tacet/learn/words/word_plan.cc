#include "tacet/learn/words/word_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/calibrate.h"
#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/words/word_claim.h"
#include "tacet/learn/words/word_selection.h"
#include "tacet/random/choose/subset.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

constexpr double usual_epochs = 10;
constexpr std::int64_t usual_word_steps = 50;
// Without noise small samples and many steps learn most from an epoch; the size of a step is
// word2vec's for a pair, and falls to 0 as there.
constexpr std::int64_t unprotected_steps = 5000;
constexpr double unprotected_rate = 0.05;
constexpr std::int64_t usual_pairs = 16;
constexpr std::int64_t default_words_per_unit = 8;
// What the noise of all steps together may come to in each number, where rows have norm 1, and the
// longest way and step that make sense; found on Shakespeare's plays.
constexpr double usual_noise = 0.07;
constexpr double longest_way = 20;
constexpr double longest_step = 0.3;

void refuse(const WordOptions& options) {
  if (options.delta == 0.0) {
    throw base::GuaranteeError(
        "delta = 0 asks for pure privacy, which the Gaussian noise of word vectors cannot give; "
        "choose 0 < delta < 1");
  }
  if (!options.public_row_count) {
    throw base::UsageError(
        "`public_row_count` is missing: the number of units, or a public guess of it, determines "
        "noise and steps, and tacet never uses the true number; declare it with "
        "`public_row_count`");
  }
  if (options.steps && options.epochs) {
    throw base::UsageError("steps and epochs say the same; give one of them");
  }
  if (!options.select_vocabulary && (options.vocabulary_epsilon || options.max_words_per_unit)) {
    throw base::UsageError(
        "`vocabulary_epsilon` and `max_words_per_unit` are of words that are found in the texts; "
        "add `select_vocabulary`, or leave them out");
  }
  if (options.vocabulary_epsilon && std::isinf(options.epsilon)) {
    throw base::UsageError(
        "epsilon inf finds words without noise, and `vocabulary_epsilon` prices it; leave it out");
  }
  if (options.select_vocabulary && options.pairs_as_units) {
    throw base::UsageError(
        "words are counted by the texts that hold them, and pairs-as-units protects pairs, which "
        "are found by their words; give a public list");
  }
  if (options.by_frequency && options.tables == 1) {
    throw base::UsageError(
        "`vocabulary_order` frequency starts biases, and `tables=1` has none; leave one of them "
        "out");
  }
}

void resolve_examples(WordPlan& plan, const data::Vocabulary& vocabulary,
                      const WordOptions& options) {
  auto& rule = plan.examples;
  rule = options.examples;
  const bool single = options.pairs_as_units || rule.form == data::ExampleForm::listed;
  rule.max_examples_per_unit = options.max_pairs_per_unit.value_or(single ? 1 : usual_pairs);
  if (options.pairs_as_units) {
    rule.unit = data::ExampleUnit::pair;
    rule.window_kind = data::WindowKind::fixed;
  }
  if (options.sample) rule.keep = data::keep_thresholds(vocabulary, *options.sample);
  rule.validate(vocabulary);
  plan.negatives_by_count = options.negatives_by_count;
  if (plan.negatives_by_count) data::expect_counts(vocabulary, "`negatives_by_count`");
}

void resolve_shape(WordPlan& plan, const data::Vocabulary& vocabulary, const WordOptions& options) {
  plan.shape = {.words = vocabulary.size(),
                .dimensions = options.dimensions,
                .tables = options.tables,
                .bias = options.tables == 2};
  plan.shape.validate();
  // Words that were found are in the order of their noisy counts.
  plan.start = {
      .law = options.tables == 2 ? model::WordStart::Law::unit : model::WordStart::Law::small,
      .seed = options.start_seed,
      .negatives = options.examples.negatives,
      .by_frequency = options.tables == 2 && (options.by_frequency || options.select_vocabulary)};
}

void resolve_steps(WordPlan& plan, const WordOptions& options) {
  const auto units = *options.public_row_count;
  plan.public_row_count = units;
  const double epochs = options.epochs.value_or(usual_epochs);
  const auto steps = std::isinf(options.epsilon) ? unprotected_steps : usual_word_steps;
  const double usual = std::ceil(epochs * base::to_double(units) / base::to_double(steps));
  plan.batch = options.batch_size.value_or(std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::min(usual, base::to_double(units)))));
  if (plan.batch > units) {
    throw base::UsageError("`batch_size` must be 1 to the {} units, got {}", units, plan.batch);
  }
  plan.rate =
      random::PoissonRate::at_least(base::to_double(plan.batch) / base::to_double(units)).value();
  plan.steps = options.steps.value_or(std::max<std::int64_t>(
      1, std::llround(epochs * base::to_double(units) / base::to_double(plan.batch))));
  if (!options.batch_size) {
    plan.reasons.add("{} units a step: {}; {} steps make {:g} epochs", plan.batch,
                     std::isinf(options.epsilon) ? "without noise many small steps learn most"
                                                 : "larger samples need less noise in all",
                     plan.steps, epochs);
  }
}

// Words are found before anything else: at an epsilon of their own and half of delta, half of which
// pays for words that one unit alone has.
void resolve_vocabulary(WordPlan& plan, const WordOptions& options, double delta) {
  if (!options.select_vocabulary) return;
  auto& choice = plan.vocabulary.emplace();
  choice.max_words = *options.select_vocabulary;
  choice.max_words_per_unit = options.max_words_per_unit.value_or(default_words_per_unit);
  if (std::isinf(options.epsilon)) return;
  const double epsilon = options.vocabulary_epsilon.value_or(options.epsilon / 4);
  if (epsilon >= options.epsilon) {
    throw base::UsageError(
        "`vocabulary_epsilon` must be below epsilon, of which it is a part, got {}", epsilon);
  }
  choice.delta = delta / 4;
  const auto event = [&](double noise) {
    choice.noise = noise;
    return mechanism::partition_selection_event(choice.rule(), options.adjacency);
  };
  choice.noise = accounting::min_noise(
      event, {privacy::Epsilon(epsilon), privacy::Delta(delta / 2), options.adjacency});
  check_count_noise(
      choice.noise, "times what a unit counts",
      "no word would be found; give a larger `vocabulary_epsilon` or epsilon, or a public list");
  plan.reasons.add(
      "vocabulary: at most {} words, of those that noisily {:.4g} units hold where each holds no "
      "other one; epsilon {:.4g} of it",
      choice.max_words, mechanism::partition_threshold(choice.rule()), epsilon);
}

void resolve_noise(WordPlan& plan, const WordOptions& options) {
  const auto keystream = random::max_block_words;
  // The sample, the random draws of its units, the choice, the noise; the first choice and its
  // random draws, and so for words.
  plan.prg_slack = random::prg_slack_of(
      4 * plan.steps + (plan.choice.chooses_first() ? 2 : 0) + (options.select_vocabulary ? 2 : 0),
      keystream);
  if (std::isinf(options.epsilon)) {
    plan.guarantee = {options.epsilon, 0, options.adjacency};
    resolve_vocabulary(plan, options, 0);
    return;
  }
  CommonOptions target;
  target.epsilon = options.epsilon;
  target.adjacency = options.adjacency;
  const double delta = options.delta.value_or(default_delta(plan.public_row_count));
  if (!options.delta) {
    plan.reasons.push_back(fmt::format("delta {:g}: the largest power of ten below 1/{}^1.1", delta,
                                       plan.public_row_count));
  }
  if (options.paper && resolve_published_noise(plan, options, delta)) return;
  const auto left = resolve_delta_left(plan, target, delta, plan.prg_slack);
  resolve_vocabulary(plan, options, left.value());
  plan.events = min_noise(
      [&](double whole) {
        split_noise(plan, options, whole);
        return releases(plan);
      },
      target, left);
  resolve_guarantee(plan, target, delta);
}

// A step size is stated as if all words were alike: then the gradient of a row is the whole
// gradient over the number of words. Rules that divide by the gradient's own size need no such
// unit.
double step_unit(const WordPlan& plan) {
  const auto kind = plan.optimizer.kind;
  const bool by_size = kind == RowOptimizerKind::sgd || kind == RowOptimizerKind::momentum;
  return by_size ? base::to_double(plan.shape.words) : 1;
}

void resolve_step_size(WordPlan& plan, const WordOptions& options) {
  plan.optimizer.kind = options.optimizer.value_or(RowOptimizerKind::sgd);
  const double words = base::to_double(plan.shape.words);
  if (options.step_size) {
    plan.optimizer.step_size = *options.step_size;
  } else if (plan.optimizer.kind == RowOptimizerKind::sgd && plan.unprotected()) {
    plan.optimizer.step_size = std::min(longest_step, unprotected_rate * plan.divisor() / words);
    plan.optimizer.fall = plan.steps;
    plan.reasons.add("step size {:.4g}: {:g} for each pair, falling to 0", plan.optimizer.step_size,
                     unprotected_rate);
  } else if (plan.optimizer.kind == RowOptimizerKind::sgd) {
    const double steps = base::to_double(plan.steps);
    double step = std::min(longest_step, longest_way / steps);
    // A step moves each number by step words / divisor times noise of noise times the norm.
    const double noise = words * plan.noise * plan.clipping_norm * std::sqrt(steps);
    if (noise > 0) step = std::min(step, usual_noise * plan.divisor() / noise);
    plan.optimizer.step_size = step;
    plan.reasons.push_back(fmt::format(
        "step size {:.4g}: the noise of all steps comes to {:.3g} in each number of a vector of "
        "norm 1",
        step, noise * step / plan.divisor()));
  } else {
    plan.optimizer.step_size = plan.optimizer.kind == RowOptimizerKind::momentum ? 0.01 : 0.05;
  }
  plan.optimizer.step_size *= step_unit(plan);
}

privacy::Event recorded_events(const privacy::Receipt& receipt, RecordedParameters& parameters,
                               const privacy::Event& /*own*/) {
  auto plan = read_plan<WordPlan>(receipt, parameters);
  check_sample(plan);
  if (plan.vocabulary && plan.shape.words > plan.vocabulary->max_words) {
    throw base::DataError("more words were found than were to be found");
  }
  resolve_recorded_choice(plan);
  return releases(plan);
}

constexpr std::array word_papers{Paper{Calibration::zhang2021}};
constexpr Method embed_method{
    .name = "embed",
    .help = "vectors of words",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::no_adjacency, UnitProtection::bounded},
    .sampling = full_batch_or_poisson,
    .recorded_events = recorded_events,
    .papers = word_papers,
};

// Noise on all rows is dense for every optimizer.
void resolve_dense_noise(WordPlan& plan) {
  if (plan.choice.kind != WordSelection::all || plan.unprotected()) return;
  const double rows = base::to_double(plan.shape.rows());
  const double draws = rows * base::to_double(plan.shape.width()) * base::to_double(plan.steps);
  constexpr double draws_per_second = 3e8;  // of one thread of a usual machine
  plan.reasons.add(
      "every number gets noise in every step, whatever the optimizer: {:.3g} draws, some {:.2g} s "
      "of a thread",
      draws, draws / draws_per_second);
  // Numbers that a touched row is drawn with (RowOptimizer::block_rows).
  const double block = std::max(1.0, 2048 / base::to_double(plan.shape.width()));
  plan.lazy =
      2 * base::to_double(plan.batch) * base::to_double(plan.max_rows_per_unit()) * block < rows;
}

// What the number of words decides beside the tables.
void resolve_by_words(WordPlan& plan, const WordOptions& options) {
  plan.early_reasons = plan.reasons.size();
  resolve_dense_noise(plan);
  resolve_thresholds(plan, options);
  resolve_step_size(plan, options);
  write_settings(plan);
}

}  // namespace

void list_settings(SettingList& list, WordPlan& plan) {
  static constexpr auto forms =
      base::names<data::ExampleForm>({{data::ExampleForm::skipgram, "skipgram"},
                                      {data::ExampleForm::cbow, "cbow"},
                                      {data::ExampleForm::listed, "pairs"}});
  constexpr auto units_name = "units_are";
  constexpr auto found_name = "vocabulary_words";
  using Rule = data::ExampleRule;
  list.look_ahead("sampling_rate", plan.rate, rate_range);
  list.sampling(plan.rate < 1 ? "poisson" : "full_batch");
  list.look_ahead("selection", plan.choice.kind, word_selection_names);
  const bool found = list.has(found_name, plan.vocabulary.has_value());
  // Bounds of scores follow from the tables, and from how many rows a unit touches.
  const bool scored = plan.choice.scores_sums();
  const auto bounds = scored ? Looking::confirms : Looking::assumes;
  const bool units = plan.privacy_unit != single_record;
  auto& rule = plan.examples;
  list.read_as(bounds, "model", rule.form, forms);
  list.read_as(scored || found ? Looking::confirms : Looking::assumes, "words", plan.shape.words,
               {.lowest = 2, .highest = 0x1p30});
  list.read_as(bounds, "dimensions", plan.shape.dimensions,
               {.lowest = 1, .highest = model::max_word_dimensions});
  list.read_as(bounds, "tables", plan.shape.tables, {.lowest = 1, .highest = 2});
  if (list.reads()) plan.shape.bias = plan.shape.tables == 2;
  if (rule.form != data::ExampleForm::listed) {
    const bool bags = scored && rule.form == data::ExampleForm::cbow;
    list.read_as(bags ? Looking::confirms : Looking::assumes, "window", rule.window,
                 {.lowest = 1, .highest = Rule::max_window});
  }
  list.read_as(bounds, "negatives", rule.negatives, {.lowest = 1, .highest = Rule::max_negatives});
  if (plan.negatives_by_count) list.note("negatives_by", "count^0.75");
  list.read_as(scored || units ? Looking::confirms : Looking::assumes, "max_pairs_per_unit",
               rule.max_examples_per_unit, {.lowest = 1, .highest = Rule::examples_per_unit_limit});
  // A guarantee for single pairs does not protect a text with many pairs.
  if (list.has(units_name, rule.unit == data::ExampleUnit::pair)) {
    list.follows(units_name, plan.privacy_unit, {.table = false, .json = false});
  }
  // What is counted of a unit are its pairs.
  list.follows(max_records_per_unit_name, rule.max_examples_per_unit,
               {.table = false, .json = false, .receipt = units});
  list_steps(list, plan, step_unit(plan));
  list.note("start_seed", static_cast<std::int64_t>(plan.start.seed), {.table = false});
  if (found && list.reads()) plan.vocabulary.emplace();
  if (found) {
    list.checked(found_name, plan.vocabulary->max_words, {.lowest = 2});
    list.checked("max_words_per_unit", plan.vocabulary->max_words_per_unit, at_least_1);
  }
  if (plan.unprotected()) return;
  if (found) {
    list.checked("vocabulary_noise_multiplier", plan.vocabulary->noise, above_0);
    list.checked("vocabulary_delta", plan.vocabulary->delta,
                 {.lowest = 0, .highest = 0x1.fffffffffffffp-2, .open = true}, {.table = false});
  }
  list.read_as(bounds, "clipping_norm", plan.clipping_norm, above_0);
  list_choice(list, plan.choice);
  list.checked("noise_multiplier", plan.noise, above_0);
  list.claim();
}

double WordPlan::divisor() const {
  return static_cast<double>(batch) * static_cast<double>(examples.max_examples_per_unit);
}

privacy::RowLayout WordPlan::layout() const {
  return privacy::RowLayout({{.rows = shape.rows(), .width = shape.width()}});
}

std::int64_t WordPlan::max_rows_per_unit() const {
  const std::int64_t bag =
      examples.form == data::ExampleForm::cbow ? 2 * examples.window : std::int64_t{1};
  return examples.max_examples_per_unit * (bag + 1 + examples.negatives);
}

const Method& words_method() { return embed_method; }

WordPlan plan_words(const data::Vocabulary& vocabulary, const std::string& unit,
                    const WordOptions& options) {
  refuse(options);
  WordPlan plan;
  plan.method = embed_method.name;
  plan.privacy_unit = unit;
  resolve_examples(plan, vocabulary, options);
  resolve_shape(plan, vocabulary, options);
  plan.clipping_norm = options.clipping_norm.value_or(
      std::sqrt(base::to_double(plan.examples.max_examples_per_unit)));
  resolve_steps(plan, options);
  plan.guarantee = {options.epsilon, 0, options.adjacency};
  resolve_choice(plan, options);
  resolve_noise(plan, options);
  resolve_by_words(plan, options);
  return plan;
}

data::Vocabulary words_to_be_found(const WordOptions& options) {
  std::vector<std::string> names;
  const auto count = static_cast<std::size_t>(options.select_vocabulary.value());
  for (std::size_t k = 0; k < count; ++k) names.push_back(fmt::format("{}", k));
  return data::Vocabulary(std::move(names), std::vector<std::int64_t>(count, 1));
}

WordPlan with_words(const WordPlan& booked, const data::Vocabulary& found,
                    const WordOptions& options) {
  auto plan = booked;
  plan.reasons.resize(booked.early_reasons);
  resolve_examples(plan, found, options);
  resolve_shape(plan, found, options);
  resolve_by_words(plan, options);
  if (!plan.unprotected() && !(releases(plan) == booked.events)) {
    throw base::InternalError("the words that were found change what is released");
  }
  return plan;
}

}  // namespace tacet::learn
