// Vectors of a whole vocabulary whose public order is known: the loss of test pairs, and the share
// of rows that a step noises. One run; its settings are those of `tacet embed` by its own rule.
//
//     word_rows_bench FOLDER SELECTION SEED
//
// FOLDER holds vocabulary.txt, pairs.txt (target and context a line) and test.txt (with negatives).

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "bench/common/word_losses.h"
#include "tacet/base/error.h"
#include "tacet/learn/words/word_training.h"
#include "tacet/privacy/trusting_budget.h"

namespace {

using namespace tacet;

void run(const std::string& folder, const std::string& selection, const std::string& seed) {
  const auto vocabulary = data::read_vocabulary(folder + "/vocabulary.txt");
  const data::CorpusOptions reading{.keep_unknown = true};
  const auto corpus = data::read_corpus(folder + "/pairs.txt", vocabulary, reading);
  const auto test = data::read_corpus(folder + "/test.txt", vocabulary, reading);
  const auto plan = learn::plan_words(vocabulary, "record",
                                      learn::word_options({{"epsilon", "5.33"},
                                                           {"delta", "1e-6"},
                                                           {"public-row-count", "800000"},
                                                           {"model", "pairs"},
                                                           {"negatives", "8"},
                                                           {"vocabulary-order", "frequency"},
                                                           {"selection", selection}}));
  random::SeededSource source(std::strtoull(seed.c_str(), nullptr, 10));
  base::ThreadPool pool(1);
  privacy::TrustingBudget budget(plan.guarantee);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  double noised = 0;
  const auto trained = learn::train_words(
      corpus, vocabulary, plan, {.source = source, .reservation = reservation, .threads = pool},
      [&](std::int64_t steps, const learn::RowOptimizer& rows) {
        const auto& table = rows.table();
        std::vector<float> room(rows.room_size());
        for (const auto row : table.stored_rows()) {
          noised += table.read(row, room).last_step == steps ? 1 : 0;
        }
      });
  const double share =
      noised / static_cast<double>(plan.steps) / static_cast<double>(plan.shape.rows());
  bench::WordLosses losses(test, plan.shape);
  fmt::print(
      "{{\"selection\": \"{}\", \"seed\": {}, \"epsilon\": {:.5f}, \"loss\": {:.5f}, "
      "\"share_of_rows_noised\": {:.5f}}}\n",
      selection, seed, plan.guarantee.epsilon, losses.mean(trained.rows), share);
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count != 4) throw base::UsageError("word_rows_bench FOLDER SELECTION SEED");
    run(words[1], words[2], words[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
