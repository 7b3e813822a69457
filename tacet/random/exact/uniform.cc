#include "tacet/random/exact/uniform.h"

#include <cmath>

#include "tacet/base/error.h"

namespace tacet::random {

std::uint64_t uniform_below(Stream& stream, std::uint64_t n) {
  if (n == 0) throw base::UsageError("uniform_below needs a positive number of outcomes, got 0");
  // Lemire 2019: the high half of word * n is uniform once the words whose low half falls below
  // 2^64 mod n are rejected.
  __extension__ using Product = unsigned __int128;
  Product product = Product{stream.next()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t rejected = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < rejected) product = Product{stream.next()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

bool bernoulli_real(Stream& stream, double probability) {
  return bernoulli_real([&stream] { return stream.next(); }, probability);
}

bool bernoulli_real(const std::function<std::uint64_t()>& next, double probability) {
  if (!(probability >= 0 && probability <= 1)) {
    throw base::UsageError("a probability must lie in [0, 1], got {}", probability);
  }
  // Digit by digit to the base 2^64, each step exact: the scaling, the floor and what is left.
  while (probability > 0 && probability < 1) {
    const double scaled = std::ldexp(probability, 64);
    const double digit = std::floor(scaled);
    const std::uint64_t word = next();
    if (word != static_cast<std::uint64_t>(digit)) return word < static_cast<std::uint64_t>(digit);
    probability = scaled - digit;
  }
  return probability == 1;
}

}  // namespace tacet::random
