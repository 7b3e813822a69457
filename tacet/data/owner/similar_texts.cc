#include "tacet/data/owner/similar_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "tacet/data/ascii.h"

namespace tacet::data {
namespace {

/// About words in which some accents are separate characters and others are part of their letter,
/// which look the same.
std::string mixed_accents(const std::vector<std::string>& texts) {
  const auto has = [](const std::string& text, char first, unsigned min, unsigned max) {
    for (std::size_t k = 0; k + 1 < text.size(); ++k) {
      const unsigned code = static_cast<unsigned char>(text[k + 1]);
      if (text[k] == first && code >= min && code <= max) return true;
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

bool joins_words(char c) {
  return (lower_case(c) >= 'a' && lower_case(c) <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}

/// A folded text without the signs between two letters: St. Gallen becomes StGallen, A- stays A-.
std::string joined_letters(std::string_view text) {
  constexpr std::string_view between = " ._-";
  const auto folded_text = folded(text);
  std::string result;
  for (std::size_t k = 0; k < folded_text.size(); ++k) {
    const auto next = folded_text.find_first_not_of(between, k);
    const bool within = next != k && next != std::string::npos && !result.empty() &&
                        joins_words(result.back()) && joins_words(folded_text[next]);
    if (within) k = next;
    result += folded_text[k];
  }
  return result;
}

/// The characters of a text in UTF-8, small letters of ASCII.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> found;
  for (const char c : text) {
    const bool follows = (static_cast<unsigned char>(c) & 0xc0) == 0x80 && !found.empty();
    if (follows) {
      found.back() += c;
    } else {
      found.emplace_back(1, lower_case(c));
    }
  }
  return found;
}

/// Whether two texts differ by one character too many, too few or wrong, or by two in the other
/// order.
bool one_slip_apart(std::string_view first_text, std::string_view second_text) {
  constexpr std::size_t shortest = 4;  // in a shorter word, one letter makes a different word
  auto first = characters(first_text);
  auto second = characters(second_text);
  if (first.size() > second.size()) std::swap(first, second);
  const auto at =
      static_cast<std::size_t>(std::ranges::mismatch(first, second).in1 - first.begin());
  // Whether both texts are equal after that many characters of each.
  const auto alike = [&](std::size_t of_first, std::size_t of_second) {
    return std::ranges::equal(std::span(first).subspan(at + of_first),
                              std::span(second).subspan(at + of_second));
  };
  if (first.size() < second.size()) {
    return second.size() == first.size() + 1 && first.size() >= shortest && alike(0, 1);
  }
  if (at == first.size()) return false;
  const bool swapped = at + 1 < first.size() && first[at] == second[at + 1] &&
                       first[at + 1] == second[at] && alike(2, 2);
  return swapped || (first.size() >= shortest && alike(1, 1));
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

std::string alike_remark(const std::vector<std::string>& texts, std::string_view things) {
  std::map<std::string, std::string> found;
  for (const auto& text : texts) {
    const auto [place, is_new] = found.emplace(joined_letters(text), text);
    if (is_new) continue;
    return fmt::format("\"{}\" and \"{}\" are two {}: one? Then write it one way in the file.",
                       place->second, text, things);
  }
  return mixed_accents(texts);
}

std::string initials_remark(const std::vector<std::string>& texts) {
  std::vector<std::string> pairs;
  for (const auto& letter : texts) {
    if (letter.size() != 1 || !joins_words(letter.front())) continue;
    const auto word = std::ranges::find_if(texts, [&](const auto& text) {
      return text.size() > 1 && joins_words(text[1]) &&
             lower_case(text.front()) == lower_case(letter.front());
    });
    if (word != texts.end()) pairs.push_back(fmt::format("\"{}\" and \"{}\"", letter, *word));
  }
  if (pairs.size() < 2) return {};
  return fmt::format(
      "{}, {} are categories of their own: one thing in two spellings? Then write it one way in "
      "the file.",
      pairs[0], pairs[1]);
}

std::string misspelt_remark(const TextCounts& counts) {
  constexpr std::int64_t rare = 2;
  constexpr std::int64_t usual = 20;
  for (const auto& [text, count] : counts) {
    // Digits distinguish codes, so texts with digits are not compared.
    if (count > rare || std::ranges::any_of(text, is_digit)) continue;
    const auto near = std::ranges::find_if(counts, [&](const auto& other) {
      return other.second >= usual && one_slip_apart(text, other.first);
    });
    if (near == counts.end()) continue;
    return fmt::format(
        "\"{}\" occurs {} and \"{}\" {} times: misspelt? Then mend it in the file, or take it out "
        "of the list.",
        text, count == 1 ? "once" : "twice", near->first, near->second);
  }
  return {};
}

}  // namespace tacet::data
