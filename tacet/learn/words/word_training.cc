#include "tacet/learn/words/word_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/data/words/unit_examples.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/rows/open_row_sum.h"
#include "tacet/learn/words/word_selection.h"
#include "tacet/mechanism/noise/lazy_rows.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/mechanism/sample_permit.h"
#include "tacet/model/words/word_pairs.h"
#include "tacet/optimize/sums/row_sum.h"
#include "tacet/optimize/sums/running_row_sum.h"

namespace tacet::learn {
namespace {

// Limits of what is held for steps that are put off: how many steps, and how many numbers of the
// rows that they touched.
constexpr std::int64_t max_deferred_steps = 256;
constexpr std::size_t max_deferred_numbers = std::size_t{1} << 22;

// Beside the keystream block of the sample, which is number 0 of a step.
constexpr std::uint64_t draws_block = 1;

std::size_t as_size(std::int64_t number) { return static_cast<std::size_t>(number); }

/// What one thread needs to evaluate units.
class UnitReader {
 public:
  UnitReader(const WordPlan& plan, const data::UnitExamples& examples)
      : drawer_(examples), pairs_(plan.shape), gradient_(as_size(plan.shape.width())) {}

  /// The words that the unit's pairs are about: those they were drawn against say nothing of it.
  void touch(std::int64_t unit, std::uint64_t draws, optimize::RowArena& touched) {
    draw(unit, draws);
    for (std::size_t k = 0; k < list_.size(); ++k) {
      for (const auto word : list_[k].bag) touched.touch(word);
      touched.touch(list_[k].context);
    }
  }

  /// The rows of the unit's pairs, one may come several times.
  void list_rows(std::int64_t unit, std::uint64_t draws, std::vector<std::int64_t>& rows) {
    draw(unit, draws);
    for (std::size_t k = 0; k < list_.size(); ++k) {
      const auto touched = pairs_.begin(list_[k]);
      rows.insert(rows.end(), touched.begin(), touched.end());
    }
  }

  /// The sum of the gradients of the unit's pairs, on the rows that `needed` holds for.
  template <typename Needed>
  void add_gradient(std::int64_t unit, std::uint64_t draws, const RowOptimizer& rows,
                    optimize::RowArena& gradient, const Needed& needed) {
    draw(unit, draws);
    for (std::size_t k = 0; k < list_.size(); ++k) {
      const auto touched = pairs_.begin(list_[k]);
      read_rows(touched, rows);
      pairs_.evaluate(pointers_);
      for (std::size_t i = 0; i < touched.size(); ++i) {
        if (!needed(touched[i])) continue;
        pairs_.write_row(i, gradient_);
        const auto sum = gradient.row(touched[i]);
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += static_cast<double>(gradient_[j]);
      }
    }
  }

 private:
  void draw(std::int64_t unit, std::uint64_t draws) {
    list_.clear();
    drawer_.draw(unit, draws, list_);
  }

  void read_rows(std::span<const std::int64_t> touched, const RowOptimizer& rows) {
    const auto room = rows.room_size();
    if (room_.size() < room * touched.size()) room_.resize(room * touched.size());
    pointers_.clear();
    for (std::size_t k = 0; k < touched.size(); ++k) {
      pointers_.push_back(rows.read(touched[k], std::span(room_).subspan(k * room, room)).data());
    }
  }

