#include "tacet/numeric/kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace tacet::numeric {
namespace scale_integers_test {

// All sizes of integers, those that no double holds among them.
TEST(ScaleIntegers, EveryVectorWidthRoundsTwiceAsTheScalarForm) {
  std::mt19937_64 bits(1);
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::int64_t> integers(size);
    for (auto& integer : integers) {
      integer = static_cast<std::int64_t>(bits()) >> (bits() % 64);
    }
    if (size > 2) integers[1] = std::numeric_limits<std::int64_t>::min();
    if (size > 2) integers[2] = std::numeric_limits<std::int64_t>::max();
    for (const double unit : {0x1p-24, 0.1, 1e30, 1e-55}) {
      for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        for (const bool past_caches : {false, true}) {
          std::vector<double> reals(size + 1);
          scale_integers(integers, unit, std::span(reals).subspan(1), past_caches);
          for (std::size_t j = 0; j < size; ++j) {
            EXPECT_EQ(reals[j + 1], static_cast<double>(integers[j]) * unit)
                << hwy::TargetName(target) << ' ' << size << ' ' << unit;
          }
        }
      }
      hwy::SetSupportedTargetsForTest(0);
    }
  }
}

}  // namespace scale_integers_test
}  // namespace tacet::numeric
