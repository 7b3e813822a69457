#include "tacet/data/owner/draft_remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "tacet/data/ascii.h"
#include "tacet/data/owner/guess_spelling.h"
#include "tacet/data/owner/similar_texts.h"

namespace tacet::data {

std::string lone_numbers(const ColumnFacts& facts) {
  const auto far = facts.far_numbers();
  if (!far.empty()) {
    std::vector<std::string> texts;
    for (const auto& one : far) texts.push_back(one.text);
    const bool single = texts.size() == 1;
    return fmt::format(
        "{}, {}in line {}, {} far from all others: {} or {} for a missing value? Then mend {}, or "
        "list {} under missing, and mend the bounds.",
        fmt::join(texts, ", "), single ? "" : "the first ", far.front().line, single ? "is" : "are",
        single ? "a fault" : "faults", single ? "a code" : "codes", single ? "it" : "them",
        single ? "it" : "them");
  }
  if (const auto times = facts.frequent_99(); times > 0) {
    return fmt::format(
        "99 is the largest number and occurs {} times: a code for a missing value? Then list it "
        "under missing, and mend the upper bound.",
        times);
  }
  const double next = facts.above_lone_zeros();
  if (next == 0) return {};
  return fmt::format(
      "0 stands apart: the next number is {}. Does it mean a missing value? Then list 0 under "
      "missing, and mend the lower bound.",
      next);
}

std::string missing_remark(const std::vector<std::string>& texts, std::string_view thing) {
  for (const auto& text : texts) {
    if (!means_missing(text)) continue;
    return fmt::format("\"{}\" is {} here: a missing value? Then list it under missing.", text,
                       thing);
  }
  return {};
}

std::string several_remark(const std::vector<std::string>& texts) {
  constexpr std::size_t fewest = 4;  // combinations
  for (const char separator : {';', '|', ','}) {
    std::map<std::string_view, std::int64_t> parts;
    std::size_t combined = 0;
    for (const std::string_view text : texts) {
      combined += text.find(separator) == std::string_view::npos ? 0U : 1U;
      for (std::size_t at = 0; at <= text.size();) {
        const auto end = std::min(text.find(separator, at), text.size());
        ++parts[without_blanks(text.substr(at, end - at))];
        at = end + 1;
      }
    }
    // A list of answers has many combinations, so its parts occur again. A name with a comma, such
    // as "St. Gallen, Stadt", is one value.
    const bool again = std::ranges::all_of(parts, [](const auto& part) { return part.second > 1; });
    if (combined < fewest || parts.size() >= texts.size() || !again) continue;
    return fmt::format(
        "Several answers in a value, such as \"{}\"? Then kind = \"ids\" with separator = \"{}\".",
        *std::ranges::find_if(
            texts, [&](const auto& text) { return text.find(separator) != std::string::npos; }),
        separator);
  }
  return {};
}

std::string total_remark(const std::vector<std::string>& texts) {
  constexpr std::array<std::string_view, 14> words{
      "total",  "totals", "subtotal", "sub-total", "grand total", "sum",    "summe",
      "gesamt", "somme",  "totale",   "totaal",    "summa",       "totalt", "insgesamt"};
  for (const auto& text : texts) {
    if (std::ranges::find(words, folded(text)) == words.end()) continue;
    return fmt::format("\"{}\" is a category: lines of sums? Then take them out of the file.",
                       text);
  }
  return {};
}

}  // namespace tacet::data