  data::UnitExamples::Drawer drawer_;
  data::ExampleList list_;
  model::WordPairs<float> pairs_;
  std::vector<float> room_;
  std::vector<const float*> pointers_;
  std::vector<float> gradient_;
};

data::NegativeLaw negatives_of(const WordPlan& plan, const data::Vocabulary& vocabulary) {
  return plan.negatives_by_count ? data::NegativeLaw::by_counts(vocabulary)
                                 : data::NegativeLaw::uniform(vocabulary);
}

/// All steps of a run.
class WordSteps {
 public:
  WordSteps(const data::Corpus& corpus, const data::Vocabulary& vocabulary, const WordPlan& plan,
            const TrainingContext& context)
      : plan_(plan),
        context_(context),
        examples_(corpus, plan.examples, negatives_of(plan, vocabulary)),
        sum_(plan.layout(), limit(plan), context.threads),
        batch_(plan.layout(), limit(plan), context.threads),
        touched_(privacy::RowLayout({{.rows = plan.shape.words, .width = 1}}), limit(plan),
                 context.threads),
        record_(plan.layout(), limit(plan)),
        open_(plan.layout()),
        rows_(
            plan.layout(),
            [start = model::WordStartRows(plan.shape, plan.start)](
                std::int64_t row, std::span<float> out) { start.write(row, out.data()); },
            plan.choice.kind == WordSelection::all && !plan.unprotected()
                ? in_every_step(plan.optimizer)
                : plan.optimizer) {
    for (int i = 0; i < context.threads.size(); ++i) readers_.emplace_back(plan, examples_);
    phase_ = plan.unprotected() ? "training without privacy, pairs of words"
                                : fmt::format("training to epsilon {:.4g}, pairs of words expected",
                                              plan.guarantee.epsilon);
  }

  [[nodiscard]] RowOptimizer run(const StepWatcher& watch) {
    if (!plan_.unprotected()) choose_first();
    for (std::int64_t t = 0; t < plan_.steps; ++t) {
      tell(t);
      step(static_cast<std::uint64_t>(t));
      if (watch) rows_.catch_up();
      if (watch) watch(t + 1, rows_);
    }
    rows_.catch_up();
    tell(plan_.steps);
    return std::move(rows_);
  }

 private:
  static optimize::RowLimit limit(const WordPlan& plan) {
    return {.max_rows = plan.max_rows_per_unit()};
  }

  // How far it is, in expected pairs of words: how many a sample has is a secret.
  void tell(std::int64_t steps) const {
    constexpr double max = 9e18;
    const auto each = static_cast<std::int64_t>(
        std::min(plan_.divisor(), max / static_cast<double>(plan_.steps)));
    context_.supervision.step(phase_, steps * each, plan_.steps * each);
  }

  /// The units of a step and their random draws.
  struct Drawn {
    std::optional<privacy::DrawnSample> some;
    std::int64_t size;
    random::KeystreamBlock draws;

    [[nodiscard]] std::int64_t unit(std::int64_t i) const {
      return some ? some->rows()[as_size(i)] : i;
    }
    [[nodiscard]] privacy::Sample sample() const {
      return some ? some->sample() : privacy::Sample::all();
    }
  };

  [[nodiscard]] Drawn draw(std::uint64_t t) const {
    std::optional<privacy::DrawnSample> some;
    if (plan_.rate < 1) {
      some = privacy::DrawnSample::poisson(context_.source.claim(random::Purpose::sampling, t, 0),
                                           random::PoissonRate::at_least(plan_.rate),
                                           examples_.unit_count());
    }
    const auto size =
        some ? static_cast<std::int64_t>(some->rows().size()) : examples_.unit_count();
    return {
        std::move(some), size,
        random::KeystreamBlock(context_.source.claim(random::Purpose::sampling, t, draws_block))};
  }

  // body(worker, unit, its random draws) for each unit of the step.
  template <typename Body>
  void for_units(const Drawn& drawn, const Body& body) {
    constexpr std::int64_t block = 64;
    context_.threads.for_blocks(drawn.size, block,
                                [&](int worker, std::int64_t begin, std::int64_t end) {
                                  random::KeystreamBlockReader reader(drawn.draws);
                                  for (const bool place : {true, false}) {
                                    for (auto i = begin; i < end; ++i) {
                                      examples_.prefetch(drawn.unit(i), place);
                                    }
                                  }
                                  for (auto i = begin; i < end; ++i) {
                                    const auto unit = drawn.unit(i);
                                    std::uint64_t draws = 0;
                                    reader.words(static_cast<std::uint64_t>(unit), {&draws, 1});
                                    body(worker, unit, draws);
                                  }
                                });
  }

