#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacet/data/read/lines.h"
#include "tacet/model/words/word_search.h"

/// What word vectors are measured by: public lists that people made.
namespace tacet::model {

/// How similar people find two words.
struct WordSimilarity {
  std::string first;
  std::string second;
  double score;
};

/// Reads two words and a number per line, between commas, semicolons, tabs or blanks. Lines that
/// are empty or begin with `#` are skipped, and so is a first line whose last field is not a
/// number. DataErrors with `file:line` for any other line.
[[nodiscard]] std::vector<WordSimilarity> read_similarities(data::LineReader lines);

/// Spearman's rank correlation, ties at their mean rank; nothing for fewer than two pairs, or when
/// all of one side are alike.
[[nodiscard]] std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

/// The rank correlation of scores and cosines, over the pairs whose words both have a vector.
struct SimilarityResult {
  std::optional<double> spearman;
  std::int64_t used = 0;
  std::int64_t all = 0;
};
[[nodiscard]] SimilarityResult similarity(const WordSearch& search,
                                          std::span<const WordSimilarity> pairs);

/// "a is to b as c is to d".
struct WordAnalogy {
  std::string a, b, c, d;
};
struct AnalogySection {
  std::string name;  ///< empty before the first heading
  std::vector<WordAnalogy> questions;
};

/// Four words a line, in sections under lines `: name` (as word2vec's questions-words.txt).
/// DataErrors with `file:line` for any other line that is not empty.
[[nodiscard]] std::vector<AnalogySection> read_analogies(data::LineReader lines);

/// How many questions are answered right, among those whose four words all have a vector. The
/// answer is the word nearest to b - a + c other than these three (3CosAdd, as word2vec's program
/// does it); d is the right one.
struct AnalogyResult {
  std::string name;
  std::int64_t correct = 0;
  std::int64_t used = 0;
  std::int64_t all = 0;

  [[nodiscard]] std::optional<double> accuracy() const {
    if (used == 0) return std::nullopt;
    return static_cast<double>(correct) / static_cast<double>(used);
  }
};
/// One result a section.
[[nodiscard]] std::vector<AnalogyResult> analogies(const WordSearch& search,
                                                   std::span<const AnalogySection> sections);

}  // namespace tacet::model
