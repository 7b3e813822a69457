#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_bars = 30;

struct NoisyCount {
  std::string value;
  double count;
};

/// Those that have a bar, in the order of the schema: of many values the largest ones.
std::vector<NoisyCount> drawn_counts(std::vector<NoisyCount> counts) {
  if (counts.size() <= max_bars) return counts;
  std::vector<double> sizes;
  for (const auto& one : counts) sizes.push_back(one.count);
  std::ranges::sort(sizes, std::greater());
  const double min = sizes[max_bars - 1];
  const auto above = static_cast<std::size_t>(
      std::ranges::count_if(sizes, [min](double size) { return size > min; }));
  // Of several bars as long as the shortest, the first ones are shown.
  std::size_t equal = max_bars - above;
  std::erase_if(counts, [&](const NoisyCount& one) {
    if (one.count != min) return one.count < min;
    if (equal == 0) return true;
    --equal;
    return false;
  });
  return counts;
}

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
  std::vector<NoisyCount> counts;
  for (const auto& kind : column.at("values")) {
    counts.push_back({kind.at("value").get<std::string>(), kind.at("noisy_count").get<double>()});
    picture.numbers.rows.push_back(
        {counts.back().value, counts.back().count, margin, kind.at("share").get<double>()});
  }
  if (counts.empty()) return std::nullopt;
  const auto first = *std::ranges::max_element(counts, {}, &NoisyCount::count);
  picture.finding =
      fmt::format("The most frequent value is {}, with about {} records, give or take {}.",
                  in_quotes(first.value), number_text(first.count), number_text(margin));
  if (counts.size() > max_bars) {
    picture.finding +=
        fmt::format(" The {} most frequent of {} values are drawn.", max_bars, counts.size());
  }
  for (const auto& [value, count] : drawn_counts(std::move(counts))) {
    plot.bars.push_back({.at = static_cast<double>(plot.levels.size()),
                         .value = std::max(count, 0.0),
                         .low = std::max(count - margin, 0.0),
                         .high = std::max(count + margin, 0.0)});
    plot.levels.push_back(value);
  }
  picture.plots.push_back(std::move(plot));
  return picture;
}

void add_summary(const ReadResult& result, const std::string& prefix, Section& section) {
  const auto& values = result.values;
  const double margin = values.at("count_margin").get<double>();
  section.blocks.push_back({Paragraph{
      fmt::format("About {} records.", number_text(values.at("records").get<double>()))}});
  Table quartiles{.caption = "Quartiles; the rank of each is right within the margin",
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

std::string numeric_in_words(const data::NumericColumn& rule) {
  const auto bound = [&](double value) {
    return rule.date ? data::date_text(std::llround(value)) : number_text(value);
  };
  return fmt::format("{} from {} to {}", rule.date ? "dates" : "numbers", bound(rule.lower),
                     bound(rule.upper));
}

/// What a fit of a schema found out about a column.
std::string column_in_words(const data::Column& column) {
  if (const auto* numbers = std::get_if<data::NumericColumn>(&column.rule)) {
    return numeric_in_words(*numbers);
  }
  if (const auto* listed = std::get_if<data::CategoricalColumn>(&column.rule)) {
    constexpr std::size_t max = 20;
    std::vector<std::string> first;
    for (const auto& category : listed->categories) {
      if (first.size() < max) first.push_back(in_quotes(category));
    }
    const auto more = listed->categories.size() - first.size();
    return fmt::format("categories {}{}", fmt::join(first, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
  }
  if (const auto* hashed = std::get_if<data::HashedColumn>(&column.rule)) {
    return fmt::format("texts, hashed to {} features", std::int64_t{1} << hashed->bits);
  }
  return column.ignored() ? "not used" : "not fitted";
}

void add_schema(const ReadResult& result, Section& section) {
  Table table{.caption = "What was found of each column",
              .header = {"column", "what it holds"},
              .rows = {}};
  for (const auto& column : result.recorded.schema->columns) {
    table.rows.push_back({column.name, column_in_words(column)});
  }
  section.blocks.push_back({std::move(table)});
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
    const bool shown = result.kind == ResultKind::summary || result.kind == ResultKind::quantile ||
                       result.kind == ResultKind::schema;
    if (!shown) continue;
    section.blocks.push_back({Heading{in_quotes(result.name)}});
    try {
      if (result.kind == ResultKind::summary) {
        add_summary(result, fmt::format("summary-{}", ++number), section);
      } else if (result.kind == ResultKind::schema) {
        add_schema(result, section);
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
