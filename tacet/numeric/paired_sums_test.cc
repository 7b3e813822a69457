#include "tacet/numeric/paired_sums.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <span>
#include <vector>

#include "tacet/numeric/pair_products.h"

namespace tacet::numeric {
namespace paired_sums_test {

// Kernels have a version more than tests where one instruction multiplies and adds.
std::vector<std::int64_t> instruction_sets() {
  auto targets = hwy::SupportedAndGeneratedTargets();
  if ((hwy::SupportedTargets() & HWY_AVX3_DL) != 0) targets.push_back(HWY_AVX3_DL);
  return targets;
}

// The last count's sums reach beyond 30 bits.
TEST(PairedSums, AreExactForEveryInstructionSet) {
  std::mt19937_64 bits(3);
  for (const std::int64_t target : instruction_sets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const std::size_t pairs : {0U, 1U, 2U, 7U, 532U}) {
      for (const std::size_t blocks : {1U, 2U, 5U}) {
        const std::size_t groups = pairs % 3 + 1;
        const int largest = pairs < 8 ? 11000 : 1400;
        std::uniform_int_distribution<int> number(-largest, largest);
        std::vector<std::uint32_t> words(blocks * pairs * paired_columns);
        std::vector<std::uint32_t> vectors(groups * pairs * paired_vectors);
        const auto draw = [&] {
          return paired(static_cast<std::int16_t>(number(bits)),
                        static_cast<std::int16_t>(number(bits)));
        };
        for (auto& word : words) word = draw();
        for (auto& word : vectors) word = draw();
        const std::size_t columns = blocks * paired_columns;
        std::vector<std::int32_t> sums(groups * columns * paired_vectors, -1);
        std::vector<std::span<const std::uint32_t>> spans;
        for (std::size_t g = 0; g < groups; ++g) {
          const std::size_t size = pairs * paired_vectors;
          spans.push_back(std::span(vectors).subspan(g * size, size));
        }
        multiply_paired(words, spans, sums);
        for (std::size_t v = 0; v < groups * paired_vectors; ++v) {
          for (std::size_t c = 0; c < columns; ++c) {
            std::int64_t sum = 0;
            for (std::size_t p = 0; p < pairs; ++p) {
              const auto one = words[c / paired_columns * pairs * paired_columns +
                                     p * paired_columns + c % paired_columns];
              const auto other = spans[v / paired_vectors][p * paired_vectors + v % paired_vectors];
              sum += static_cast<std::int16_t>(one) * static_cast<std::int16_t>(other) +
                     static_cast<std::int16_t>(one >> 16) * static_cast<std::int16_t>(other >> 16);
            }
            ASSERT_EQ(sums[v * columns + c], sum) << pairs << ' ' << blocks << ' ' << c;
          }
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace paired_sums_test
}  // namespace tacet::numeric
