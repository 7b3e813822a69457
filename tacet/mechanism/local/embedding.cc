#include "tacet/mechanism/local/embedding.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdlib>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace {

/// InternalError beyond bound^2: the code that certified the gradient did not clip it.
std::int64_t squared_norm(std::span<const std::int64_t> g, std::int64_t bound) {
  std::int64_t left = bound * bound;
  for (const std::int64_t x : g) {
    if (std::abs(x) > bound || (left -= x * x) < 0) {
      throw base::InternalError("a gradient is longer than it is certified to be");
    }
  }
  return bound * bound - left;
}

}  // namespace

Embedding resolved_embedding(Embedding embedding, std::int64_t dimension, double epsilon) {
  if (embedding != Embedding::automatic) return embedding;
  return dimension <= 3 && epsilon < 2 ? Embedding::sign : Embedding::lift;
}

std::int64_t integer_root(std::int64_t value) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
  while (root * root > value) --root;
  while ((root + 1) * (root + 1) <= value) ++root;
  return root;
}

std::vector<std::int64_t> lifted(std::span<const std::int64_t> g, std::int64_t bound) {
  std::vector<std::int64_t> direction;
  direction.reserve(g.size() + 1);
  direction.assign(g.begin(), g.end());
  direction.push_back(integer_root(bound * bound - squared_norm(g, bound)));
  return direction;
}

bool root_bernoulli(std::int64_t square, std::int64_t bound, const WordSource& words) {
  using boost::multiprecision::cpp_int;
  // Compares a uniform W in [0, 1), read 64 bits at a time, with sqrt(square) / bound.
  const cpp_int whole = cpp_int(bound) * bound;
  cpp_int bits = 0;
  for (int count = 64; count <= 512; count += 64) {
    bits = (bits << 64) + words();
    const cpp_int threshold = cpp_int(square) << (2 * count);
    if ((bits + 1) * (bits + 1) * whole <= threshold) return true;
    if (bits * bits * whole >= threshold) return false;
  }
  throw base::InternalError("512 random bits did not decide one draw; the generator is broken");
}

std::vector<std::int64_t> with_random_sign(std::span<const std::int64_t> g, std::int64_t bound,
                                           const WordSource& words) {
  std::vector<std::int64_t> direction(g.begin(), g.end());
  const std::int64_t square = squared_norm(g, bound);
  if (square == 0) direction.front() = 1;
  // probability (1 + n) / 2: heads, or else tails and a coin of probability n
  const bool heads = words() >> 63 != 0;
  const bool long_enough = root_bernoulli(square, bound, words);
  if (!heads && !long_enough) std::ranges::transform(direction, direction.begin(), std::negate<>());
  return direction;
}

}  // namespace tacet::mechanism
