#include "tacet/model/words/word_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/numeric/elementary.h"
#include "tacet/numeric/exp_each.h"
#include "tacet/numeric/kernels.h"

namespace tacet::model {

template <class Real>
WordPairs<Real>::WordPairs(const WordShape& shape)
    : shape_(shape),
      hidden_(static_cast<std::size_t>(shape.width())),
      pull_(static_cast<std::size_t>(shape.width())) {
  shape_.validate();
}

// Examples have some ten rows: looking at all is faster than any index.
template <class Real>
std::size_t WordPairs<Real>::place_of(std::int64_t row) {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (rows_[k] == row) return k;
  }
  rows_.push_back(row);
  in_bag_.push_back(0);
  is_context_.push_back(0);
  is_negative_.push_back(0);
  return rows_.size() - 1;
}

template <class Real>
std::span<const std::int64_t> WordPairs<Real>::begin(const data::WordExample& example) {
  rows_.clear();
  in_bag_.clear();
  is_context_.clear();
  is_negative_.clear();
  const auto known = [&](std::int32_t word) {
    if (word < 0 || word >= shape_.words) throw base::InternalError("a word without a row");
    return word;
  };
  for (const auto word : example.bag) ++in_bag_[place_of(shape_.target_row(known(word)))];
  ++is_context_[place_of(shape_.context_row(known(example.context)))];
  for (const auto word : example.negatives) {
    ++is_negative_[place_of(shape_.context_row(known(word)))];
  }
  bag_size_ = static_cast<std::int64_t>(example.bag.size());
  return rows_;
}

template <class Real>
void WordPairs<Real>::find_hidden(std::span<const Real* const> values) {
  const auto dimensions = static_cast<std::size_t>(shape_.dimensions);
  bag_rows_.clear();
  bag_weights_.clear();
  shares_.resize(rows_.size());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    shares_[k] = 0;
    if (in_bag_[k] == 0) continue;
    shares_[k] = static_cast<Real>(in_bag_[k]) / static_cast<Real>(bag_size_);
    bag_rows_.push_back(values[k]);
    bag_weights_.push_back(shares_[k]);
  }
  std::ranges::fill(hidden_, Real{0});
  numeric::add_row_multiples<Real>(bag_rows_, bag_weights_, std::span(hidden_).first(dimensions));
  if (shape_.bias) hidden_[dimensions] = 1;
}

template <class Real>
void WordPairs<Real>::find_sums(std::span<const Real* const> values) {
  scored_.clear();
  scored_rows_.clear();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (is_context_[k] + is_negative_[k] == 0) continue;
    scored_.push_back(k);
    scored_rows_.push_back(values[k]);
  }
  scores_.resize(scored_.size());
  numeric::row_dots<Real>(scored_rows_, hidden_, scores_);
  constexpr double max = 700;  // exp_each goes so far; sigmoid(700) is 1 in any floating point
  exponentials_.resize(scored_.size());
  for (std::size_t i = 0; i < scored_.size(); ++i) {
    const double z = scores_[i];
    exponentials_[i] = z > -max ? (z < max ? -z : -max) : max;  // NaN becomes 700 for a while
  }
  numeric::exp_each(exponentials_);
  weights_.resize(scored_.size());
  sums_.assign(rows_.size(), Real{0});
  for (std::size_t i = 0; i < scored_.size(); ++i) {
    const auto k = scored_[i];
    const double up = 1 / (1 + exponentials_[i]);  // sigmoid(z)
    const double sum = is_negative_[k] * up - is_context_[k] * (exponentials_[i] * up);
    weights_[i] = std::isnan(scores_[i]) ? scores_[i] : static_cast<Real>(sum);
    sums_[k] = weights_[i];
  }
}

template <class Real>
void WordPairs<Real>::evaluate(std::span<const Real* const> values) {
  if (values.size() != rows_.size()) throw base::InternalError("rows of another example");
  find_hidden(values);
  find_sums(values);
  std::ranges::fill(pull_, Real{0});
  const auto dimensions = static_cast<std::size_t>(shape_.dimensions);
  numeric::add_row_multiples<Real>(scored_rows_, weights_, std::span(pull_).first(dimensions));
}

template <class Real>
double WordPairs<Real>::loss() const {
  double loss = 0;
  for (std::size_t i = 0; i < scored_.size(); ++i) {
    const double z = scores_[i];
    if (std::isnan(z)) return std::numeric_limits<double>::quiet_NaN();
    const auto k = scored_[i];
    // A count of 0 may stand before an infinite loss.
    if (is_context_[k] > 0) loss += is_context_[k] * numeric::softplus(-z);
    if (is_negative_[k] > 0) loss += is_negative_[k] * numeric::softplus(z);
  }
  return loss;
}

// |p G + A H|^2 = p^2 |G|^2 + 2 p A <G, H> + A^2 |H|^2, added up over the rows.
template <class Real>
double WordPairs<Real>::squared_norm() const {
  const std::array<const Real*, 2> both{pull_.data(), hidden_.data()};
  std::array<Real, 2> with_pull{};
  std::array<Real, 2> with_hidden{};
  numeric::row_dots<Real>(both, pull_, with_pull);
  numeric::row_dots<Real>(both, hidden_, with_hidden);
  const double pull_square = with_pull[0];
  const double product = with_pull[1];
  const double hidden_square = with_hidden[1];
  double total = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const double p = shares_[k];
    const double a = sums_[k];
    total += p * p * pull_square + 2 * p * a * product + a * a * hidden_square;
  }
  return total;
}

template <class Real>
void WordPairs<Real>::write_row(std::size_t k, std::span<Real> out) const {
  numeric::combine_rows<Real>(shares_[k], pull_, sums_[k], hidden_, out);
}

template class WordPairs<float>;
template class WordPairs<double>;

}  // namespace tacet::model
