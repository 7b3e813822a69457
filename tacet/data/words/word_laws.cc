#include "tacet/data/words/word_laws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tacet/base/error.h"

namespace tacet::data {
namespace {

double total_count(const Vocabulary& vocabulary) {
  double total = 0;
  for (const auto count : vocabulary.counts()) total += static_cast<double>(count);
  return total;
}

/// Square roots are correctly rounded on every machine; pow is not.
double power_three_quarters(double x) {
  const double root = std::sqrt(std::sqrt(x));
  return root * root * root;
}

}  // namespace

NegativeLaw NegativeLaw::uniform(const Vocabulary& vocabulary) {
  NegativeLaw law;
  law.size_ = vocabulary.size();
  return law;
}

NegativeLaw NegativeLaw::by_counts(const Vocabulary& vocabulary) {
  expect_counts(vocabulary, "drawing negatives by frequency");
  const auto counts = vocabulary.counts();
  if (std::ranges::count_if(counts, [](std::int64_t count) { return count > 0; }) < 2) {
    throw base::UsageError("drawing negatives by frequency needs two words with a count above 0");
  }
  std::vector<double> shares;
  for (const auto count : counts)
    shares.push_back(power_three_quarters(static_cast<double>(count)));
  const double mean =
      std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
  for (auto& share : shares) share /= mean;

  NegativeLaw law;
  law.size_ = vocabulary.size();
  law.slots_.resize(shares.size());
  std::vector<std::int32_t> poor;
  std::vector<std::int32_t> rich;
  for (std::int32_t k = 0; k < law.size_; ++k) {
    law.slots_[static_cast<std::size_t>(k)] = {.threshold = 0, .other = k};
    (shares[static_cast<std::size_t>(k)] < 1 ? poor : rich).push_back(k);
  }
  while (!poor.empty() && !rich.empty()) {
    const auto small = static_cast<std::size_t>(poor.back());
    const auto large = static_cast<std::size_t>(rich.back());
    poor.pop_back();
    law.slots_[small] = {.threshold = static_cast<std::uint32_t>(shares[small] * 0x1p32),
                         .other = static_cast<std::int32_t>(large)};
    shares[large] -= 1 - shares[small];
    if (shares[large] >= 1) continue;
    rich.pop_back();
    poor.push_back(static_cast<std::int32_t>(large));
  }
  return law;  // the rest have a share of 1 up to rounding, and keep their own slots
}

std::int32_t NegativeLaw::draw(RandomDraws& draws) const {
  const auto word = static_cast<std::int32_t>(draws.below(static_cast<std::uint64_t>(size_)));
  if (slots_.empty()) return word;
  const auto& slot = slots_[static_cast<std::size_t>(word)];
  return (draws.next() >> 32) < slot.threshold ? word : slot.other;
}

double NegativeLaw::probability(std::int32_t word) const {
  if (slots_.empty()) return 1.0 / size_;
  double share = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const double own = slots_[k].threshold * 0x1p-32;
    if (static_cast<std::int32_t>(k) == word) share += own;
    if (slots_[k].other == word) share += 1 - own;
  }
  return share / size_;
}

std::vector<std::uint64_t> keep_thresholds(const Vocabulary& vocabulary, double t) {
  expect_counts(vocabulary, "leaving frequent words out at random");
  if (!(t > 0) || std::isinf(t)) {
    throw base::UsageError("sample must be above 0 and finite, got {}", t);
  }
  const double total = total_count(vocabulary);
  std::vector<std::uint64_t> thresholds;
  for (const auto count : vocabulary.counts()) {
    const double ratio = count == 0 ? 1 : t * total / static_cast<double>(count);
    const double keep = std::sqrt(ratio) + ratio;
    thresholds.push_back(keep >= 1 ? std::numeric_limits<std::uint64_t>::max()
                                   : static_cast<std::uint64_t>(keep * 0x1p64));
  }
  return thresholds;
}

}  // namespace tacet::data
