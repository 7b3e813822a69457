#include "tacet/learn/wide/word_training.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tacet/data/words/unit_examples.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/mechanism/sample_permit.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/model/words/word_pairs.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/optimize/sums/row_sum.h"

namespace tacet::learn {
namespace {

// Numbers of a step's leaves beside the sample's, which has 0.
constexpr std::uint64_t coins_leaf = 1;
constexpr std::uint64_t noise_leaf = 0;

/// The gradients of units, written where one thread of a step writes.
class UnitGradients {
 public:
  UnitGradients(const WordPlan& plan, const data::UnitExamples& examples)
      : plan_(plan), drawer_(examples), pairs_(plan.shape) {}

  /// `touched` gets the words that pairs are about: what they were drawn against says nothing of
  /// the unit.
  void add(std::int64_t unit, std::uint64_t coins, const RowOptimizer& rows,
           optimize::RowArena& gradients, optimize::RowArena* touched) {
    list_.clear();
    drawer_.draw(unit, coins, list_);
    gradients.start();
    if (touched != nullptr) touched->start();
    for (std::size_t k = 0; k < list_.size(); ++k) {
      const auto example = list_[k];
      if (touched != nullptr) touch(example, *touched);
      add_example(example, rows, gradients);
    }
    gradients.finish();
    if (touched != nullptr) touched->finish();
  }

 private:
  static void touch(const data::WordExample& example, optimize::RowArena& touched) {
    for (const auto word : example.bag) touched.touch(word);
    touched.touch(example.context);
  }

  void add_example(const data::WordExample& example, const RowOptimizer& rows,
                   optimize::RowArena& gradients) {
    const auto touched = pairs_.begin(example);
    const auto room = rows.room_size();
    if (room_.size() < room * touched.size()) room_.resize(room * touched.size());
    pointers_.clear();
    for (std::size_t k = 0; k < touched.size(); ++k) {
      pointers_.push_back(rows.read(touched[k], std::span(room_).subspan(k * room, room)).data());
    }
    pairs_.evaluate(pointers_);
    gradient_.resize(static_cast<std::size_t>(plan_.shape.width()));
    for (std::size_t k = 0; k < touched.size(); ++k) {
      pairs_.write_row(k, gradient_);
      const auto sum = gradients.row(touched[k]);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += static_cast<double>(gradient_[j]);
    }
  }

  const WordPlan& plan_;
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
            const TrainingMeans& means)
      : plan_(plan),
        means_(means),
        examples_(corpus, plan.examples, negatives_of(plan, vocabulary)),
        gradients_(plan.layout(), {.most_rows = plan.rows_a_unit()}, means.threads, means.reducer),
        touched_(privacy::RowLayout({{.rows = plan.shape.words, .width = 1}}),
                 {.most_rows = plan.rows_a_unit()}, means.threads, means.reducer),
        rows_(
            plan.layout(),
            [start = model::WordStartRows(plan.shape, plan.start)](
                std::int64_t row, std::span<float> out) { start.write(row, out.data()); },
            plan.optimizer) {
    for (int i = 0; i < means.threads.size(); ++i) workers_.emplace_back(plan, examples_);
  }

  [[nodiscard]] RowOptimizer run() {
    for (std::int64_t t = 0; t < plan_.steps; ++t) {
      means_.supervision.step("training", t, plan_.steps);
      step(static_cast<std::uint64_t>(t));
    }
    means_.supervision.step("training", plan_.steps, plan_.steps);
    return std::move(rows_);
  }

 private:
  void step(std::uint64_t t) {
    const auto drawn = draw(t);
    const auto sample = drawn ? drawn->sample() : privacy::Sample::all();
    gradients_.start(sample);
    touched_.start(sample);
    evaluate(t, drawn);
    if (plan_.unprotected()) return step_unprotected();
    mechanism::SamplePermit permit(sample, parts(), means_.reservation);
    const mechanism::PermitMeans release{{t, noise_leaf}, means_.source, permit};
    const auto chosen = choose(release);
    const auto noisy = mechanism::release_rows(
        gradients_.sum(chosen, {.clipping_norm = plan_.clipping_norm, .second = plan_.second_clip}),
        privacy::NoiseMultiplier(plan_.noise), release);
    rows_.step(noisy.value(), plan_.divisor());
  }

  [[nodiscard]] std::optional<privacy::DrawnSample> draw(std::uint64_t t) const {
    if (plan_.rate == 1) return std::nullopt;
    return privacy::DrawnSample::poisson(means_.source.lease(random::Purpose::sampling, t, 0),
                                         random::PoissonRate::at_least(plan_.rate),
                                         examples_.unit_count());
  }

