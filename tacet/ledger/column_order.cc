#include "tacet/ledger/column_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace tacet::ledger::internal {
namespace {

/// The last step of SplitMix64. Colours are only used to sort, so no key is needed.
std::uint64_t stirred(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
std::uint64_t stirred(std::uint64_t a, std::uint64_t b) {
  return stirred(stirred(a + 0x9e3779b97f4a7c15U) + b);
}

class Refinement {
 public:
  Refinement(const PlacedTable& table, std::size_t columns)
      : table_(table), colours_(columns, 0), contents_(columns, 0) {
    std::size_t first = 0;
    for (std::size_t row = 0; row < table.ends.size(); ++row) {
      for (; first < table.ends[row]; ++first) {
        const auto& [column, value] = table.values[first];
        contents_[column] += stirred(row, value);
      }
    }
  }

  std::vector<std::uint32_t> ranks() {
    refine();
    while (work_ < max_work) {
      const auto picked = first_of_a_tie();
      if (!picked) break;
      colours_[*picked] = stirred(colours_[*picked], 1);
      refine();
    }
    std::vector<std::uint32_t> order(colours_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t column) { return colours_[column]; });
    std::vector<std::uint32_t> ranks(order.size());
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
    return ranks;
  }

 private:
  static constexpr std::size_t max_work = std::size_t{1} << 26;  // values that may be read

  [[nodiscard]] std::size_t different() const {
    auto sorted = colours_;
    std::ranges::sort(sorted);
    return static_cast<std::size_t>(std::ranges::unique(sorted).begin() - sorted.begin());
  }

  /// Colours records by their columns and columns by their records, until no colour class splits
  /// any more.
  void refine() {
    std::size_t before = 0;
    for (auto now = different(); now > before && work_ < max_work; now = different()) {
      before = now;
      std::vector<std::uint64_t> next(colours_.size(), 0);
      std::size_t first = 0;
      for (const auto end : table_.ends) {
        std::uint64_t row = 0;
        for (auto k = first; k < end; ++k) {
          row += stirred(colours_[table_.values[k].column], table_.values[k].value);
        }
        for (; first < end; ++first) {
          const auto& [column, value] = table_.values[first];
          next[column] += stirred(row, value);
        }
      }
      for (std::size_t k = 0; k < next.size(); ++k) next[k] = stirred(colours_[k], next[k]);
      colours_ = std::move(next);
      work_ += table_.values.size() + colours_.size() + 1;
    }
  }

  /// A column that shares its colour with a column of other contents.
  [[nodiscard]] std::optional<std::size_t> first_of_a_tie() const {
    std::map<std::uint64_t, std::size_t> firsts;
    std::optional<std::pair<std::uint64_t, std::size_t>> found;
    for (std::size_t k = 0; k < colours_.size(); ++k) {
      const auto first = firsts.emplace(colours_[k], k).first->second;
      if (contents_[first] == contents_[k]) continue;
      if (!found || colours_[k] < found->first) found = {colours_[k], first};
    }
    return found ? std::optional(found->second) : std::nullopt;
  }

  const PlacedTable& table_;
  std::vector<std::uint64_t> colours_;
  std::vector<std::uint64_t> contents_;
  std::size_t work_ = 0;
};

}  // namespace

std::vector<std::uint32_t> column_ranks(const PlacedTable& table, std::size_t columns) {
  return Refinement(table, columns).ranks();
}

}  // namespace tacet::ledger::internal
