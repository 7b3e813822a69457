#pragma once

#include <cstdint>

namespace tacet::model {

/// The largest dimension of a word vector.
inline constexpr std::int64_t max_word_dimensions = 4096;

/// The tables of a model of words: public.
///
/// Two tables give each word a row as target and one as context (Mikolov et al. 2013), the latter
/// with a bias; one shared table is the model of Zhang, Mironov and Hejazinia (2021), whose score
/// matrix is positive semidefinite, so that it cannot tell rare words from frequent ones.
struct WordShape {
  std::int32_t words = 0;
  std::int64_t dimensions = 100;
  int tables = 2;
  bool bias = true;  ///< of each context row: one coordinate behind the others

  /// Numbers a row. With a bias all rows are one longer; the last number of a target row takes no
  /// part: whatever it is, it counts as 1.
  [[nodiscard]] std::int64_t width() const { return dimensions + (bias ? 1 : 0); }
  [[nodiscard]] std::int64_t rows() const { return std::int64_t{words} * tables; }
  [[nodiscard]] std::int64_t target_row(std::int32_t word) const { return word; }
  [[nodiscard]] std::int64_t context_row(std::int32_t word) const {
    return tables == 1 ? word : std::int64_t{words} + word;
  }

  /// Throws a UsageError that says what is wrong: fewer than two words, dimensions outside of
  /// [1, max_word_dimensions], tables other than 1 and 2, a bias with one table.
  void validate() const;
};

/// What the rows hold before training, from public facts alone. Each number is a function of the
/// seed, its row and its place, so that a row need not be stored before it is trained.
struct WordStart {
  enum class Law {
    unit,   ///< targets uniform, of norm about 1; contexts 0, their biases below
    small,  ///< all rows uniform on [-1/2, 1/2] / dimensions (Mikolov et al. 2013)
    normal  ///< all rows standard normal, as frameworks start tables of embeddings
  };
  Law law = Law::unit;
  std::uint64_t seed = 0;
  /// A context's bias is ln(odds / negatives), with odds 1: what a word that is as frequent as all
  /// others learns in the end.
  std::int64_t negatives = 5;
  /// The words are in the public order of their frequency: odds of word r are proportional to
  /// 1 / (r + 100), with mean 1 over all words.
  bool by_frequency = false;
};

/// One row of width() numbers.
class WordStartRows {
 public:
  WordStartRows(const WordShape& shape, const WordStart& start);

  /// Number `place` of row `row`.
  [[nodiscard]] double operator()(std::int64_t row, std::int64_t place) const;

  /// The row as a whole, rounded to Real: float or double.
  template <class Real>
  void write(std::int64_t row, Real* out) const;

 private:
  [[nodiscard]] double bias(std::int64_t word) const;

  WordShape shape_;
  WordStart start_;
  double reach_;            // uniform numbers lie in [-reach_, reach_]
  double mean_weight_ = 1;  // of 1 / (r + 100) over all words
};

extern template void WordStartRows::write(std::int64_t row, float* out) const;
extern template void WordStartRows::write(std::int64_t row, double* out) const;

}  // namespace tacet::model
