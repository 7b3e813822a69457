#include "tacet/audit/phrases.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tacet/base/error.h"

namespace tacet::audit {
namespace {

std::size_t as_size(std::int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace

const std::vector<float>& PhraseModel::products(std::int32_t word) {
  const auto [found, is_new] = products_.try_emplace(word);
  auto& row = found->second;
  if (!is_new) return row;
  const auto width = as_size(released_.dimensions);
  const float* const target = released_.targets.data() + as_size(word) * width;
  row.resize(released_.biases.size());
  for (std::size_t v = 0; v < row.size(); ++v) {
    const float* const context = released_.contexts.data() + v * width;
    float sum = 0;
    for (std::size_t j = 0; j < width; ++j) sum += target[j] * context[j];
    row[v] = sum;
  }
  return row;
}

double PhraseModel::score(std::int32_t first, std::int32_t second, std::int32_t word) {
  const double mean = (static_cast<double>(products(first)[as_size(word)]) +
                       static_cast<double>(products(second)[as_size(word)])) /
                      2;
  return mean + released_.biases[as_size(word)];
}

double PhraseModel::normaliser(std::int32_t first, std::int32_t second) {
  if (normalised_ != first) {
    normalisers_.clear();
    normalised_ = first;
  }
  const auto [found, is_new] = normalisers_.try_emplace(second, 0.0);
  if (!is_new) return found->second;
  const auto& a = products(first);
  const auto& b = products(second);
  double largest = -HUGE_VAL;
  std::vector<double> scores(released_.biases);
  for (std::size_t v = 0; v < scores.size(); ++v) {
    scores[v] += (static_cast<double>(a[v]) + static_cast<double>(b[v])) / 2;
    largest = std::max(largest, scores[v]);
  }
  double sum = 0;
  for (const double one : scores) sum += std::exp(one - largest);
  return found->second = largest + std::log(sum);
}

double PhraseModel::surprise(const Phrase& phrase) {
  const auto known = [&](std::int32_t word) { return word >= 0 && word < released_.words(); };
  if (!known(phrase.first) || !known(phrase.second) || !known(phrase.third)) {
    throw base::InternalError("a phrase of words without a row");
  }
  // Given one word, that is the mean of itself twice.
  const double second =
      score(phrase.first, phrase.first, phrase.second) - normaliser(phrase.first, phrase.first);
  const double third =
      score(phrase.first, phrase.second, phrase.third) - normaliser(phrase.first, phrase.second);
  return -second - third;
}

std::int64_t PhraseModel::rank(const Phrase& phrase, std::span<const Phrase> others, double tie) {
  const double own = surprise(phrase);
  std::int64_t more = 0;
  std::int64_t equal = 0;
  for (const auto& other : others) {
    const double surprise_of_other = surprise(other);
    more += surprise_of_other > own ? 1 : 0;
    equal += surprise_of_other == own ? 1 : 0;
  }
  return more + static_cast<std::int64_t>(std::floor(static_cast<double>(equal + 1) * tie));
}

}  // namespace tacet::audit
