#pragma once

#include <string>
#include <vector>

/// Text as a person reads it in a terminal, and copies it.
namespace tacet::apps {

/// A table in aligned columns: the first one to the left, the others (numbers) to the right. Cells
/// may hold text from files: a cell is shown on one line, its control characters escaped.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { add(std::move(header)); }
  void add(std::vector<std::string> row);
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Columns on a terminal: code points, which is what European names need.
[[nodiscard]] std::size_t display_width(const std::string& text);

/// Breaks text at blanks into lines of at most `width`; each but the first starts with `indent`,
/// which does not count. Other control characters than blanks and line ends are escaped.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t width,
                                  const std::string& indent);

/// A word of a shell, in quotes where it needs them: for command lines that a person copies.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace tacet::apps
