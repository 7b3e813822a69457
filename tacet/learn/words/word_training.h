#pragma once

#include <cstdint>
#include <functional>

#include "tacet/data/words/corpus.h"
#include "tacet/learn/plan/training.h"
#include "tacet/learn/rows/row_optimizer.h"
#include "tacet/learn/words/word_plan.h"
#include "tacet/privacy/receipt.h"

namespace tacet::learn {

struct TrainedWords {
  RowOptimizer rows;  ///< of the plan's layout, as after the last step
  privacy::Receipt receipt;
};

/// Sees the rows after each step: what was released, and nothing else.
using StepWatcher = std::function<void(std::int64_t steps, const RowOptimizer& rows)>;

/// Where the number of units is public, gives the reservation back and throws DataError when the
/// corpus has another one than was declared. train_words does so too, but words that are found in
/// the texts first are paid for before it.
void check_unit_count(const data::Corpus& corpus, const WordPlan& plan,
                      const TrainingContext& context);

/// Trains word vectors and commits the reservation (docs/methods/embed.md).
///
/// A step draws a secret Poisson sample of units; each gives at most so many pairs, chosen by its
/// own random draws, whose gradients are summed and clipped to the clipping norm on the chosen
/// rows. The choice of rows and the noisy sum are one debit (mechanism::SamplePermit). With one
/// seed the rows have the same bits for any number of threads.
[[nodiscard]] TrainedWords train_words(const data::Corpus& corpus,
                                       const data::Vocabulary& vocabulary, const WordPlan& plan,
                                       const TrainingContext& context,
                                       const StepWatcher& watch = nullptr);

}  // namespace tacet::learn
