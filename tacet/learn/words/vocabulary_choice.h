#pragma once

#include <cstdint>

#include "tacet/data/words/corpus.h"
#include "tacet/data/words/vocabulary.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/select/partition_selection.h"
#include "tacet/privacy/event.h"

namespace tacet::learn {

/// How the words that have vectors are found in private texts, before training
/// (docs/methods/vocabulary.md). It is chosen from public facts.
struct VocabularyChoice {
  std::int64_t max_words = 2;           ///< that are kept, the noisily most frequent ones
  std::int64_t max_words_per_unit = 1;  ///< different words that a unit counts in, at most
  double noise = 0;                     ///< noise multiplier; 0: none, nobody is protected
  double delta = 0;                     ///< of releasing a word that one unit alone has

  [[nodiscard]] mechanism::PartitionRule rule() const {
    return {privacy::NoiseMultiplier(noise), delta, max_words_per_unit};
  }
};

/// Finds the vocabulary in the texts and numbers their words by it: most frequent first, with noisy
/// counts of units (at least 1). `step` is an address that no other release has. DataError where
/// fewer than two words were found: what was released says so, and it is paid for.
[[nodiscard]] data::Vocabulary choose_vocabulary(const VocabularyChoice& choice,
                                                 data::OpenCorpus& texts, std::uint64_t step,
                                                 privacy::Adjacency adjacency,
                                                 const TrainingContext& context);

}  // namespace tacet::learn