  void evaluate(std::uint64_t t, const std::optional<privacy::DrawnSample>& drawn) {
    const random::Leaf coins(means_.source.lease(random::Purpose::sampling, t, coins_leaf));
    const auto size =
        drawn ? static_cast<std::int64_t>(drawn->rows().size()) : examples_.unit_count();
    const bool choosing = plan_.selection != WordSelection::all && !plan_.unprotected();
    // Sums without a grid depend on their order: one thread then.
    const std::int64_t block = plan_.unprotected() ? std::max<std::int64_t>(1, size) : 64;
    means_.threads.for_blocks(size, block, [&](int worker, std::int64_t begin, std::int64_t end) {
      random::LeafReader reader(coins);
      for (auto i = begin; i < end; ++i) {
        const auto unit = drawn ? drawn->rows()[static_cast<std::size_t>(i)] : i;
        std::uint64_t word = 0;
        reader.words(static_cast<std::uint64_t>(unit), {&word, 1});
        workers_[static_cast<std::size_t>(worker)].add(
            unit, word, rows_, gradients_.arena(worker),
            choosing ? &touched_.arena(worker) : nullptr);
      }
    });
  }

  [[nodiscard]] std::vector<privacy::Event> parts() const {
    std::vector<privacy::Event> found;
    if (plan_.selection == WordSelection::adafest) {
      found.emplace_back(privacy::Gaussian{plan_.selection_noise});
    }
    found.emplace_back(privacy::Gaussian{plan_.noise});
    return found;
  }

  // Both rows of the words that noisily enough units touch.
  [[nodiscard]] privacy::RowSelection choose(const mechanism::PermitMeans& release) const {
    if (plan_.selection == WordSelection::all) return privacy::RowSelection::all();
    const auto threshold =
        std::ceil(plan_.threshold * static_cast<double>(optimize::presence_norm));
    const auto words = mechanism::release_crossings(touched_.presence(),
                                                    privacy::NoiseMultiplier(plan_.selection_noise),
                                                    static_cast<std::int64_t>(threshold), release);
    std::vector<std::int64_t> rows;
    for (const auto word : words.value()) {
      rows.push_back(plan_.shape.target_row(static_cast<std::int32_t>(word)));
      if (plan_.shape.tables == 2) {
        rows.push_back(plan_.shape.context_row(static_cast<std::int32_t>(word)));
      }
    }
    return privacy::RowSelection::rows(std::move(rows));
  }

  // Neither clipped nor noised, on the rows that the sample touched.
  void step_unprotected() {
    std::map<std::int64_t, std::vector<double>> sums;
    for (int worker = 0; worker < means_.threads.size(); ++worker) {
      const auto& arena = gradients_.arena(worker);
      for (std::int64_t i = 0; i < arena.size(); ++i) add_record(arena.record(i), sums);
    }
    std::vector<std::int64_t> chosen;
    std::vector<double> values;
    for (const auto& [row, sum] : sums) {
      chosen.push_back(row);
      values.insert(values.end(), sum.begin(), sum.end());
    }
    rows_.step({privacy::RowSelection::rows(std::move(chosen)), plan_.layout(), std::move(values)},
               plan_.divisor());
  }

  void add_record(const optimize::RowRecord& record,
                  std::map<std::int64_t, std::vector<double>>& sums) const {
    const auto width = static_cast<std::size_t>(plan_.shape.width());
    for (std::size_t k = 0; k < record.rows.size(); ++k) {
      auto& sum = sums[record.rows[k]];
      sum.resize(width);
      for (std::size_t j = 0; j < width; ++j) {
        sum[j] += std::ldexp(record.values[k * width + j], record.exponent);
      }
    }
  }

  const WordPlan& plan_;
  const TrainingMeans& means_;
  data::UnitExamples examples_;
  optimize::RowBatch gradients_;
  optimize::RowBatch touched_;
  RowOptimizer rows_;
  std::vector<UnitGradients> workers_;
};

}  // namespace

TrainedWords train_words(const data::Corpus& corpus, const data::Vocabulary& vocabulary,
                         const WordPlan& plan, const TrainingMeans& means) {
  WordSteps steps(corpus, vocabulary, plan, means);
  auto rows = steps.run();
  if (!plan.unprotected()) return {std::move(rows), finished_receipt(plan, plan.unit, means)};
  auto receipt = receipt_of(plan, plan.unit);
  receipt.unprotected_reason = "trained with epsilon inf: no noise was added";
  return {std::move(rows), std::move(receipt)};
}

}  // namespace tacet::learn
