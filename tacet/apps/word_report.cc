#include "tacet/apps/word_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "tacet/apps/describe.h"
#include "tacet/apps/recorded_cost.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/model/words/word_benchmarks.h"
#include "tacet/model/words/word_search.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

std::string share_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "undefined";
}

data::LineReader lines_of(const std::string& file) { return {data::open_source(file), file}; }

/// The sections and, behind them, all together.
std::vector<model::AnalogyResult> with_total(std::vector<model::AnalogyResult> sections) {
  model::AnalogyResult total{.name = "all"};
  for (const auto& section : sections) {
    total.correct += section.correct;
    total.used += section.used;
    total.all += section.all;
  }
  sections.push_back(std::move(total));
  return sections;
}

std::string similarity_text(const model::SimilarityResult& found) {
  TextTable table({"spearman", share_text(found.spearman)});
  table.add({"pairs with vectors", fmt::format("{} of {}", found.used, found.all)});
  return table.text();
}

ordered_json similarity_json(const model::SimilarityResult& found) {
  return {{"spearman", found.spearman ? ordered_json(*found.spearman) : nullptr},
          {"used", found.used},
          {"all", found.all}};
}

std::string analogies_text(std::span<const model::AnalogyResult> results) {
  TextTable table({"section", "accuracy", "correct", "with vectors", "questions"});
  for (const auto& result : results) {
    table.add({result.name, share_text(result.accuracy()), fmt::format("{}", result.correct),
               fmt::format("{}", result.used), fmt::format("{}", result.all)});
  }
  return table.text();
}

ordered_json analogies_json(std::span<const model::AnalogyResult> results) {
  auto list = ordered_json::array();
  for (const auto& result : results) {
    const auto accuracy = result.accuracy();
    list.push_back({{"section", result.name},
                    {"accuracy", accuracy ? ordered_json(*accuracy) : nullptr},
                    {"correct", result.correct},
                    {"used", result.used},
                    {"all", result.all}});
  }
  return list;
}

}  // namespace

model::WordVectors load_vectors(const Console& console, const std::string& file) {
  const auto receipt = receipt_of_vectors(file);
  std::error_code ignored;
  if (std::filesystem::exists(receipt, ignored)) {
    warn_if_unprotected(console, read_result(receipt).receipt);
  }
  return model::load_word_vectors(file);
}

std::string word_report(const model::WordVectors& vectors, const WordLists& lists, bool json) {
  const model::WordSearch search(vectors);
  std::string text;
  ordered_json out;
  if (!lists.similarity.empty()) {
    const auto pairs = model::read_similarities(lines_of(lists.similarity));
    const auto found = model::similarity(search, pairs);
    text += similarity_text(found);
    out["similarity"] = similarity_json(found);
  }
  if (!lists.analogies.empty()) {
    const auto sections = model::read_analogies(lines_of(lists.analogies));
    const auto found = with_total(model::analogies(search, sections));
    if (!text.empty()) text += "\n";
    text += analogies_text(found);
    out["analogies"] = analogies_json(found);
  }
  return json ? json_text(out) : text;
}

}  // namespace tacet::apps
