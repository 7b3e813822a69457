#include "tacet/optimize/sums/word_presence.h"

#include <cstddef>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/words/random_draws.h"
#include "tacet/optimize/sums/clip.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

/// The different words of units, in the order in which the unit itself names them: numbers of words
/// depend on everybody's texts, and what a unit's random draws choose must not.
class DifferentWords {
 public:
  explicit DifferentWords(const data::OpenCorpus& texts)
      : corpus_(texts.corpus), seen_by_(texts.words.size(), -1) {}

  std::vector<std::int32_t>& of(std::int64_t unit) {
    words_.clear();
    corpus_.visit_unit(unit, [&](std::int64_t record) {
      for (const auto word : corpus_.record(record)) {
        if (word == data::Vocabulary::unknown) continue;
        if (std::exchange(seen_by_[static_cast<std::size_t>(word)], unit) != unit) {
          words_.push_back(word);
        }
      }
    });
    return words_;
  }

 private:
  const data::Corpus& corpus_;
  std::vector<std::int64_t> seen_by_;  // the last unit that has the word
  std::vector<std::int32_t> words_;
};

}  // namespace

std::vector<std::int64_t> open_word_presence(const data::OpenCorpus& texts,
                                             const WordPresenceRule& rule) {
  if (rule.max_per_unit < 1 || rule.max_per_unit > (std::int64_t{1} << 20)) {
    throw base::UsageError("words per unit must be 1 to 2^20, got {}", rule.max_per_unit);
  }
  const auto most = static_cast<std::size_t>(rule.max_per_unit);
  std::vector<std::int64_t> counts(texts.words.size(), 0);
  DifferentWords different(texts);
  for (std::int64_t unit = 0; unit < texts.corpus.unit_count(); ++unit) {
    auto& words = different.of(unit);
    if (words.size() > most) {
      // The first places of a random order (Fisher, Yates; Knuth 1997, 3.4.2 P).
      data::RandomDraws draws(rule.draws(unit));
      for (std::size_t i = 0; i < most; ++i) {
        std::swap(words[i], words[i + draws.below(words.size() - i)]);
      }
      words.resize(most);
    }
    const auto each = scalar_bound(presence_norm, static_cast<std::int64_t>(words.size()));
    for (const auto word : words) counts[static_cast<std::size_t>(word)] += each;
  }
  return counts;
}

privacy::PartitionCounts word_presence(const data::OpenCorpus& texts,
                                       const WordPresenceRule& rule) {
  return privacy::PartitionCounts::from_certified(privacy::Certifier::clipped(), texts.words,
                                                  open_word_presence(texts, rule), presence_norm,
                                                  rule.max_per_unit);
}

}  // namespace tacet::optimize
