#include "tacet/report/text/numbers.h"

#include <nlohmann/json.hpp>
#include <variant>

#include "tacet/report/json.h"
#include "tacet/report/text/cells.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

/// As RFC 4180 has it: in quotes where a reader would cut it.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string csv_of(const Table& table) {
  std::string out;
  const auto end_cell = [&](bool last) { out += last ? "\n" : ","; };
  for (std::size_t k = 0; k < table.header.size(); ++k) {
    out += csv_cell(table.header[k]);
    end_cell(k + 1 == table.header.size());
  }
  for (const auto& row : table.rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      out += csv_cell(exact_text(row[k]));
      end_cell(k + 1 == row.size());
    }
  }
  return out;
}

ordered_json cell_json(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return json_number(*number);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  return std::get<std::string>(cell);
}

ordered_json table_json(const Table& table) {
  ordered_json out{{"caption", table.caption}, {"header", table.header}};
  auto& rows = out["rows"] = ordered_json::array();
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    auto row = ordered_json::array();
    for (const auto& cell : table.rows[k]) row.push_back(cell_json(cell));
    rows.push_back(std::move(row));
  }
  if (!table.depths.empty()) out["depths"] = table.depths;
  return out;
}

ordered_json blocks_json(const std::vector<Block>& blocks);

struct BlockJson {
  ordered_json operator()(const Paragraph& block) const { return {{"text", block.text}}; }
  ordered_json operator()(const Heading& block) const { return {{"heading", block.text}}; }
  ordered_json operator()(const Answers& block) const {
    auto items = ordered_json::array();
    for (const auto& [question, answer] : block.items) {
      items.push_back({{"question", question}, {"answer", answer}});
    }
    return {{"answers", std::move(items)}};
  }
  ordered_json operator()(const Picture& block) const {
    return {{"figure", block.name},
            {"title", block.title},
            {"finding", block.finding},
            {"numbers", table_json(block.numbers)}};
  }
  ordered_json operator()(const Table& block) const { return {{"table", table_json(block)}}; }
  ordered_json operator()(const Code& block) const { return {{"code", block.text}}; }
  ordered_json operator()(const Points& block) const { return {{"points", block.items}}; }
  ordered_json operator()(const Folded& block) const {
    return {{"summary", block.summary}, {"blocks", blocks_json(block.blocks)}};
  }
  ordered_json operator()(const Beside& block) const {
    return {{"blocks", blocks_json(block.blocks)}};
  }
};

ordered_json blocks_json(const std::vector<Block>& blocks) {
  auto out = ordered_json::array();
  for (const auto& block : blocks) out.push_back(std::visit(BlockJson{}, block.content));
  return out;
}

}  // namespace

ordered_json report_json(const Report& report) {
  ordered_json out{{"format", "tacet report"},
                   {"version", report_json_version},
                   {"title", report.title},
                   {"subtitle", report.subtitle}};
  if (!report.banner.empty()) out["banner"] = report.banner;
  auto& sections = out["sections"] = ordered_json::array();
  for (const auto& section : report.sections) {
    sections.push_back({{"section", section.id},
                        {"title", section.title},
                        {"blocks", blocks_json(section.blocks)}});
  }
  return out;
}

std::vector<NumbersFile> numbers_files(const Report& report) {
  std::vector<NumbersFile> files{{"report.json", json_text(report_json(report))}};
  for (const auto& section : report.sections) {
    each_picture(section.blocks, [&](const Picture& picture) {
      files.push_back({picture.name + ".csv", csv_of(picture.numbers)});
    });
  }
  return files;
}

}  // namespace tacet::report
