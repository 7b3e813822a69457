#include "tacet/report/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "tacet/base/text.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/text/cells.h"

namespace tacet::report {
namespace {

constexpr std::size_t terminal_width = 96;
constexpr std::size_t max_text_rows = 40;
constexpr std::size_t max_cell_letters = 40;

std::size_t letters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

/// Broken at blanks, each line behind `indent`.
std::string lines_of(std::string_view text, const std::string& indent) {
  const auto shown = base::printable(text);
  std::string out;
  std::string line;
  std::size_t at = 0;
  while (at <= shown.size()) {
    const auto end = std::min(shown.find(' ', at), shown.size());
    const auto word = shown.substr(at, end - at);
    if (!line.empty() && letters_of(line) + 1 + letters_of(word) > terminal_width) {
      out += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + indent + line + "\n";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const auto letters = letters_of(text);
  const std::string room(width > letters ? width - letters : 0, ' ');
  return right ? room + text : text + room;
}

std::string table_text(const Table& table, const std::string& indent) {
  const auto rows = std::min(table.rows.size(), max_text_rows);
  std::vector<std::vector<std::string>> cells;
  if (std::ranges::any_of(table.header, [](const auto& name) { return !name.empty(); })) {
    cells.push_back(table.header);
  }
  for (std::size_t k = 0; k < rows; ++k) {
    auto& row = cells.emplace_back();
    for (const auto& cell : table.rows[k]) row.push_back(cell_text(cell));
    if (!table.depths.empty()) {
      row.front().insert(0, static_cast<std::size_t>(2 * table.depths[k]), ' ');
    }
  }
  std::vector<std::size_t> widths;
  std::vector<bool> numeric;
  for (auto& row : cells) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = shortened(base::printable(row[k]), max_cell_letters);
      if (widths.size() <= k) widths.push_back(0);
      widths[k] = std::max(widths[k], letters_of(row[k]));
    }
  }
  for (std::size_t k = 0; k < widths.size(); ++k) {
    numeric.push_back(rows > 0 && std::ranges::all_of(table.rows, [&](const auto& row) {
                        return k < row.size() && is_number(row[k]);
                      }));
  }
  std::string out = indent + base::printable(table.caption) + "\n";
  for (const auto& row : cells) {
    std::string line = indent;
    for (std::size_t k = 0; k < row.size(); ++k) {
      line += (k == 0 ? "  " : "  ") + padded(row[k], widths[k], numeric[k]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (rows < table.rows.size()) {
    out += fmt::format("{}  ... and {} rows more\n", indent, table.rows.size() - rows);
  }
  return out;
}

std::string blocks_text(const std::vector<Block>& blocks);

struct BlockText {
  std::string operator()(const Paragraph& block) const { return lines_of(block.text, "") + "\n"; }
  std::string operator()(const Heading& block) const {
    return "-- " + lines_of(block.text, "") + "\n";
  }
  std::string operator()(const Answers& block) const {
    std::string out;
    for (const auto& [question, answer] : block.items) {
      out += lines_of(question, "") + lines_of(answer, "    ") + "\n";
    }
    return out;
  }
  std::string operator()(const Picture& block) const {
    return lines_of(block.title + ": " + block.finding, "") + table_text(block.numbers, "  ") +
           "\n";
  }
  std::string operator()(const Table& block) const { return table_text(block, "") + "\n"; }
  std::string operator()(const Code& block) const {
    return "    " + base::printable(block.text) + "\n\n";
  }
  std::string operator()(const Points& block) const {
    std::string out;
    for (const auto& item : block.items) out += lines_of("- " + item, "  ");
    return out + "\n";
  }
  std::string operator()(const Folded& block) const {
    return lines_of("[" + block.summary + "]", "") + "\n";
  }
  std::string operator()(const Beside& block) const { return blocks_text(block.blocks); }
};

std::string blocks_text(const std::vector<Block>& blocks) {
  std::string out;
  for (const auto& block : blocks) out += std::visit(BlockText{}, block.content);
  return out;
}

}  // namespace

std::string report_text(const Report& report) {
  std::string out;
  if (!report.banner.empty()) out += lines_of("*** " + report.banner, "") + "\n";
  out += lines_of(report.title, "");
  if (!report.subtitle.empty()) out += lines_of(report.subtitle, "");
  for (const auto& section : report.sections) {
    out += "\n== " + section.title + "\n\n" + blocks_text(section.blocks);
  }
  return out;
}

}  // namespace tacet::report
