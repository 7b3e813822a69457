#include "tacet/learn/words/vocabulary_choice.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/optimize/sums/presence_sum.h"

namespace tacet::learn {
namespace {

// Beside the release's own keystream block, which is number 0 of the step.
constexpr std::uint64_t vocabulary_draws_block = 1;

/// Without noise: of words that as many units hold the first by name.
std::vector<mechanism::NoisyThing> open_words(const data::OpenCorpus& texts,
                                              const optimize::WordPresenceRule& rule) {
  const auto counts = optimize::open_word_presence(texts, rule);
  std::vector<mechanism::NoisyThing> words;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    words.push_back({texts.words[k], static_cast<double>(counts[k]) /
                                         static_cast<double>(optimize::presence_norm)});
  }
  std::ranges::sort(words, [](const auto& a, const auto& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  return words;
}

data::Vocabulary listed(std::vector<mechanism::NoisyThing> words, std::int64_t max) {
  if (std::ssize(words) > max) words.resize(static_cast<std::size_t>(max));
  if (words.size() < 2) {
    throw base::DataError(
        "the vocabulary that was released has {} words, and vectors need two; all of epsilon is "
        "booked as spent. Ask for it with a larger `vocabulary_epsilon` or from more texts, or "
        "give a public list (`vocabulary`)",
        words.size());
  }
  std::vector<std::string> names;
  std::vector<std::int64_t> counts;
  for (auto& word : words) {
    names.push_back(std::move(word.name));
    counts.push_back(std::max<std::int64_t>(1, std::llround(word.count)));
  }
  return data::Vocabulary(std::move(names), std::move(counts));
}

}  // namespace

data::Vocabulary choose_vocabulary(const VocabularyChoice& choice, data::OpenCorpus& texts,
                                   std::uint64_t step, privacy::Adjacency adjacency,
                                   const TrainingContext& context) {
  context.supervision.step("choosing words", 0, 1);
  const random::KeystreamBlock block(
      context.source.claim(random::Purpose::sampling, step, vocabulary_draws_block));
  random::KeystreamBlockReader reader(block);
  const optimize::WordPresenceRule rule{
      choice.max_words_per_unit, [&](std::int64_t unit) {
        std::uint64_t draws = 0;
        reader.words(static_cast<std::uint64_t>(unit), {&draws, 1});
        return draws;
      }};
  auto words = choice.noise > 0
                   ? listed(mechanism::select_partitions(
                                optimize::word_presence(texts, rule), choice.rule(), adjacency,
                                {{step, 0}, context.source, context.reservation})
                                .value(),
                            choice.max_words)
                   : listed(open_words(texts, rule), choice.max_words);
  std::vector<std::int32_t> numbers;
  numbers.reserve(texts.words.size());
  for (const auto& word : texts.words) numbers.push_back(words.find(word));
  texts.corpus.renumber(numbers, texts.keep_unknown);
  context.supervision.step("choosing words", 1, 1);
  return words;
}

}  // namespace tacet::learn
