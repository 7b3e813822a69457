#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tacet/model/words/word_vectors.h"

namespace tacet::model {

struct WordNeighbour {
  std::size_t word;
  double cosine;
};

/// Finds words and what lies near them by the cosine of the angle between vectors. Keeps the
/// vectors scaled to norm 1; one that is all zero has cosine 0 with every other. The same answer
/// on every machine. Any number of threads may read it.
class WordSearch {
 public:
  explicit WordSearch(const WordVectors& vectors);
  WordSearch(const WordSearch&) = delete;
  WordSearch& operator=(const WordSearch&) = delete;

  [[nodiscard]] std::size_t size() const { return words_.size(); }
  [[nodiscard]] const std::string& word(std::size_t k) const { return words_[k]; }

  /// The word as it stands, else in lower case (ASCII), else - where the words are buckets of the
  /// public hash, "#0" to "#2^b - 1" - its bucket.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view word) const;

  [[nodiscard]] double cosine(std::size_t a, std::size_t b) const;
  /// The nearest words to a direction, nearest first, the earlier one of two alike; without those
  /// of `except`.
  [[nodiscard]] std::vector<WordNeighbour> nearest(std::span<const float> direction,
                                                   std::size_t count,
                                                   std::span<const std::size_t> except) const;
  /// The direction of a word.
  [[nodiscard]] std::span<const float> direction(std::size_t word) const;
  /// What is to c as b is to a: the direction b - a + c of vectors of norm 1 (3CosAdd; Mikolov et
  /// al. 2013).
  struct Analogy {
    std::size_t a;
    std::size_t b;
    std::size_t c;
  };
  [[nodiscard]] std::vector<float> direction(const Analogy& analogy) const;
  /// The nearest word to each of those directions, without the three words themselves.
  [[nodiscard]] std::vector<std::size_t> answers(std::span<const Analogy> analogies) const;

 private:
  std::size_t dimensions_;
  std::vector<std::string> words_;
  std::vector<float> directions_;
  std::unordered_map<std::string_view, std::size_t> places_;
  int bucket_bits_ = 0;
};

}  // namespace tacet::model
