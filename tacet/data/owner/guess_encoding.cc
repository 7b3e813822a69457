#include "tacet/data/owner/guess_encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/data/ascii.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/transcode.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;

bool ascii_letter(char c) { return lower_case(c) >= 'a' && lower_case(c) <= 'z'; }
bool beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// The kinds of characters that bytes from 0x80 up are in Windows-1252.
enum class Kind { small, capital, sign, within_words, none };

Kind kind_of(char c) {
  constexpr auto none = std::string_view("\x81\x8d\x8f\x90\x9d");
  // Apostrophes, dashes, points and the soft hyphen occur between letters.
  constexpr auto within = std::string_view("\x85\x91\x92\x96\x97\xad\xb4\xb7");
  constexpr auto small = std::string_view("\x83\x9a\x9c\x9e\xaa\xb5\xba");
  constexpr auto capital = std::string_view("\x8a\x8c\x8e\x9f");
  const auto code = static_cast<unsigned char>(c);
  if (code < 0x80) return lower_case(c) == c ? Kind::small : Kind::capital;
  if (none.find(c) != std::string_view::npos) return Kind::none;
  if (within.find(c) != std::string_view::npos) return Kind::within_words;
  if (small.find(c) != std::string_view::npos) return Kind::small;
  if (capital.find(c) != std::string_view::npos) return Kind::capital;
  if (code < 0xc0 || code == 0xd7 || code == 0xf7) return Kind::sign;
  return code < 0xdf ? Kind::capital : Kind::small;
}

bool is_letter(Kind kind) { return kind == Kind::small || kind == Kind::capital; }

/// Signs that never occur beside a letter. Trailing bytes of Chinese characters are letters.
bool bound_to_no_letter(char c) {
  constexpr auto signs = std::string_view("\xa4\xa5\xa6\xa8\xac\xaf\xb8\xd7\xf7");
  return signs.find(c) != std::string_view::npos;
}

/// Whether no language for which Windows-1252 was made has such a word.
bool strange(std::string_view word) {
  constexpr std::size_t max_in_a_row = 2;
  std::size_t in_a_row = 0;
  std::size_t beyond = 0;
  for (std::size_t k = 0; k < word.size(); ++k) {
    const auto kind = kind_of(word[k]);
    if (kind == Kind::none) return true;
    in_a_row = beyond_ascii(word[k]) ? in_a_row + 1 : 0;
    if (beyond_ascii(word[k])) ++beyond;
    if (in_a_row > max_in_a_row) return true;
    if (bound_to_no_letter(word[k]) && word.size() > 1) return true;
    if (k == 0 || k + 1 == word.size() || !beyond_ascii(word[k])) continue;
    const auto before = kind_of(word[k - 1]);
    const auto after = kind_of(word[k + 1]);
    if (kind == Kind::sign && is_letter(before) && is_letter(after)) return true;
    if (kind == Kind::capital && before == Kind::small && after == Kind::small) return true;
  }
  return beyond > 1 && beyond == word.size();
}

/// The words with characters beyond ASCII in a file that is not UTF-8.
class WesternWords {
 public:
  void add(std::string_view line, std::int64_t number) {
    constexpr char unbroken_blank = '\xa0';
    const auto in_word = [](char c) {
      return c != unbroken_blank && (ascii_letter(c) || beyond_ascii(c));
    };
    for (auto from = line.begin(); from != line.end();) {
      from = std::find_if(from, line.end(), in_word);
      const auto end = std::find_if_not(from, line.end(), in_word);
      const std::string_view word(from, end);
      from = end;
      // If a UTF-8 file has a damaged character, its other words are valid UTF-8; ignore them.
      if (std::ranges::none_of(word, beyond_ascii) || valid_utf8(word)) continue;
      ++words_;
      if (!strange(word)) continue;
      if (strange_++ > 0) continue;
      first_ = utf8_text(word);
      line_ = number;
    }
  }

  void check(const std::filesystem::path& file) const {
    constexpr std::int64_t of_so_many = 4;
    if (strange_ == 0 || of_so_many * strange_ < words_) return;
    throw base::DataError(
        "{}:{}: the file is no UTF-8, and \"{}\" here, read as windows-1252, is no word, so it is "
        "in another encoding. Convert it, with its name for CP850 (others are CP437, MACINTOSH, "
        "CP1250, CP1251, GBK, SHIFT_JIS, EUC-KR): iconv -f CP850 -t UTF-8 FILE | tacet ... -. If "
        "it is windows-1252 all the same, say so: `encoding` \"windows-1252\"",
        file.string(), line_, first_);
  }

 private:
  std::int64_t words_ = 0;
  std::int64_t strange_ = 0;
  std::string first_;
  std::int64_t line_ = 0;
};

/// Whole lines of a file, with their numbers.
template <typename Receive>
void give_numbered_lines(const std::filesystem::path& file, const Receive& receive) {
  const auto source = open_source(file);
  std::string text;
  std::array<char, block_bytes> buffer{};
  std::int64_t number = 0;
  const auto give = [&](std::string_view lines) {
    while (!lines.empty()) {
      const auto end = std::min(lines.find('\n'), lines.size() - 1);
      receive(lines.substr(0, end + 1), ++number);
      lines.remove_prefix(end + 1);
    }
  };
  while (const auto count = source->read(buffer)) {
    text.append(buffer.data(), count);
    const auto end = text.rfind('\n');
    if (end == std::string::npos) continue;
    give(std::string_view(text).substr(0, end + 1));
    text.erase(0, end + 1);
  }
  give(text);
}

/// ISO-2022 names the set of characters that follows by an escape.
bool switches_characters(std::string_view line) {
  return line.find("\x1b$") != std::string_view::npos;
}

}  // namespace

TextEncoding guess_encoding(const std::filesystem::path& file) {
  if (encoding_by_mark(file) == TextEncoding::utf_16) return TextEncoding::utf_16;
  bool utf8 = true;
  WesternWords words;
  give_numbered_lines(file, [&](std::string_view line, std::int64_t number) {
    utf8 = utf8 && valid_utf8(line);
    if (!utf8) words.add(line, number);
    if (!switches_characters(line)) return;
    throw base::DataError(
        "{}:{}: escapes switch between sets of characters, as in ISO-2022-JP; convert the file: "
        "iconv -f ISO-2022-JP -t UTF-8 FILE | tacet ... -",
        file.string(), number);
  });
  if (utf8) return TextEncoding::utf_8;
  words.check(file);
  return TextEncoding::windows_1252;
}

}  // namespace tacet::data
