#include "tacet/model/words/word_benchmarks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tacet/data/encode/value_index.h"
#include "tacet/numeric/sums.h"

namespace tacet::model {
namespace {

/// Fields between the first of tab, comma and semicolon that the line has, or between blanks.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (const char separator : {'\t', ',', ';'}) {
    if (line.find(separator) == std::string_view::npos) continue;
    for (std::size_t from = 0; from <= line.size();) {
      const auto end = std::min(line.find(separator, from), line.size());
      auto field = line.substr(from, end - from);
      while (field.starts_with(' ')) field.remove_prefix(1);
      while (field.ends_with(' ')) field.remove_suffix(1);
      fields.push_back(field);
      from = end + 1;
    }
    return fields;
  }
  data::split_at_blanks(line, fields);
  return fields;
}

/// Ranks from 0; those of equal values are their mean.
std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return values[k]; });
  std::vector<double> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    auto end = from;
    while (end < order.size() && values[order[end]] == values[order[from]]) ++end;
    const double rank = static_cast<double>(from + end - 1) / 2;
    for (; from < end; ++from) ranks[order[from]] = rank;
  }
  return ranks;
}

}  // namespace

std::vector<WordSimilarity> read_similarities(data::LineReader lines) {
  std::vector<WordSimilarity> pairs;
  bool first = true;
  while (const auto line = lines.next()) {
    const auto fields = fields_of(*line);
    if (fields.empty() || line->starts_with('#')) continue;
    const auto score = data::parse_number(fields.back());
    const bool header = first && !score;
    first = false;
    if (header) continue;
    if (fields.size() != 3 || !score || fields[0].empty() || fields[1].empty()) {
      lines.fail("two words and a number are expected");
    }
    pairs.push_back({std::string(fields[0]), std::string(fields[1]), *score});
  }
  return pairs;
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2) return std::nullopt;
  auto x = mean_ranks(a);
  auto y = mean_ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  for (double& rank : x) rank -= mean;
  for (double& rank : y) rank -= mean;
  const double size = numeric::norm(x) * numeric::norm(y);
  if (size == 0) return std::nullopt;
  return numeric::dot(x, y) / size;
}

SimilarityResult similarity(const WordSearch& search, std::span<const WordSimilarity> pairs) {
  std::vector<double> scores;
  std::vector<double> cosines;
  for (const auto& pair : pairs) {
    const auto first = search.find(pair.first);
    const auto second = search.find(pair.second);
    if (!first || !second) continue;
    scores.push_back(pair.score);
    cosines.push_back(search.cosine(*first, *second));
  }
  return {.spearman = spearman(scores, cosines),
          .used = static_cast<std::int64_t>(scores.size()),
          .all = static_cast<std::int64_t>(pairs.size())};
}

std::vector<AnalogySection> read_analogies(data::LineReader lines) {
  std::vector<AnalogySection> sections;
  std::vector<std::string_view> fields;
  while (const auto line = lines.next()) {
    data::split_at_blanks(*line, fields);
    if (fields.empty()) continue;
    if (fields[0].starts_with(':')) {
      auto name = line->substr(line->find(':') + 1);
      while (name.starts_with(' ')) name.remove_prefix(1);
      while (name.ends_with(' ')) name.remove_suffix(1);
      sections.push_back({.name = std::string(name), .questions = {}});
      continue;
    }
    if (fields.size() != 4) lines.fail("four words, or a section's name behind ':', are expected");
    if (sections.empty()) sections.emplace_back();
    sections.back().questions.push_back({std::string(fields[0]), std::string(fields[1]),
                                         std::string(fields[2]), std::string(fields[3])});
  }
  return sections;
}

std::vector<AnalogyResult> analogies(const WordSearch& search,
                                     std::span<const AnalogySection> sections) {
  std::vector<AnalogyResult> results;
  for (const auto& section : sections) {
    AnalogyResult result{.name = section.name,
                         .all = static_cast<std::int64_t>(section.questions.size())};
    std::vector<WordSearch::Analogy> asked;
    std::vector<std::size_t> expected;
    for (const auto& question : section.questions) {
      const std::array found{search.find(question.a), search.find(question.b),
                             search.find(question.c), search.find(question.d)};
      if (!std::ranges::all_of(found, [](const auto& word) { return word.has_value(); })) continue;
      asked.push_back({.a = *found[0], .b = *found[1], .c = *found[2]});
      expected.push_back(*found[3]);
    }
    const auto answers = search.answers(asked);
    result.used = static_cast<std::int64_t>(asked.size());
    for (std::size_t k = 0; k < answers.size(); ++k) {
      if (answers[k] == expected[k]) ++result.correct;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace tacet::model
