#include "tacet/privacy/sparse_bounded_sum.h"

#include "tacet/base/error.h"

namespace tacet::privacy {

SparseBoundedSum SparseBoundedSum::from_certified(Certified /*proof*/, std::int64_t size,
                                                  std::vector<random::ScoredCandidate> touched,
                                                  std::int64_t contribution_bound, Sample sample) {
  // Beyond 2^52 the bound would not be exact in the accountant's doubles.
  constexpr auto largest = std::int64_t{1} << 52;
  constexpr auto largest_value = std::int64_t{1} << 60;
  if (contribution_bound < 1 || contribution_bound > largest) {
    throw base::UsageError("the contribution bound must lie in [1, {}], got {}", largest,
                           contribution_bound);
  }
  if (size < 0) throw base::UsageError("a sum has 0 or more coordinates, got {}", size);
  random::internal::check_candidates(size, touched);
  for (const auto& item : touched) {
    if (item.score < -largest_value || item.score > largest_value) {
      throw base::UsageError("the values of a sparse sum must lie within 2^60 grid units of 0");
    }
  }
  return {size, std::move(touched), contribution_bound, sample};
}

}  // namespace tacet::privacy
