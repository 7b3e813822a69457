#include "tacet/data/owner/draft_remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "tacet/data/ascii.h"
#include "tacet/data/owner/guess_spelling.h"

namespace tacet::data {
namespace {

/// Accents that are characters of their own beside letters that have theirs, which look alike.
std::string mixed_accents(const std::vector<std::string>& texts) {
  const auto has = [](const std::string& text, char first, unsigned least, unsigned most) {
    for (std::size_t k = 0; k + 1 < text.size(); ++k) {
      const unsigned code = static_cast<unsigned char>(text[k + 1]);
      if (text[k] == first && code >= least && code <= most) return true;
    }
    return false;
  };
  const auto apart = [&](const std::string& text) {
    return has(text, '\xcc', 0x80, 0xbf) || has(text, '\xcd', 0x80, 0xaf);
  };
  const auto joined = [&](const std::string& text) { return has(text, '\xc3', 0x80, 0xbf); };
  const auto first = std::ranges::find_if(texts, apart);
  if (first == texts.end() || std::ranges::none_of(texts, joined)) return {};
  return fmt::format(
      "In \"{}\" an accent is a character of its own, in others it is a part of the letter: one "
      "text may count as two. Write them one way: uconv -x any-nfc FILE.",
      *first);
}

}  // namespace

std::string folded(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto rest = text.substr(k);
    const bool blank = rest.starts_with("\xc2\xa0");
    const bool unseen = rest.starts_with("\xe2\x80\x8b") || rest.starts_with("\xe2\x80\x8e") ||
                        rest.starts_with("\xe2\x80\x8f") || rest.starts_with("\xef\xbb\xbf");
    if (!blank && !unseen) {
      result += lower_case(text[k]);
      continue;
    }
    if (blank) result += ' ';
    k += blank ? 1 : 2;
  }
  return std::string(without_blanks(result));
}

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

std::string alike_remark(const std::vector<std::string>& texts, std::string_view things) {
  std::map<std::string, std::string> found;
  for (const auto& text : texts) {
    const auto [place, is_new] = found.emplace(folded(text), text);
    if (is_new) continue;
    return fmt::format(
        "\"{}\" and \"{}\" are two {}: one? Then write it one way in the "
        "file.",
        place->second, text, things);
  }
  return mixed_accents(texts);
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
