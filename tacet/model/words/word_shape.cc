#include "tacet/model/words/word_shape.h"

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/elementary.h"

namespace tacet::model {
namespace {

constexpr double rank_offset = 100;  // words of the head of a list are about equally frequent

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

std::uint64_t row_key(std::uint64_t seed, std::int64_t row) {
  return mixed(seed + golden * (static_cast<std::uint64_t>(row) + 1));
}

/// Uniform on (0, 1): 53 bits and a half.
double uniform_of(std::uint64_t key, std::int64_t place, std::uint64_t kind) {
  const auto word = mixed(key + golden * (4 * static_cast<std::uint64_t>(place) + kind + 1));
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

/// By the method of Box and Muller (1958).
double normal_of(std::uint64_t key, std::int64_t place) {
  const double radius = std::sqrt(-2 * numeric::log(uniform_of(key, place, 1)));
  return radius * numeric::sine_cosine(uniform_of(key, place, 2)).cosine;
}

}  // namespace

void WordShape::validate() const {
  if (words < 2) {
    throw base::UsageError("word vectors need at least two words, the vocabulary has {}", words);
  }
  if (dimensions < 1 || dimensions > max_word_dimensions) {
    throw base::UsageError("dim must be 1 to {}, got {}", max_word_dimensions, dimensions);
  }
  if (tables != 1 && tables != 2) throw base::UsageError("tables must be 1 or 2, got {}", tables);
  if (tables == 1 && bias) {
    throw base::UsageError(
        "one shared table has no bias: a word's row stands for it as target and as context; leave "
        "the bias out, or take two tables");
  }
}

WordStartRows::WordStartRows(const WordShape& shape, const WordStart& start)
    : shape_(shape), start_(start) {
  shape_.validate();
  const auto dimensions = static_cast<double>(shape_.dimensions);
  // Uniform on [-a, a] has mean square a^2 / 3: the norm is about 1 for a = sqrt(3 / dimensions).
  reach_ = start_.law == WordStart::Law::small ? 0.5 / dimensions : std::sqrt(3 / dimensions);
  if (start_.negatives < 1) {
    throw base::UsageError("negatives must be at least 1, got {}", start_.negatives);
  }
  if (!start_.by_frequency) return;
  double sum = 0;
  for (std::int32_t r = 0; r < shape_.words; ++r) sum += 1 / (r + rank_offset);
  mean_weight_ = sum / shape_.words;
}

double WordStartRows::bias(std::int64_t word) const {
  const double odds =
      start_.by_frequency ? 1 / ((static_cast<double>(word) + rank_offset) * mean_weight_) : 1.0;
  return numeric::log(odds / static_cast<double>(start_.negatives));
}

double WordStartRows::operator()(std::int64_t row, std::int64_t place) const {
  const bool target = row < shape_.words;
  if (place >= shape_.dimensions) return target ? 0 : bias(row - shape_.words);
  if (start_.law == WordStart::Law::unit && !target) return 0;
  const auto key = row_key(start_.seed, row);
  if (start_.law == WordStart::Law::normal) return normal_of(key, place);
  return (2 * uniform_of(key, place, 0) - 1) * reach_;
}

template <class Real>
void WordStartRows::write(std::int64_t row, Real* out) const {
  const bool target = row < shape_.words;
  const auto key = row_key(start_.seed, row);
  const bool normal = start_.law == WordStart::Law::normal;
  const bool zero = start_.law == WordStart::Law::unit && !target;
  for (std::int64_t j = 0; j < shape_.dimensions; ++j) {
    out[j] = static_cast<Real>(zero     ? 0.0
                               : normal ? normal_of(key, j)
                                        : (2 * uniform_of(key, j, 0) - 1) * reach_);
  }
  if (shape_.bias) out[shape_.dimensions] = static_cast<Real>((*this)(row, shape_.dimensions));
}

template void WordStartRows::write(std::int64_t row, float* out) const;
template void WordStartRows::write(std::int64_t row, double* out) const;

}  // namespace tacet::model
