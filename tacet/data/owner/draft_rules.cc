#include "tacet/data/owner/draft_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "tacet/data/encode/value_index.h"
#include "tacet/data/owner/code_names.h"
#include "tacet/data/owner/draft_remarks.h"
#include "tacet/data/owner/similar_texts.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/schema_node.h"

namespace tacet::data {
namespace {

// Texts with more words on average are taken for prose and not for codes.
constexpr double fewest_words_of_prose = 3;

// Whole numbers with fewer values than this may be codes; two are flags.
constexpr std::size_t max_codes = 20;

/// Whether a date is one that programs write for a missing date.
bool usual_filler(double day) {
  constexpr std::array<std::string_view, 7> fillers{"0001-01-01", "1753-01-01", "1899-12-30",
                                                    "1899-12-31", "1900-01-01", "2999-12-31",
                                                    "9999-12-31"};
  return std::ranges::any_of(fillers, [&](std::string_view filler) {
    return static_cast<double>(*parse_date(filler)) == day;
  });
}

/// Drafts a column of codes: each value becomes a category.
Drafted draft_codes(Column column, const ColumnFacts& facts, std::string_view why) {
  const bool named = named_like_code(column.name);
  if (facts.many_values) {
    column.rule = HashedColumn{};
  } else {
    column.rule = CategoricalColumn{.categories = facts.texts()};
  }
  return {std::move(column),
          fmt::format("{}, so each value counts for itself. A quantity? Then kind = \"numeric\" "
                      "with lower and upper.",
                      why),
          !named};
}

Drafted draft_numbers(Column column, const ColumnFacts& facts) {
  const bool whole = facts.whole_numbers && !facts.dates();
  if (facts.constant()) {
    return {std::move(column), "One value alone, which tells nothing: ignored."};
  }
  if (whole && facts.identifies() && facts.row_numbers()) {
    return {std::move(column),
            "It counts the records: ignored. A quantity? Then kind = \"numeric\" with lower and "
            "upper.",
            true};
  }
  if (whole && facts.identifies() && named_like_identifier(column.name)) {
    return {std::move(column),
            "Every value occurs once: an identifier? It is ignored. Of persons with several "
            "records? Then unit, at the top."};
  }
  if (whole && facts.padded > 0) {
    return draft_codes(std::move(column), facts, "Zeros in front: codes");
  }
  if (whole && named_like_code(column.name)) {
    return draft_codes(std::move(column), facts, "A code by its name");
  }
  const auto [lower, upper] = facts.bounds();
  column.rule = NumericColumn{.lower = lower, .upper = upper, .date = facts.dates()};
  if (facts.dates()) {
    for (const double bound : {lower, upper}) {
      if (!usual_filler(bound)) continue;
      return {std::move(column),
              fmt::format("Some dates are {}: does that stand for a missing value? Then list it, "
                          "as the file spells it, under missing, and mend the bounds.",
                          date_text(static_cast<std::int64_t>(bound))),
              true};
    }
  }
  if (const auto codes = facts.negative_codes(); !codes.empty()) {
    return {std::move(column),
            fmt::format("Below 0 there {}: {} for a missing value? Then list {} under missing.",
                        codes.size() == 1 ? fmt::format("is {} alone", codes[0])
                                          : fmt::format("are {} alone", fmt::join(codes, ", ")),
                        codes.size() == 1 ? "a code" : "codes", codes.size() == 1 ? "it" : "them"),
            true};
  }
  if (auto remark = lone_numbers(facts); !remark.empty()) {
    return {std::move(column), std::move(remark), true};
  }
  if (whole && facts.identifies() && !facts.dates()) {
    return {std::move(column),
            "Every value occurs once: an identifier? Then kind = \"ignored\". Of persons with "
            "several records? Then unit, at the top.",
            true};
  }
  if (whole && !facts.many_values && facts.values.size() > 2 && facts.values.size() <= max_codes) {
    return {std::move(column),
            fmt::format("{} whole numbers: codes? Then kind = \"categorical\" with categories.",
                        facts.values.size())};
  }
  if (facts.missing == 0) return {std::move(column)};
  return {std::move(column),
          "Some values are missing: does that tell something? Then missing_indicator = true."};
}

/// A column of many different texts, which may be numbers or dates in a form that nothing reads.
Drafted unread_column(Column column, const ColumnFacts& facts, std::string remark) {
  constexpr std::string_view ask =
      "Numbers or dates in an unusual spelling? Then write them in a usual one.";
  const bool hashed = std::holds_alternative<HashedColumn>(column.rule);
  if (hashed && facts.identifies()) {
    return {std::move(column), fmt::format("{} {}", remark, ask), true};
  }
  if (!facts.have_digits()) return {std::move(column), std::move(remark)};
  return {std::move(column),
          fmt::format("Texts with digits, such as \"{}\" in line {}. {} Codes or notes? Then the "
                      "draft is right.",
                      facts.first_other.text, facts.first_other.line, ask),
          true};
}

Drafted draft_values(const std::string& name, const ColumnFacts& facts) {
  Column column{.name = name, .rule = IgnoredColumn{}};
  if (facts.numeric() || facts.dates()) return draft_numbers(std::move(column), facts);
  if (facts.others == 0) return {std::move(column), "No value at all: ignored."};
  if (facts.ids.several()) {
    column.rule = IdsColumn{.separator = facts.ids.separator,
                            .max_ids = std::min(facts.ids.max_ids, internal::max_ids)};
    return {std::move(column),
            "Several numbers in a field, up to 'most' of a record: ids? From 0 to below a public "
            "number: count instead of bits. A measure or a text? Then another kind."};
  }
  // The shapes of codes are known.
  std::string remark = named_like_code(name) ? std::string() : facts.shapes.remark(facts.numbers);
  const bool doubtful = !remark.empty() || facts.numbers > facts.others;
  if (!remark.empty()) {
    // the remark above says enough; the place of the texts matters less
  } else if (facts.others == 1 && facts.numbers > 1) {
    remark = fmt::format(
        "{} numbers and one text, \"{}\" in line {}: units, a sum or a fault? Then take that line "
        "out of the file. A missing value? List the text under missing.",
        facts.numbers, facts.first_other.text, facts.first_other.line);
  } else if (facts.identifies() && facts.numbers <= facts.others) {
    remark =
        "Every value occurs once: an identifier? Then kind = \"ignored\". Of persons with several "
        "records? Then unit, at the top.";
    if (named_like_identifier(name)) return {std::move(column), std::move(remark)};
  } else if (facts.numbers > 0) {
    remark = fmt::format(
        "{} {} among {} texts, the first \"{}\" in line {}: do some texts mean a missing "
        "value? List them under missing.",
        facts.numbers, facts.date_reader() ? "dates" : "numbers", facts.others,
        facts.first_other.text, facts.first_other.line);
  }
  if (facts.constant()) {
    return {std::move(column), "One value alone, which tells nothing: ignored."};
  }
  if (!facts.many_values && facts.text_is_sound) {
    column.rule = CategoricalColumn{.categories = facts.texts()};
    const auto texts = facts.texts();
    auto alike = alike_remark(texts, "categories");
    if (alike.empty()) alike = initials_remark(texts);
    if (alike.empty()) alike = misspelt_remark(facts.values);
    if (alike.empty()) alike = several_remark(texts);
    if (alike.empty()) alike = total_remark(texts);
    if (!alike.empty()) {
      return {std::move(column), remark.empty() ? alike : fmt::format("{} {}", remark, alike),
              true};
    }
    // A missing value may well be a category of its own, so the schema gets a remark about it, but
    // no question is asked.
    if (remark.empty()) return {std::move(column), missing_remark(texts, "a category")};
  } else if (static_cast<double>(facts.words) >=
             fewest_words_of_prose * static_cast<double>(facts.others)) {
    column.rule = TextColumn{};
  } else {
    column.rule = HashedColumn{};
  }
  const bool listed = std::holds_alternative<CategoricalColumn>(column.rule);
  if (!listed && !doubtful && !named_like_code(column.name)) {
    return unread_column(std::move(column), facts, std::move(remark));
  }
  return {std::move(column), std::move(remark), doubtful};
}

}  // namespace

Drafted draft_column(const std::string& name, const ColumnFacts& facts) {
  auto drafted = draft_values(name, facts);
  const bool comes_again = facts.many_values && !facts.identifies();
  const bool of_persons = named_like_person(name) || named_like_identifier(name);
  if (!comes_again || !of_persons || drafted.column.ignored()) return drafted;
  drafted.remark =
      "Does it tell whose record this is? Then name it as unit, at the top, so that all records of "
      "a "
      "person are protected together, and learn nothing from it: kind = \"ignored\".";
  drafted.doubtful = true;
  return drafted;
}

}  // namespace tacet::data
