#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tacet/mechanism/select/draws.h"
#include "tacet/random/choose/peeling.h"

namespace tacet::mechanism::internal {

/// An array of 0, ..., size - 1 from which elements are taken in any order; the last one replaces a
/// taken one. Only touched entries are stored.
class VirtualArray {
 public:
  explicit VirtualArray(std::int64_t size) : size_(size) {}

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t at(std::int64_t place) const {
    const auto found = moved_.find(place);
    return found == moved_.end() ? place : found->second;
  }
  std::int64_t take(std::int64_t place) {
    const std::int64_t taken = at(place);
    moved_[place] = at(--size_);
    return taken;
  }

 private:
  std::int64_t size_;
  std::unordered_map<std::int64_t, std::int64_t> moved_;
};

/// Candidates of which only those with a score are listed, and of which some are taken out.
class SparsePool {
 public:
  SparsePool(std::int64_t population, std::span<const random::ScoredCandidate> listed)
      : listed_(listed), left_(population), by_score_(listed.begin(), listed.end()) {
    std::ranges::sort(by_score_, {}, &random::ScoredCandidate::score);
    unlisted_ = population - std::ssize(listed);
  }

  [[nodiscard]] std::int64_t size() const { return left_.size(); }
  [[nodiscard]] std::int64_t candidate(std::int64_t place) const { return left_.at(place); }
  [[nodiscard]] std::int64_t score(std::int64_t candidate) const {
    return random::score_of(listed_, candidate);
  }
  /// The best of the candidates that are left. At least one must be.
  [[nodiscard]] std::int64_t best() const {
    const bool others = unlisted_ > 0;
    if (by_score_.empty()) return 0;
    return others ? std::max<std::int64_t>(by_score_.back().score, 0) : by_score_.back().score;
  }
  /// Takes the candidate at a place out.
  std::int64_t take(std::int64_t place) {
    const std::int64_t taken = left_.take(place);
    const auto found = std::ranges::find(by_score_, taken, &random::ScoredCandidate::index);
    if (found == by_score_.end()) {
      --unlisted_;
    } else {
      by_score_.erase(found);
    }
    return taken;
  }

 private:
  std::span<const random::ScoredCandidate> listed_;
  VirtualArray left_;
  std::vector<random::ScoredCandidate> by_score_;  // those left, ascending
  std::int64_t unlisted_ = 0;                      // left
};

/// One draw of permute-and-flip from the pool, which loses it.
template <Draws C>
[[nodiscard]] std::int64_t permute_and_flip(SparsePool& pool, random::WideRatio rate, C& draws) {
  const std::int64_t best = pool.best();
  VirtualArray order(pool.size());
  while (true) {
    // The last one left is a best one, which is always accepted.
    const std::int64_t place = order.take(
        static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(order.size()))));
    const auto shortfall = static_cast<std::uint64_t>(best) -
                           static_cast<std::uint64_t>(pool.score(pool.candidate(place)));
    if (draws.exp_decision({rate.numerator * shortfall, rate.denominator})) return pool.take(place);
  }
}

}  // namespace tacet::mechanism::internal
