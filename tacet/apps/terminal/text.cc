#include "tacet/apps/terminal/text.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "tacet/base/text.h"

namespace tacet::apps {
namespace {

constexpr std::size_t gap = 2;

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::size_t display_width(const std::string& text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_code_point));
}

void TextTable::add(std::vector<std::string> row) {
  for (auto& cell : row) cell = base::printable(cell);
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - display_width(row[i]), ' ');
      if (i > 0) line.append(gap, ' ');
      line += i == 0 ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::istringstream words(text);
  std::string out;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    word = base::printable(word);
    const auto length = display_width(word);
    if (used > 0 && used + 1 + length > width) {
      out += "\n" + indent;
      used = 0;
    }
    if (used > 0) out += ' ';
    out += word;
    used += length + (used > 0 ? 1 : 0);
  }
  return out;
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:+,@%=";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace tacet::apps
