#include "tacet/audit/sensitivity_search.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/data/words/random_draws.h"

namespace tacet::audit {
namespace {

class Search {
 public:
  Search(const CertifiedBound& claim, std::uint64_t seed)
      : claim_(claim), draws_(seed), pair_(claim.numbers) {}

  void random_pair() {
    for (double& number : pair_) number = uniform();
    look();
  }

  void corner() {
    for (double& number : pair_) number = static_cast<double>(draws_.below(3)) - 1;
    look();
  }

  /// One number of the farthest pair moves, by less and less while nothing is gained.
  void climb() {
    pair_ = best_.pair;
    double& number = pair_[draws_.below(pair_.size())];
    const auto how = draws_.below(4);
    number = how == 0   ? uniform()
             : how == 1 ? static_cast<double>(draws_.below(3)) - 1
                        : std::clamp(number + reach_ * uniform(), -1.0, 1.0);
    constexpr double narrower = 0.98;
    constexpr double narrowest = 1e-4;
    reach_ = look() ? 1 : std::max(narrowest, narrower * reach_);
  }

  [[nodiscard]] Farthest found() && { return std::move(best_); }

 private:
  [[nodiscard]] double uniform() { return static_cast<double>(draws_.next() >> 11) * 0x1p-52 - 1; }

  /// Whether the pair lies further apart than all before it. A distance that is not a number counts
  /// as infinite.
  bool look() {
    PairNumbers numbers(pair_);
    const double share = claim_.share(numbers);
    if (share <= best_.share && !best_.pair.empty()) return false;
    best_ = {share, pair_};
    return true;
  }

  const CertifiedBound& claim_;
  data::RandomDraws draws_;
  std::vector<double> pair_;
  Farthest best_;
  double reach_ = 1;
};

}  // namespace

double PairNumbers::next() {
  if (place_ == numbers_.size()) throw base::InternalError("a pair of only {} numbers", place_);
  return numbers_[place_++];
}

std::int64_t PairNumbers::one_of(std::int64_t count) {
  return std::min(count - 1, static_cast<std::int64_t>(between(0, static_cast<double>(count))));
}

Farthest farthest_neighbours(const CertifiedBound& claim, std::int64_t pairs, std::uint64_t seed) {
  Search search(claim, seed);
  for (std::int64_t i = 0; i < pairs; ++i) {
    if (i < pairs / 4) {
      search.random_pair();
    } else if (i < pairs / 2) {
      search.corner();
    } else {
      search.climb();
    }
  }
  return std::move(search).found();
}

}  // namespace tacet::audit
