#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/error.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_bars = 30;

/// A histogram of what values a column has, each with the margin of its noise.
std::optional<Picture> counts_picture(const ordered_json& column, double margin,
                                      const std::string& name) {
  const auto title = column.at("name").get<std::string>();
  Plot plot{.title = shortened(title, 60), .x = {.label = "records", .with_zero = true}};
  Picture picture{.name = name,
                  .title = shortened(title, 60),
                  .finding = {},
                  .plots = {},
                  .numbers = {.caption = "Noisy counts, and the margin that each lies within",
                              .header = {"value", "noisy count", "margin", "share"},
                              .rows = {}}};
  double most = -1;
  std::string commonest;
  for (const auto& kind : column.at("values")) {
    const auto value = kind.at("value").get<std::string>();
    const double count = kind.at("noisy_count").get<double>();
    picture.numbers.rows.push_back({value, count, margin, kind.at("share").get<double>()});
    if (plot.levels.size() < max_bars) {
      plot.bars.push_back({.at = static_cast<double>(plot.levels.size()),
                           .value = std::max(count, 0.0),
                           .low = std::max(count - margin, 0.0),
                           .high = std::max(count + margin, 0.0)});
      plot.levels.push_back(value);
    }
    if (count > most) {
      most = count;
      commonest = value;
    }
  }
  if (plot.levels.empty()) return std::nullopt;
  picture.finding =
      fmt::format("The commonest value is {}, with about {} records, give or take {}.",
                  in_quotes(commonest), number_text(most), number_text(margin));
  picture.plots.push_back(std::move(plot));
  return picture;
}

void add_summary(const ReadResult& result, const std::string& prefix, Section& section) {
  const auto& values = result.values;
  const double margin = values.at("count_margin").get<double>();
  section.blocks.push_back({Paragraph{
      fmt::format("About {} records.", number_text(values.at("records").get<double>()))}});
  Table quartiles{.caption = "Quartiles, each a value whose rank is right within the margin",
                  .header = {"column", "25 %", "50 %", "75 %", "margin in records"},
                  .rows = {}};
  Beside histograms;
  std::size_t number = 0;
  for (const auto& column : values.at("columns")) {
    ++number;
    if (column.contains("quartiles")) {
      std::vector<Cell> row{column.at("name").get<std::string>()};
      for (const auto& one : column.at("quartiles")) row.emplace_back(one.get<double>());
      row.emplace_back(column.at("rank_margin").get<double>());
      quartiles.rows.push_back(std::move(row));
      continue;
    }
    auto picture = counts_picture(column, margin, fmt::format("{}-column-{}", prefix, number));
    if (picture) histograms.blocks.push_back({*std::move(picture)});
  }
  if (!quartiles.rows.empty()) section.blocks.push_back({std::move(quartiles)});
  if (!histograms.blocks.empty()) section.blocks.push_back({std::move(histograms)});
}

void add_quantile(const ReadResult& result, Section& section) {
  const auto& values = result.values;
  section.blocks.push_back({Paragraph{
      fmt::format("The {} quantile of {} is about {}.", number_text(values.at("q").get<double>()),
                  in_quotes(values.at("column").get<std::string>()),
                  values.contains("date") ? values.at("date").get<std::string>()
                                          : number_text(values.at("value").get<double>()))}});
}

}  // namespace

Section summary_section(const Material& material) {
  Section section{"summary", "Summary tables", {}};
  std::size_t number = 0;
  for (const auto& result : material.results.all) {
    if (result.kind != ResultKind::summary && result.kind != ResultKind::quantile) continue;
    section.blocks.push_back({Heading{in_quotes(result.name)}});
    try {
      if (result.kind == ResultKind::summary) {
        add_summary(result, fmt::format("summary-{}", ++number), section);
      } else {
        add_quantile(result, section);
      }
    } catch (const ordered_json::exception&) {
      throw base::DataError("'{}' looks like a summary of columns but lacks what one has",
                            result.name);
    }
  }
  return section;
}

}  // namespace tacet::report
