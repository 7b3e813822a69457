#include "tacet/random/noise/laplace.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/random/exact/lazy_uniform.h"
#include "tacet/random/source/secure_memory.h"

namespace tacet::random {
namespace {

using internal::Fraction;
using internal::LazyUniform;

}  // namespace

void internal::check_laplace_scale(double scale) {
  if (!(scale > 0 && scale <= largest_laplace_scale)) {
    throw base::UsageError(
        "the scale of the noise must be above 0 and at most 2^40 grid units, got {}; a coarser "
        "grid "
        "has room for more",
        scale);
  }
}

void internal::add_rounded_laplace(const KeystreamBlock& block, double scale,
                                   std::span<std::int64_t> values, std::uint64_t first) {
  check_laplace_scale(scale);
  const Fraction exact = internal::exact_fraction(scale);
  KeystreamBlockReader reader(block);
  std::array<std::uint64_t, 1024> words;
  const internal::ScopedWipe wipe{std::span(words)};
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), words.size());
    reader.words(first, std::span(words).first(count));
    for (std::size_t j = 0; j < count; ++j) {
      const auto more = [&block, coordinate = first + j](int i) {
        std::array<std::uint64_t, 1> word{};
        block.extension(coordinate, static_cast<std::uint64_t>(i), word);
        return word[0];
      };
      // The first bit is the sign, the others are U.
      LazyUniform uniform(words[j] << 1, more, 63);
      const std::int64_t magnitude = internal::round_exponential(uniform, scale, exact, true);
      const auto noise = static_cast<std::uint64_t>((words[j] >> 63) == 0 ? -magnitude : magnitude);
      values[j] = static_cast<std::int64_t>(static_cast<std::uint64_t>(values[j]) + noise);
    }
    first += count;
    values = values.subspan(count);
  }
}

void add_rounded_laplace(BlockClaim claim, double scale, std::span<std::int64_t> values,
                         std::uint64_t first) {
  internal::check_laplace_scale(scale);
  const KeystreamBlock block(std::move(claim));
  internal::add_rounded_laplace(block, scale, values, first);
}

}  // namespace tacet::random
