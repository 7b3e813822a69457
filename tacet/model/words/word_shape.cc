#include "tacet/model/words/word_shape.h"

#include <fmt/format.h>

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

/// Uniform on (0, 1): 53 bits and a half.
double uniform_of(std::uint64_t seed, std::int64_t row, std::int64_t place, std::uint64_t kind) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
  const auto of_row = mixed(seed + golden * (static_cast<std::uint64_t>(row) + 1));
  const auto word = mixed(of_row + golden * (4 * static_cast<std::uint64_t>(place) + kind + 1));
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

/// By the method of Box and Muller (1958).
double normal_of(std::uint64_t seed, std::int64_t row, std::int64_t place) {
  const double radius = std::sqrt(-2 * numeric::log(uniform_of(seed, row, place, 1)));
  return radius * numeric::sine_cosine(uniform_of(seed, row, place, 2)).cosine;
}

}  // namespace

void WordShape::validate() const {
  if (words < 2) {
    throw base::UsageError(
        fmt::format("word vectors need at least two words, the vocabulary has {}", words));
  }
  if (dimensions < 1 || dimensions > most_word_dimensions) {
    throw base::UsageError(
        fmt::format("dim must be 1 to {}, got {}", most_word_dimensions, dimensions));
  }
  if (tables != 1 && tables != 2) {
    throw base::UsageError(fmt::format("tables must be 1 or 2, got {}", tables));
  }
  if (tables == 1 && bias) {
    throw base::UsageError(
        "one shared table has no bias: a word's row stands for it as target and as context; leave "
        "the bias out, or take two tables");
  }
}

WordStartRows::WordStartRows(const WordShape& shape, const WordStart& start)
    : shape_(shape), start_(start) {
  shape_.validate();
  if (start_.negatives < 1) {
    throw base::UsageError(fmt::format("negatives must be at least 1, got {}", start_.negatives));
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
  const auto centred = [&] { return uniform_of(start_.seed, row, place, 0) - 0.5; };
  const auto dimensions = static_cast<double>(shape_.dimensions);
  if (place >= shape_.dimensions) return target ? 0 : bias(row - shape_.words);
  switch (start_.law) {
    case WordStart::Law::small:
      return centred() / dimensions;
    case WordStart::Law::normal:
      return normal_of(start_.seed, row, place);
    case WordStart::Law::unit:
      break;
  }
  // Uniform on [-a, a] has mean square a^2 / 3: the norm is about 1 for a = sqrt(3 / dimensions).
  return target ? centred() * 2 * std::sqrt(3 / dimensions) : 0;
}

}  // namespace tacet::model
