#include "tacet/random/rounded_gaussian.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/random/exact_normal.h"
#include "tacet/random/inverse_normal.h"
#include "tacet/random/secure_memory.h"

namespace tacet::random {
namespace {

constexpr std::size_t batch_size = 2048;

void check_sigma(double sigma) {
  if (!(sigma > 0 && sigma <= largest_gaussian_sigma)) {
    throw base::UsageError(fmt::format(
        "sigma of the rounded Gaussian must be above 0 and at most 2^32 grid units, got {}",
        sigma));
  }
}

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

namespace internal {

namespace {

struct Approximation {
  double z;
  double bound;  // infinite where doubles decide nothing
};

/// The centre of the word's cell of U through the approximate inverse, and how far the inverse of
/// any point of the cell can be from it.
Approximation approximate_inverse(std::uint64_t word) {
  namespace table = inverse_normal;
  const auto s = static_cast<std::int64_t>(word ^ (std::uint64_t{1} << 63));
  const auto magnitude = static_cast<std::uint64_t>(s ^ (s >> 63));
  const std::uint64_t tail = (std::uint64_t{1} << 63) - 1 - magnitude;
  if (tail >= table::tail_end) {
    const double q = (static_cast<double>(s >> 11) + 0.5) * 0x1p-53;
    const double r = table::centre_square - q * q;
    double p = 0;
    double d = 0;
    for (std::size_t i = table::centre_terms; i-- > 0;) {
      p = p * r + table::centre_numerator[i];
      d = d * r + table::centre_denominator[i];
    }
    return {q * p / d, table::centre_bound[0]};
  }
  if (tail < table::tail_start) return {0, HUGE_VAL};
  const double t = (static_cast<double>(tail) + 0.5) * 0x1p-64;
  const auto bits = std::bit_cast<std::uint64_t>(t);
  const std::uint64_t piece = (bits >> table::piece_shift) - table::first_piece;
  const double centre = std::bit_cast<double>((bits & table::piece_mask) | table::piece_middle);
  double z = 0;
  for (std::size_t i = table::tail_terms; i-- > 0;) {
    z = z * (t - centre) + table::tail_coefficients[i * table::tail_pieces + piece];
  }
  return {s < 0 ? -z : z, table::tail_bounds[piece]};
}

}  // namespace

void add_certain_gaussians(std::span<const std::uint64_t> words, double sigma,
                           std::span<std::int64_t> values, std::vector<std::uint32_t>& undecided,
                           double least_margin) {
  for (std::size_t j = 0; j < words.size(); ++j) {
    const auto [z, bound] = approximate_inverse(words[j]);
    const double y = sigma * z;
    const double nearest = std::nearbyint(y);
    const double margin = std::max(sigma * bound, least_margin);
    if (std::fabs(y - nearest) < 0.5 - margin) {
      values[j] = wrapping_sum(values[j], static_cast<std::int64_t>(nearest));
    } else {
      undecided.push_back(static_cast<std::uint32_t>(j));
    }
  }
}

std::int64_t exact_rounded_gaussian(std::uint64_t word, double sigma,
                                    const std::function<std::uint64_t(int)>& more) {
  CentredUniform uniform(word, more);
  const auto [z, bound] = approximate_inverse(word);
  const double guess = bound < 1 ? sigma * z : approximate_rounded_normal(uniform, sigma);
  return invert_rounded_normal(uniform, sigma, guess);
}

void add_gaussians_from_words(std::span<const std::uint64_t> words, double sigma,
                              std::span<std::int64_t> values, std::uint64_t first,
                              const Extension& extension, double least_margin) {
  check_sigma(sigma);
  std::vector<std::uint32_t> undecided;
  add_certain_gaussians(words, sigma, values, undecided, least_margin);
  for (const std::uint32_t j : undecided) {
    const auto more = [&](int i) { return extension(first + j, i); };
    values[j] = wrapping_sum(values[j], exact_rounded_gaussian(words[j], sigma, more));
  }
}

}  // namespace internal

void add_rounded_gaussian(const Leaf& leaf, double sigma, std::span<std::int64_t> values,
                          std::uint64_t first) {
  check_sigma(sigma);
  std::array<std::uint64_t, batch_size> words;
  const internal::ScopedWipe wipe{std::span(words)};
  const internal::Extension extension = [&leaf](std::uint64_t coordinate, int i) {
    std::array<std::uint64_t, 1> word{};
    leaf.extension(coordinate, static_cast<std::uint64_t>(i), word);
    return word[0];
  };
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), batch_size);
    const auto batch = std::span(words).first(count);
    leaf.words(first, batch);
    internal::add_gaussians_from_words(batch, sigma, values.first(count), first, extension);
    first += count;
    values = values.subspan(count);
  }
}

void add_rounded_gaussian(Lease lease, double sigma, std::span<std::int64_t> values,
                          std::uint64_t first) {
  check_sigma(sigma);
  const Leaf leaf(std::move(lease));
  add_rounded_gaussian(leaf, sigma, values, first);
}

}  // namespace tacet::random