  void step(std::uint64_t t) {
    const auto drawn = draw(t);
    if (plan_.unprotected()) return step_unprotected(drawn);
    mechanism::SamplePermit permit(drawn.sample(), step_parts(plan_), context_.reservation);
    const mechanism::PermitContext release{{t, 0}, context_.source, permit};
    if (plan_.choice.kind == WordSelection::all && !plan_.choice.holds_gradients()) {
      return step_all(drawn, release);
    }
    const auto noisy =
        mechanism::release_rows(plan_.choice.holds_gradients() ? sum_of_held(drawn, release)
                                                               : sum_of_running(drawn, release),
                                privacy::NoiseMultiplier(plan_.noise), release);
    rows_.step(noisy.value(), plan_.divisor());
  }

  // All rows, whose noise is drawn a block at a time: now, or when a sample touches them.
  void step_all(const Drawn& drawn, const mechanism::PermitContext& release) {
    if (plan_.lazy) rows_.catch_up(rows_of(drawn));
    auto noisy = mechanism::release_rows_lazily(sum_of_running(drawn, release),
                                                privacy::NoiseMultiplier(plan_.noise), release)
                     .take();
    if (!plan_.lazy) return rows_.step(*noisy, plan_.divisor());
    rows_.defer(std::move(noisy), plan_.divisor());
    if (++deferred_ % max_deferred_steps == 0 || rows_.held() > max_deferred_numbers) {
      rows_.catch_up();
    }
  }

  // The rows that a sample's gradients read and touch.
  [[nodiscard]] std::vector<std::int64_t> rows_of(const Drawn& drawn) {
    std::vector<std::vector<std::int64_t>> found(readers_.size());
    for_units(drawn, [&](int worker, std::int64_t unit, std::uint64_t draws) {
      readers_[as_size(worker)].list_rows(unit, draws, found[as_size(worker)]);
    });
    for (std::size_t k = 1; k < found.size(); ++k) {
      found[0].insert(found[0].end(), found[k].begin(), found[k].end());
    }
    return std::move(found[0]);
  }

  // Rows first, then gradients on these alone.
  [[nodiscard]] privacy::RowSum sum_of_running(const Drawn& drawn,
                                               const mechanism::PermitContext& release) {
    sum_.start(drawn.sample(), choose(drawn, release), plan_.clipping_norm);
    const auto needed = [&](std::int64_t row) { return sum_.chosen(row); };
    for_units(drawn, [&](int worker, std::int64_t unit, std::uint64_t draws) {
      auto& arena = sum_.arena(worker);
      arena.start();
      readers_[as_size(worker)].add_gradient(unit, draws, rows_, arena, needed);
      sum_.finish(worker);
    });
    return sum_.take();
  }

  // Whole gradients first, from which rows may be chosen.
  [[nodiscard]] privacy::RowSum sum_of_held(const Drawn& drawn,
                                            const mechanism::PermitContext& release) {
    batch_.start(drawn.sample());
    for_units(drawn, [&](int worker, std::int64_t unit, std::uint64_t draws) {
      auto& arena = batch_.arena(worker);
      arena.start();
      readers_[as_size(worker)].add_gradient(unit, draws, rows_, arena,
                                             [](std::int64_t /*row*/) { return true; });
      arena.finish();
    });
    const auto chosen = plan_.choice.scores_sums()
                            ? choose_by_score(plan_.choice, batch_, plan_.clipping_norm, release)
                            : choose(drawn, release);
    return batch_.sum(chosen, {.clipping_norm = plan_.clipping_norm,
                               .second = plan_.choice.second,
                               .aggregate = plan_.choice.aggregate});
  }

  void count_words(const Drawn& drawn) {
    touched_.start(drawn.sample());
    for_units(drawn, [&](int worker, std::int64_t unit, std::uint64_t draws) {
      auto& arena = touched_.arena(worker);
      arena.start();
      readers_[as_size(worker)].touch(unit, draws, arena);
      arena.finish();
    });
  }

