#include "tacet/mechanism/point/level_sets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tacet::mechanism::internal {
namespace {

constexpr int digit_bits = 11;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t worth_counting = 4096;

void counting_pass(const std::vector<Key>& from, std::vector<Key>& to, int shift) {
  const auto digit = [shift](Key key) {
    return (static_cast<std::uint64_t>(key) >> shift) & (digits - 1);
  };
  std::array<std::size_t, digits> place{};
  for (const Key key : from) ++place[digit(key)];
  std::size_t sum = 0;
  for (auto& count : place) {
    const std::size_t next = sum + count;
    count = sum;
    sum = next;
  }
  for (const Key key : from) to[place[digit(key)]++] = key;
}

/// Runs appended from left to right without gaps.
class RunList {
 public:
  explicit RunList(std::int64_t last) : end_(last + 1) {}

  /// Points up to and without `end` get `level`.
  void extend(std::int64_t end, std::int64_t level) {
    const std::int64_t stop = std::min(end, end_);
    if (stop <= next_) return;
    const auto count = static_cast<std::uint64_t>(stop - next_);
    if (!runs_.empty() && runs_.back().level == level) {
      runs_.back().count += count;
    } else {
      runs_.push_back({count, level});
    }
    next_ = stop;
  }

  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] std::vector<random::WeightedLevel> take() { return std::move(runs_); }

 private:
  std::int64_t next_ = 0;
  std::int64_t end_;
  std::vector<random::WeightedLevel> runs_;
};

/// The points that are pulled to the right: the first ones, by less and less.
void add_right_pulled(const Pulls& pulls, GridShape grid, RunList& runs) {
  const std::int64_t wall = grid.last - grid.radius;  // first point with j + R >= last
  std::int64_t pull = pulls.right_pull;
  for (std::size_t i = 0; i < pulls.keys.size() && pull > 0; ++i) {
    // The first j that has the key at or before j + R.
    const std::int64_t first = (pulls.keys[i] + 1) / 2 - grid.radius;
    runs.extend(std::min(first, wall), pull);
    pull -= pulls.weight(i);
  }
  if (pull > 0) runs.extend(wall, pull);
}

/// The points that are pulled to the left: the last ones, with increasing scores. All points
/// between those pulled to the right and these have score 0.
void add_left_pulled(const Pulls& pulls, GridShape grid, RunList& runs) {
  std::int64_t pull = pulls.left_pull;
  std::int64_t next = grid.radius + 1;  // first point with j - R > 0
  if (pull <= 0) next = 0;
  runs.extend(next, 0);
  for (std::size_t i = 0; i < pulls.keys.size(); ++i) {
    // The first j that has the key before j - R.
    runs.extend(pulls.keys[i] / 2 + grid.radius + 1, std::max<std::int64_t>(pull, 0));
    pull += pulls.weight(i);
  }
  runs.extend(runs.end(), std::max<std::int64_t>(pull, 0));
}

}  // namespace

void sort_keys(std::vector<Key>& keys, Key bound) {
  if (keys.size() < worth_counting) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  std::vector<Key> other(keys.size());
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bound)));
  for (int shift = 0; shift < bits; shift += digit_bits) {
    counting_pass(keys, other, shift);
    keys.swap(other);
  }
}

std::vector<random::WeightedLevel> level_runs(const Pulls& pulls, GridShape grid) {
  RunList runs(grid.last);
  add_right_pulled(pulls, grid, runs);
  add_left_pulled(pulls, grid, runs);
  return runs.take();
}

}  // namespace tacet::mechanism::internal
