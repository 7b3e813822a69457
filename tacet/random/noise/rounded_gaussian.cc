#include "tacet/random/noise/rounded_gaussian.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/random/exact/exact_normal.h"
#include "tacet/random/exact/inverse_normal.h"
#include "tacet/random/exact/real_interval.h"
#include "tacet/random/noise/wrapping_sum.h"
#include "tacet/random/source/secure_memory.h"

namespace tacet::random {
namespace {

using internal::GaussianBatch;

}  // namespace

namespace internal {

void check_gaussian_sigma(double sigma) {
  if (!(sigma > 0 && sigma <= largest_gaussian_sigma)) {
    throw base::UsageError(
        "sigma of the rounded Gaussian must be above 0 and at most 2^32 grid units, got {}; a "
        "coarser grid has room for more",
        sigma);
  }
}

Approximate approximate_normal(std::uint64_t word) {
  namespace table = inverse_normal;
  const auto s = static_cast<std::int64_t>(word ^ (std::uint64_t{1} << 63));
  const auto magnitude = static_cast<std::uint64_t>(s ^ (s >> 63));
  const std::uint64_t tail = (std::uint64_t{1} << 63) - 1 - magnitude;
  if (tail >= table::tail_end) {
    const double q = (static_cast<double>(s >> 12) + 0.5) * 0x1p-52;
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
    z = z * (t - centre) + table::tail_coefficients[piece * table::tail_terms + i];
  }
  return {s < 0 ? -z : z, table::tail_bounds[piece]};
}

std::int64_t exact_rounded_gaussian(std::uint64_t word, double sigma,
                                    const std::function<std::uint64_t(int)>& more) {
  CentredUniform uniform(word, more);
  const auto [z, bound] = approximate_normal(word);
  const double guess = bound < 1 ? sigma * z : approximate_rounded_normal(uniform, sigma);
  return invert_rounded_normal(uniform, sigma, guess);
}

namespace {

/// Adds the draws of batch.words[0 .. values.size()) to the values.
void add_batch(GaussianBatch& batch, std::span<std::int64_t> values, std::uint64_t first,
               const Extension& extension) {
  const auto resolve_rest = [&](std::size_t undecided, std::size_t begin, std::size_t count) {
    for (const std::uint32_t j : std::span(batch.undecided).first(undecided)) {
      if (j >= count) continue;  // belongs to the padding
      const std::size_t place = begin + j;
      const auto more = [&](int i) { return extension(first + place, i); };
      const std::int64_t noise = exact_rounded_gaussian(batch.words[place], batch.sigma, more);
      values[place] = internal::wrapping_sum(values[place], noise);
    }
  };
  constexpr std::size_t lanes = GaussianBatch::padding;
  const std::size_t whole = values.size() / lanes * lanes;
  resolve_rest(resolve_gaussians(batch, 0, values.data(), whole), 0, whole);
  const auto last = values.subspan(whole);
  if (last.empty()) return;
  std::fill_n(batch.words + values.size(), lanes - last.size(), std::uint64_t{1} << 63);
  std::ranges::copy(last, batch.last);
  const std::size_t undecided = resolve_gaussians(batch, whole, batch.last, lanes);
  std::copy_n(batch.last, last.size(), last.begin());
  resolve_rest(undecided, whole, last.size());
}

}  // namespace

void add_gaussians_from_words(std::span<const std::uint64_t> words, double sigma,
                              std::span<std::int64_t> values, std::uint64_t first,
                              const Extension& extension, double min_margin) {
  internal::check_gaussian_sigma(sigma);
  const auto batch = std::make_unique<GaussianBatch>();
  batch->sigma = sigma;
  batch->min_margin = min_margin;
  for (std::size_t begin = 0; begin < words.size(); begin += GaussianBatch::capacity) {
    const std::size_t count = std::min(words.size() - begin, GaussianBatch::capacity);
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(begin), count, batch->words);
    add_batch(*batch, values.subspan(begin, count), first + begin, extension);
  }
}

namespace {

/// The buffers of this thread's last reader, for the next one: allocating them anew costs as much
/// as a few hundred draws. They are wiped.
thread_local std::unique_ptr<GaussianBatch> spare_batch;

std::unique_ptr<GaussianBatch> take_batch() {
  if (spare_batch) return std::move(spare_batch);
  return std::make_unique_for_overwrite<GaussianBatch>();
}

/// Wipes what `count` draws have left in memory.
void wipe(GaussianBatch& batch, std::size_t count) {
  constexpr std::size_t padding = GaussianBatch::padding;
  const std::size_t places = std::min(count + padding, GaussianBatch::capacity);
  const ScopedWipe words{std::span(batch.words).first(places)};
  const ScopedWipe last{std::span(batch.last)};
  const ScopedWipe listed{std::span(batch.listed).first(count + padding)};
  const ScopedWipe listed_places{std::span(batch.places).first(count + padding)};
  const ScopedWipe rows{std::span(batch.rows).first(count + padding)};
  const ScopedWipe offsets{std::span(batch.offsets).first(count + padding)};
  const ScopedWipe undecided{std::span(batch.undecided).first(places)};
  const ScopedWipe left{std::span(batch.left)};
}

}  // namespace
}  // namespace internal

internal::GaussianReader::GaussianReader(const KeystreamBlock& block, double sigma)
    : block_(block), reader_(block), batch_(take_batch()) {
  check_gaussian_sigma(sigma);
  batch_->sigma = sigma;
  batch_->min_margin = 0;
}

internal::GaussianReader::~GaussianReader() {
  wipe(*batch_, max_at_once_);
  spare_batch = std::move(batch_);
}

void internal::GaussianReader::add(std::uint64_t first, std::span<std::int64_t> values) {
  const Extension extension = [this](std::uint64_t coordinate, int i) {
    std::array<std::uint64_t, 1> word{};
    block_.extension(coordinate, static_cast<std::uint64_t>(i), word);
    return word[0];
  };
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), GaussianBatch::capacity);
    max_at_once_ = std::max(max_at_once_, count);
    reader_.words(first, std::span(batch_->words).first(count));
    add_batch(*batch_, values.first(count), first, extension);
    first += count;
    values = values.subspan(count);
  }
}

void internal::add_rounded_gaussian(const KeystreamBlock& block, double sigma,
                                    std::span<std::int64_t> values, std::uint64_t first) {
  GaussianReader(block, sigma).add(first, values);
}

void add_rounded_gaussian(BlockClaim claim, double sigma, std::span<std::int64_t> values,
                          std::uint64_t first) {
  internal::check_gaussian_sigma(sigma);
  const KeystreamBlock block(std::move(claim));
  internal::add_rounded_gaussian(block, sigma, values, first);
}

}  // namespace tacet::random
