#include "tacet/base/large_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace tacet::base {
namespace large_pages_test {

TEST(LargePages, ArraysAreZerosWhateverPagesTheyAreOn) {
  for (const std::size_t size : {0U, 1U, 1000U, 524288U, 600001U, 3000000U}) {
    const auto array = large_array<std::int64_t>(size);
    ASSERT_EQ(array.size(), size);
    EXPECT_EQ(std::ranges::count(array, 0), static_cast<std::ptrdiff_t>(size));
  }
}

// Memory that holds something keeps it: the advice is about pages, not about their content.
TEST(LargePages, AdviceChangesNothing) {
  std::vector<std::int64_t> array(1000003);
  for (std::size_t j = 0; j < array.size(); ++j) array[j] = static_cast<std::int64_t>(j * j);
  prefer_large_pages(array.data(), array.size() * sizeof(std::int64_t));
  for (std::size_t j = 0; j < array.size(); ++j) {
    ASSERT_EQ(array[j], static_cast<std::int64_t>(j * j));
  }
  prefer_large_pages(nullptr, 0);
}

}  // namespace large_pages_test
}  // namespace tacet::base
