#include "tacet/base/nearest_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace tacet::base {
namespace {

/// Levenshtein's distance by rows.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t best_distance = word.size() / 2 + 1;  // further apart is no misspelling
  for (const std::string& candidate : known) {
    const auto distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const auto near = nearest_word(word, known);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

}  // namespace tacet::base
