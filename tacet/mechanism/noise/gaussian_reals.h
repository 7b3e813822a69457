#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/machine.h"
#include "tacet/numeric/kernels.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism::internal {

/// Grid values plus rounded Gaussian noise of `sigma` units, in real units. Word j of the keystream
/// block decides value j. A block gets its noise and is converted while it is in the first cache.
/// The result may take over the memory of `storage`.
[[nodiscard]] inline std::vector<double> gaussian_reals(std::span<const std::int64_t> values,
                                                        double grid, random::BlockClaim claim,
                                                        double sigma,
                                                        std::vector<double> storage = {}) {
  constexpr std::size_t block_size = 1024;                          // of the sampler's batches
  constexpr std::size_t larger_than_caches = std::size_t{1} << 22;  // numbers
  random::internal::check_gaussian_sigma(sigma);
  const random::KeystreamBlock keystream(std::move(claim));
  random::internal::GaussianReader noise(keystream, sigma);
  std::vector<double> result = std::move(storage);
  if (result.capacity() < values.size()) {
    result.reserve(values.size());
    base::prefer_large_pages(result.data(), values.size_bytes());
  }
  result.resize(values.size());
  const bool past_caches = values.size() >= larger_than_caches;
  std::array<std::int64_t, block_size> noisy;
  for (std::size_t first = 0; first < values.size(); first += block_size) {
    const auto block = values.subspan(first, std::min(block_size, values.size() - first));
    std::copy(block.begin(), block.end(), noisy.begin());
    noise.add(first, std::span(noisy).first(block.size()));
    numeric::scale_integers(std::span(noisy).first(block.size()), grid,
                            std::span(result).subspan(first, block.size()), past_caches);
  }
  return result;
}

}  // namespace tacet::mechanism::internal
