#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/words/word_example.h"
#include "tacet/model/words/word_shape.h"

namespace tacet::model {

/// Loss and gradient of one example after another (wide.md 6.1; Mikolov et al. 2013):
///
///     l = softplus(-z_context) + sum over negatives n of softplus(z_n),   z_w = <h, u_w> + bias_w
///
/// h is the mean of the bag's target rows (0 for an empty bag), u_w the context row of w. With one
/// table u is the table of targets too. With a_context = -sigmoid(-z), a_n = sigmoid(z) and A_w the
/// sum of a over the occurrences of w, the gradient is, row by row, duplicates merged,
///
///     p_r G + A_r H,   G = sum over w of A_w u_w,   H = h,
///
/// p_r being the row's share of the bag: two vectors and two numbers a row, from which the squared
/// norm follows without writing the rows. With a bias G has a 0 behind it and H a 1.
///
///     WordPairs<float> pairs(shape);
///     const auto rows = pairs.begin(example);          // which rows it reads and moves
///     for (...) pointers[k] = table.row(rows[k]);
///     pairs.evaluate(pointers);
///     for (...) pairs.write_row(k, gradient_of_row_k);
///
/// What comes out has the same bits on every machine. Numbers that are not finite go through:
/// whoever sums gradients counts such a record as 0. Not for several threads.
template <class Real>
class WordPairs {
 public:
  explicit WordPairs(const WordShape& shape);

  /// Takes the next example; returns its different rows of [0, shape.rows()), by first appearance:
  /// bag, context, negatives. An InternalError for a word outside the vocabulary.
  std::span<const std::int64_t> begin(const data::WordExample& example);

  /// `values[k]` are the width() numbers of row k of those. They are not read afterwards.
  void evaluate(std::span<const Real* const> values);

  // About the example that was evaluated:
  [[nodiscard]] double loss() const;
  /// |gradient|^2 over all rows, from the factors ("ghost norm").
  [[nodiscard]] double squared_norm() const;
  /// The gradient of row k is bag_share(k) bag_direction() + context_sum(k) context_direction().
  [[nodiscard]] Real bag_share(std::size_t k) const { return shares_[k]; }
  [[nodiscard]] Real context_sum(std::size_t k) const { return sums_[k]; }
  [[nodiscard]] std::span<const Real> bag_direction() const { return pull_; }
  [[nodiscard]] std::span<const Real> context_direction() const { return hidden_; }
  /// Writes the gradient of row k: width() numbers.
  void write_row(std::size_t k, std::span<Real> out) const;

 private:
  std::size_t place_of(std::int64_t row);
  void find_hidden(std::span<const Real* const> values);
  void find_sums(std::span<const Real* const> values);

  WordShape shape_;
  std::vector<std::int64_t> rows_;
  std::vector<std::int32_t> in_bag_;  // how often the row is in the bag, as context, as negative
  std::vector<std::int32_t> is_context_;
  std::vector<std::int32_t> is_negative_;
  std::int64_t bag_size_ = 0;
  std::vector<Real> shares_;
  std::vector<Real> sums_;
  std::vector<std::size_t> scored_;  // rows that have a score, and what goes with them
  std::vector<const Real*> scored_rows_;
  std::vector<Real> scores_;
  std::vector<double> exponentials_;
  std::vector<Real> weights_;
  std::vector<const Real*> bag_rows_;
  std::vector<Real> bag_weights_;
  std::vector<Real> hidden_;
  std::vector<Real> pull_;
};

extern template class WordPairs<float>;
extern template class WordPairs<double>;

}  // namespace tacet::model
