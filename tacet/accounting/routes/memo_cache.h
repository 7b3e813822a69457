#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace tacet::accounting {

/// Remembers the answers of a function of numbers, since plans ask the same again for each of many
/// candidates. A forgotten answer is computed again with the same bits. Use one cache per thread.
template <std::size_t inputs, std::size_t entries = 128>
class MemoCache {
 public:
  template <typename Compute>
  double operator()(const std::array<double, inputs>& asked, const Compute& compute) {
    std::array<std::uint64_t, inputs> bits;
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < inputs; ++i) {
      bits[i] = std::bit_cast<std::uint64_t>(asked[i]);
      place = (place ^ bits[i]) * 0x9e3779b97f4a7c15;  // Knuth's multiplicative hash
      place ^= place >> 32;
    }
    auto& entry = entries_[place % entries];
    if (!entry.filled || entry.asked != bits) {
      const double answer = compute();  // may throw, and may use this cache itself
      entry = {bits, answer, true};
    }
    return entry.answer;
  }

 private:
  struct Entry {
    std::array<std::uint64_t, inputs> asked{};
    double answer = 0;
    bool filled = false;
  };
  std::array<Entry, entries> entries_{};
};

}  // namespace tacet::accounting
