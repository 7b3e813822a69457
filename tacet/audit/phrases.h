#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tacet/model/words/word_shape.h"

namespace tacet::audit {

/// A phrase of three words, by their numbers.
struct Phrase {
  std::int32_t first = 0;
  std::int32_t second = 0;
  std::int32_t third = 0;

  friend bool operator==(const Phrase&, const Phrase&) = default;
};

/// Released word vectors: for each word `dimensions` numbers as target, as many as context, and a
/// bias. With one shared table targets and contexts are equal and biases are 0.
struct ReleasedWords {
  std::int64_t dimensions = 0;
  std::vector<float> targets;
  std::vector<float> contexts;
  std::vector<double> biases;

  [[nodiscard]] std::int32_t words() const { return static_cast<std::int32_t>(biases.size()); }
};

/// How surprised a model is by phrases (Carlini, Liu, Erlingsson, Kos, Song 2019):
/// -ln Pr(second | first) - ln Pr(third | first, second), where Pr(w | given words) is proportional
/// to exp(<u_w, m> + bias_w) over all words, m the mean of the given words' target rows. (Zhang,
/// Mironov, Hejazinia 2021 do not say what Pr is; word2vec's model of a window is taken.)
/// Not for several threads at once.
class PhraseModel {
 public:
  /// Keeps a reference. Memory grows up to words^2 floats, if phrases begin with every word.
  explicit PhraseModel(const ReleasedWords& released) : released_(released) {}

  [[nodiscard]] double surprise(const Phrase& phrase);

  /// The number of `others` (which begin with the same word) that surprise the model at least as
  /// much as the phrase: a large rank means that the model remembers it. Of k equal surprises
  /// floor((k + 1) tie) count, so that with a uniform `tie` in [0, 1) a phrase like the others has
  /// a uniform rank.
  [[nodiscard]] std::int64_t rank(const Phrase& phrase, std::span<const Phrase> others, double tie);

 private:
  /// <u_v, t_word> for all words v.
  const std::vector<float>& products(std::int32_t word);
  /// ln of the sum of exp(score) over all words, given one word or two.
  double normaliser(std::int32_t first, std::int32_t second);
  double score(std::int32_t first, std::int32_t second, std::int32_t word);

  const ReleasedWords& released_;
  std::unordered_map<std::int32_t, std::vector<float>> products_;
  std::unordered_map<std::int64_t, double> normalisers_;  // of pairs that begin with one word
  std::int32_t normalised_ = -1;                          // that word
};

}  // namespace tacet::audit
