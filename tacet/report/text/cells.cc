#include "tacet/report/text/cells.h"

#include <fmt/format.h>

#include <variant>

#include "tacet/report/figure/labels.h"

namespace tacet::report {

std::string cell_text(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return number_text(*number, 4);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  return std::get<std::string>(cell);
}

std::string exact_text(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  return cell_text(cell);
}

bool is_number(const Cell& cell) { return !std::holds_alternative<std::string>(cell); }

void each_picture(const std::vector<Block>& blocks,
                  const std::function<void(const Picture&)>& take) {
  for (const auto& block : blocks) {
    if (const auto* picture = std::get_if<Picture>(&block.content)) take(*picture);
    if (const auto* folded = std::get_if<Folded>(&block.content))
      each_picture(folded->blocks, take);
    if (const auto* beside = std::get_if<Beside>(&block.content))
      each_picture(beside->blocks, take);
  }
}

}  // namespace tacet::report