  // The words that are chosen once: by all units, or from the list.
  void choose_first() {
    const auto& choice = plan_.choice;
    if (choice.kind == WordSelection::fixed) {
      words_.resize(as_size(choice.count));
      std::iota(words_.begin(), words_.end(), 0);
    }
    if (!choice.chooses_first()) return;
    // Behind the addresses of all steps.
    const auto last = static_cast<std::uint64_t>(plan_.steps);
    count_words({std::nullopt, examples_.unit_count(),
                 random::KeystreamBlock(
                     context_.source.claim(random::Purpose::sampling, last, draws_block))});
    words_ =
        choose_first_words(choice, touched_, {{last, 0}, context_.source, context_.reservation},
                           plan_.guarantee.adjacency);
  }

  [[nodiscard]] privacy::RowSelection choose(const Drawn& drawn,
                                             const mechanism::PermitContext& release) {
    const auto& choice = plan_.choice;
    if (choice.kind == WordSelection::all) return privacy::RowSelection::all();
    if (choice.kind == WordSelection::uniform) {
      return choose_at_random(choice, plan_.layout(), release.address, release.source);
    }
    if (!choice.counts_words()) return rows_of_words(plan_.shape, words_);
    count_words(drawn);
    return rows_of_words(plan_.shape, choose_words(choice, touched_, words_, release));
  }

  // Neither clipped nor noised, on the rows that the sample touched; by one thread, since sums
  // without a grid depend on their order.
  void step_unprotected(const Drawn& drawn) {
    open_.start();
    random::KeystreamBlockReader reader(drawn.draws);
    for (std::int64_t i = 0; i < drawn.size; ++i) {
      std::uint64_t draws = 0;
      reader.words(static_cast<std::uint64_t>(drawn.unit(i)), {&draws, 1});
      record_.start();
      readers_[0].add_gradient(drawn.unit(i), draws, rows_, record_,
                               [](std::int64_t /*row*/) { return true; });
      record_.finish();
      open_.add(record_.record(0));
      record_.clear();
    }
    rows_.step(open_.take(), plan_.divisor());
  }

  const WordPlan& plan_;
  const TrainingContext& context_;
  data::UnitExamples examples_;
  optimize::RunningRowSum sum_;
  optimize::RowBatch batch_;    // where gradients are held
  optimize::RowBatch touched_;  // by which units touch which words
  optimize::RowArena record_;   // one unit's gradient, where nobody is protected
  OpenRowSum open_;
  RowOptimizer rows_;
  std::vector<UnitReader> readers_;
  std::string phase_;                // for who watches
  std::vector<std::int64_t> words_;  // chosen before training
  std::int64_t deferred_ = 0;        // steps that were put off, in all
};

}  // namespace

void check_unit_count(const data::Corpus& corpus, const WordPlan& plan,
                      const TrainingContext& context) {
  const bool is_public = plan.guarantee.adjacency != privacy::Adjacency::add_remove;
  // How many pairs a text has is its own affair.
  if (!is_public || plan.unprotected() || plan.examples.unit == data::ExampleUnit::pair) return;
  check_declared_count(corpus.unit_count(), plan.public_row_count, context.reservation, "units");
}

TrainedWords train_words(const data::Corpus& corpus, const data::Vocabulary& vocabulary,
                         const WordPlan& plan, const TrainingContext& context,
                         const StepWatcher& watch) {
  if (!plan.vocabulary) check_unit_count(corpus, plan, context);  // else before words are chosen
  WordSteps steps(corpus, vocabulary, plan, context);
  auto rows = steps.run(watch);
  if (!plan.unprotected()) return {std::move(rows), finished_receipt(plan, context)};
  auto receipt = receipt_of(plan);
  receipt.unprotected_reason = "trained with epsilon inf: no noise was added";
  return {std::move(rows), std::move(receipt)};
}

}  // namespace tacet::learn
