#include "tacet/audit/inserted.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "tacet/base/error.h"

namespace tacet::audit {
namespace {

std::int32_t other_word(std::int32_t words, data::RandomDraws& draws,
                        std::initializer_list<std::int32_t> taken) {
  for (;;) {
    const auto word = static_cast<std::int32_t>(draws.below(static_cast<std::uint64_t>(words)));
    if (std::ranges::find(taken, word) == taken.end()) return word;
  }
}

void expect_three(std::int32_t words) {
  if (words < 3) throw base::UsageError("phrases of three different words need three words");
}

}  // namespace

std::vector<Phrase> random_phrases(std::int64_t count, std::int32_t words,
                                   data::RandomDraws& draws) {
  expect_three(words);
  std::vector<Phrase> phrases;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto first = other_word(words, draws, {});
    const auto second = other_word(words, draws, {first});
    phrases.push_back({first, second, other_word(words, draws, {first, second})});
  }
  return phrases;
}

std::vector<Phrase> random_endings(const Phrase& phrase, std::int64_t count, std::int32_t words,
                                   data::RandomDraws& draws) {
  expect_three(words);
  std::vector<Phrase> phrases;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto second = other_word(words, draws, {phrase.first});
    phrases.push_back({phrase.first, second, other_word(words, draws, {phrase.first, second})});
  }
  return phrases;
}

void insert_phrase(data::Corpus& texts, const Phrase& phrase, std::int64_t copies,
                   std::int64_t times) {
  std::vector<std::int32_t> text;
  for (std::int64_t k = 0; k < times; ++k) {
    text.insert(text.end(), {phrase.first, phrase.second, phrase.third});
  }
  for (std::int64_t k = 0; k < copies; ++k) texts.append(text, 0);
}

ReleasedWords released_words(const learn::RowOptimizer& rows, const model::WordShape& shape) {
  ReleasedWords released{
      .dimensions = shape.dimensions, .targets = {}, .contexts = {}, .biases = {}};
  const auto width = static_cast<std::size_t>(shape.dimensions);
  std::vector<float> room(rows.room_size());
  const auto add = [&](std::int64_t row, std::vector<float>& out) {
    const auto numbers = rows.read(row, room);
    out.insert(out.end(), numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(width));
    return shape.bias ? static_cast<double>(numbers[width]) : 0.0;
  };
  for (std::int32_t word = 0; word < shape.words; ++word) {
    add(shape.target_row(word), released.targets);
    released.biases.push_back(add(shape.context_row(word), released.contexts));
  }
  return released;
}

Guesses guess(std::span<const double> surprises, const std::vector<bool>& inserted,
              std::int64_t made) {
  if (surprises.size() != inserted.size() || made < 0 || made > std::ssize(surprises)) {
    throw base::UsageError("{} guesses about {} canaries", made, surprises.size());
  }
  std::vector<std::size_t> order(surprises.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return surprises[k]; });
  const auto low = static_cast<std::size_t>((made + 1) / 2);
  const auto high = static_cast<std::size_t>(made / 2);
  Guesses guesses{std::ssize(surprises), made, 0};
  for (std::size_t i = 0; i < low; ++i) guesses.right += inserted[order[i]] ? 1 : 0;
  for (std::size_t i = order.size() - high; i < order.size(); ++i) {
    guesses.right += inserted[order[i]] ? 0 : 1;
  }
  return guesses;
}

}  // namespace tacet::audit
