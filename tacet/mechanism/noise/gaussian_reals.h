#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/large_pages.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism::internal {

/// Grid values plus rounded Gaussian noise of `sigma` units, word j of the leaf for value j,
/// in real units. A block is noised and converted while the first cache level holds it. `storage`
/// is memory that the result may take over.
[[nodiscard]] inline std::vector<double> gaussian_reals(std::span<const std::int64_t> values,
                                                        double grid, random::Lease lease,
                                                        double sigma,
                                                        std::vector<double> storage = {}) {
  constexpr std::size_t block_size = 1024;  // of the sampler's batches
  random::internal::check_gaussian_sigma(sigma);
  const random::Leaf leaf(std::move(lease));
  random::internal::GaussianReader noise(leaf, sigma);
  std::vector<double> result = std::move(storage);
  result.clear();
  if (result.capacity() < values.size()) {
    result.reserve(values.size());
    base::prefer_large_pages(result.data(), values.size_bytes());
  }
  std::array<std::int64_t, block_size> noisy;
  std::array<double, block_size> reals;
  for (std::size_t first = 0; first < values.size(); first += block_size) {
    const auto block = values.subspan(first, std::min(block_size, values.size() - first));
    std::copy(block.begin(), block.end(), noisy.begin());
    noise.add(first, std::span(noisy).first(block.size()));
    for (std::size_t j = 0; j < block.size(); ++j) reals[j] = static_cast<double>(noisy[j]) * grid;
    result.insert(result.end(), reals.begin(),
                  reals.begin() + static_cast<std::ptrdiff_t>(block.size()));
  }
  return result;
}

}  // namespace tacet::mechanism::internal
