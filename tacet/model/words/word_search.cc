#include "tacet/model/words/word_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tacet/data/encode/public_hash.h"
#include "tacet/numeric/kernels.h"

namespace tacet::model {
namespace {

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// b for words that are called "#0" to "#2^b - 1"; else 0.
int bits_of_buckets(const std::vector<std::string>& words) {
  if (words.size() < 2 || !std::has_single_bit(words.size())) return 0;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] != fmt::format("#{}", k)) return 0;
  }
  return std::countr_zero(words.size());
}

}  // namespace

WordSearch::WordSearch(const WordVectors& vectors)
    : dimensions_(static_cast<std::size_t>(vectors.dimensions)),
      words_(vectors.words),
      directions_(vectors.values),
      bucket_bits_(bits_of_buckets(vectors.words)) {
  for (std::size_t k = 0; k < words_.size(); ++k) {
    places_.try_emplace(words_[k], k);
    const auto row = std::span(directions_).subspan(k * dimensions_, dimensions_);
    double squares = 0;  // of floats: no overflow
    for (const float x : row) squares += static_cast<double>(x) * static_cast<double>(x);
    if (squares == 0) continue;
    const double scale = 1 / std::sqrt(squares);
    for (float& x : row) x = static_cast<float>(static_cast<double>(x) * scale);
  }
}

std::optional<std::size_t> WordSearch::find(std::string_view word) const {
  if (const auto found = places_.find(word); found != places_.end()) return found->second;
  const auto lower = in_lower_case(word);
  if (const auto found = places_.find(lower); found != places_.end()) return found->second;
  if (bucket_bits_ > 0) return data::public_bucket(word, bucket_bits_);
  return std::nullopt;
}

std::span<const float> WordSearch::direction(std::size_t word) const {
  return std::span(directions_).subspan(word * dimensions_, dimensions_);
}

double WordSearch::cosine(std::size_t a, std::size_t b) const {
  const auto x = direction(a);
  const auto y = direction(b);
  double sum = 0;
  for (std::size_t j = 0; j < dimensions_; ++j) {
    sum += static_cast<double>(x[j]) * static_cast<double>(y[j]);
  }
  return sum;
}

std::vector<WordNeighbour> WordSearch::nearest(std::span<const float> direction, std::size_t count,
                                               std::span<const std::size_t> except) const {
  double squares = 0;
  for (const float x : direction) squares += static_cast<double>(x) * static_cast<double>(x);
  const double scale = squares == 0 ? 0 : 1 / std::sqrt(squares);
  std::vector<const float*> rows(words_.size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = directions_.data() + k * dimensions_;
  std::vector<float> dots(rows.size());
  numeric::row_dots<float>(rows, direction, dots);
  std::vector<WordNeighbour> found;
  found.reserve(dots.size());
  for (std::size_t k = 0; k < dots.size(); ++k) {
    if (std::ranges::find(except, k) != except.end()) continue;
    found.push_back({k, static_cast<double>(dots[k]) * scale});
  }
  const auto kept = std::min(count, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                    [](const auto& x, const auto& y) {
                      return x.cosine > y.cosine || (x.cosine == y.cosine && x.word < y.word);
                    });
  found.resize(kept);
  return found;
}

std::vector<float> WordSearch::direction(const Analogy& analogy) const {
  const auto a = direction(analogy.a);
  const auto b = direction(analogy.b);
  const auto c = direction(analogy.c);
  std::vector<float> out(dimensions_);
  for (std::size_t j = 0; j < dimensions_; ++j) out[j] = b[j] - a[j] + c[j];
  return out;
}

// The words are read once for as many questions as fit into the cache.
std::vector<std::size_t> WordSearch::answers(std::span<const Analogy> analogies) const {
  constexpr std::size_t together = 64;
  std::vector<std::size_t> answers(analogies.size(), 0);
  std::vector<std::vector<float>> directions(together);
  std::vector<const float*> rows;
  std::vector<float> dots(together);
  for (std::size_t first = 0; first < analogies.size(); first += together) {
    const auto asked = analogies.subspan(first, std::min(together, analogies.size() - first));
    rows.clear();
    for (std::size_t q = 0; q < asked.size(); ++q) {
      directions[q] = direction(asked[q]);
      rows.push_back(directions[q].data());
    }
    std::vector<float> best(asked.size(), -std::numeric_limits<float>::infinity());
    for (std::size_t k = 0; k < words_.size(); ++k) {
      numeric::row_dots<float>(rows, direction(k), dots);
      for (std::size_t q = 0; q < asked.size(); ++q) {
        const auto& [a, b, c] = asked[q];
        if (dots[q] <= best[q] || k == a || k == b || k == c) continue;
        best[q] = dots[q];
        answers[first + q] = k;
      }
    }
  }
  return answers;
}

}  // namespace tacet::model
