#include "tacet/data/owner/schema_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/ascii.h"
#include "tacet/data/owner/column_facts.h"
#include "tacet/data/owner/draft_rules.h"
#include "tacet/data/owner/draft_target.h"
#include "tacet/data/owner/file_doubts.h"
#include "tacet/data/owner/similar_texts.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/schema/calendar.h"

namespace tacet::data {
namespace {

std::size_t find_target(const std::vector<std::string>& names, const std::string& target,
                        bool header) {
  const auto found = std::find(names.begin(), names.end(), target);
  if (target.empty() || found != names.end()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  const auto alike =
      std::ranges::find_if(names, [&](const auto& name) { return folded(name) == folded(target); });
  const auto near = alike == names.end() ? base::nearest_word(target, names) : *alike;
  if (header && !near.empty()) {
    const bool unseen = near.size() > target.size() && folded(near) == folded(target);
    throw base::DataError(
        "the file has no column '{}' to be the target; the nearest is '{}'{}", target, near,
        unseen ? ", which has blanks or marks that nobody sees: take them off" : "");
  }
  if (names.size() == 1 && names[0].find_first_of(",;\t|") != std::string::npos) {
    throw base::DataError(
        "the file has no column '{}' to be the target; each line is enclosed in quotes as a whole. "
        "Take them off: sed -e 's/^\"//' -e 's/\"\\r*$//' -e 's/\"\"/\"/g' FILE | tacet ... -",
        target);
  }
  if (names.size() == 1) {
    throw base::DataError(
        "the file has no column '{}' to be the target; it has one column, \"{}\"; name the "
        "character between fields with `separator`. Of a fixed width? Put commas between them, in "
        "Python by pandas.read_fwf(\"FILE\").to_csv(\"FILE.csv\", index=False)",
        target, base::printable(names[0].substr(0, 60)));
  }
  constexpr std::size_t shown = 10;
  const auto some = std::span(names).first(std::min(shown, names.size()));
  throw base::DataError("the file has no column '{}' to be the target; it has {}{}{}", target,
                        fmt::join(some, ", "), names.size() > shown ? ", ..." : "",
                        header ? "" : "; its first line is taken for a record");
}

}  // namespace

SchemaDraft draft_schema(const std::filesystem::path& public_file, const DraftOptions& options) {
  if (!options.format.kind->names_columns()) {
    throw base::UsageError("only CSV files can be drafted; describe others by [features]");
  }
  auto draft = draft_schema(csv_records(public_file, options.format), options);
  draft.schema.name = public_file.stem().string();
  draft.schema.validate(public_file.string());
  return draft;
}

namespace {

/// One pass over the records: passes on each value that is not missing, and its line.
template <typename Missing, typename Receive>
std::int64_t for_each_value(const RecordSource& records, const Missing& missing,
                            const Receive& receive) {
  const auto reader = records.open();
  std::int64_t rows = 0;
  FileText text;
  while (const auto record = reader->next()) {
    ++rows;
    for (std::size_t k = 0; k < record->size(); ++k) {
      const std::string_view field = text.of((*record)[k]);
      receive(k, field, reader->line() > 0 ? reader->line() : rows, missing(k, field));
    }
  }
  return rows;
}

bool among(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

/// Words that mean a missing value in columns of texts too.
bool always_means_missing(std::string_view text) {
  constexpr std::array<std::string_view, 11> words{
      "n/a", "N/A", "#N/A", "<NA>", ".", "n.a.", "NaN", "\\N", "(null)", "#NULL!", "<null>"};
  return std::ranges::find(words, text) != words.end() || without_blanks(text).empty();
}

const std::string target_place = "[target]";  // of remarks

/// The comment that a drafted schema has above [format].
std::string format_remark(const FileFormat& format) {
  std::vector<std::string> keys;
  if (format.encoding != TextEncoding::utf_8) keys.emplace_back("encoding");
  if (format.spelling.decimal) keys.emplace_back("decimal");
  if (format.spelling.thousands) keys.emplace_back("thousands");
  if (format.spelling.symbols) keys.emplace_back("symbols");
  if (format.comment) keys.emplace_back("comment");
  if (keys.empty()) return {};
  return fmt::format("Guessed from the values of the file: {}. Review them.",
                     fmt::join(keys, ", "));
}

/// Drafts a schema in two passes: how values are spelt, then what they are.
class Drafter {
 public:
  Drafter(const RecordSource& records, const DraftOptions& options)
      : records_(records), options_(options), names_(records.open()->names()) {
    if (options.format.header) check_header(names_, records.name, options.trust);
    target_ = find_target(names_, options.target, options.format.header);
    schema().format = options.format;
    for (const auto& text : options.missing) {
      if (!among(schema().missing, text)) schema().missing.push_back(text);
    }
  }

  SchemaDraft draft() {
    const auto spellings = look_at_spelling();
    const SpellingGuess guess(names_, spellings, options_.said);
    if (!guess.question().empty()) {
      throw base::DataError("{}: {}", records_.name, guess.question());
    }
    schema().format.spelling = guess.file();
    auto facts = look_at_values(guess);
    for (std::size_t k = 0; k < names_.size(); ++k) add(k, facts[k], guess);
    remark_on_format(second_names(facts));
    schema().validate(records_.name);
    return std::move(draft_);
  }

 private:
  Schema& schema() { return draft_.schema; }

  /// If the first record has texts in columns of numbers or dates, it may be a second line of
  /// names.
  [[nodiscard]] std::string second_names(const std::vector<ColumnFacts>& facts) const {
    constexpr std::int64_t max = 3;  // such lines
    std::int64_t columns = 0;
    for (const auto& column : facts) {
      const bool mostly_numbers = column.numbers > max && column.others <= max;
      const bool begins = column.others > 0 && column.first_other.line == first_line_;
      columns += mostly_numbers && begins ? 1 : 0;
    }
    if (columns < 2) return {};
    return fmt::format(
        "In line {} there are texts in {} columns that hold numbers or dates below: units, labels "
        "or types? Then take that line out, and any like it below: sed '{}d' FILE | tacet ... -.",
        first_line_, columns, first_line_);
  }

  void remark_on_format(std::string more) {
    std::string remark = format_remark(schema().format);
    auto doubts = file_doubts_.all();
    if (std::ranges::all_of(schema().columns, &Column::ignored)) {
      doubts.emplace_back("No column is left beside the target: there is nothing to predict from.");
    }
    if (!more.empty()) doubts.push_back(std::move(more));
    if (!doubts.empty()) {
      remark += fmt::format("{}{}", remark.empty() ? "" : " ", fmt::join(doubts, " "));
      draft_.doubtful.emplace_back("[format]");
    }
    if (!remark.empty()) draft_.remarks.emplace("[format]", std::move(remark));
  }

  std::vector<SpellingFacts> look_at_spelling() {
    std::vector<SpellingFacts> facts(names_.size(), SpellingFacts(options_.said));
    words_.resize(names_.size());
    const auto missing = [&](std::size_t, std::string_view field) {
      return among(schema().missing, field);
    };
    const auto rows =
        for_each_value(records_, missing,
                       [&](std::size_t k, std::string_view field, std::int64_t, bool is_missing) {
                         if (is_missing) return;
                         facts[k].add(field);
                         if (means_missing(field)) words_[k].emplace(field);
                       });
    if (rows == 0) throw base::DataError("{}: the file holds no records", records_.name);
    schema().public_row_count = rows;
    return facts;
  }

  /// Notes the words for a missing value of a column. Those in columns of texts apply to the whole
  /// file.
  void note_words(std::size_t k, bool numeric) {
    for (const auto& word : words_[k]) {
      if (among(schema().missing, word)) continue;
      if (always_means_missing(word)) {
        schema().missing.push_back(word);
      } else if (numeric) {
        own_missing_[k].push_back(word);
      }
    }
  }

  std::vector<ColumnFacts> look_at_values(const SpellingGuess& guess) {
    own_missing_.resize(names_.size());
    std::vector<ColumnFacts> facts;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      note_words(k, guess.numeric(k) || guess.dates(k));
      // In a column of dates numbers are not values, and in a column of numbers dates are not.
      facts.emplace_back(NumberReader(guess.mostly_dates(k), guess.reading(k)),
                         static_cast<std::size_t>(options_.max_categories));
    }
    const auto missing = [&](std::size_t k, std::string_view field) {
      return among(schema().missing, field) || among(own_missing_[k], field);
    };
    static_cast<void>(for_each_value(
        records_, missing,
        [&](std::size_t k, std::string_view field, std::int64_t line, bool is_missing) {
          if (first_line_ == 0) first_line_ = line;
          file_doubts_.add(k, field, line, is_missing);
          if (is_missing) {
            facts[k].add_missing();
          } else {
            facts[k].add(field, line);
          }
        }));
    file_doubts_.end_record();
    return facts;
  }

  /// How the column differs from the spelling of the file.
  [[nodiscard]] Spelling own_spelling(std::size_t k, const SpellingGuess& guess) const {
    Spelling own;
    if (guess.numeric(k) || guess.dates(k)) own = guess.own(k);
    own.missing = own_missing_[k];
    return own;
  }

  /// What the values of a column of numbers or dates may mean other than the draft says; empty:
  /// nothing.
  [[nodiscard]] std::string other_reading(std::size_t k, const ColumnFacts& facts,
                                          const SpellingGuess& guess) const {
    if (facts.dates() && guess.own(k).date_format.value_or("").find("%y") != std::string::npos) {
      constexpr double near = 22280;  // 2031-01-01
      if (facts.upper < near) return {};
      return fmt::format(
          "Years of two digits: 69 to 99 are read as 1969 to 1999, others as 20.., here up to {}. "
          "Days of the last century? Then write years of four digits.",
          date_text(static_cast<std::int64_t>(facts.upper)));
    }
    if (!facts.numeric()) return {};
    if (const auto& format = guess.digits_as_dates(k); !format.empty()) {
      return fmt::format(
          "All numbers, such as {}, could be dates in the order {}: then kind = \"date\" with "
          "date_format = \"{}\".",
          guess.digits_example(k), format, format);
    }
    if (facts.months() || facts.days_of_years()) {
      return fmt::format(
          "All numbers, from {:.0f} to {:.0f}, could be {}: between two years there then is a gap. "
          "Then write dates, as 2011-01-31 is one.",
          facts.lower, facts.upper,
          facts.months() ? "a year and a month" : "a year and a day of the year");
    }
    if (facts.digits_are_lost()) {
      return fmt::format(
          "Numbers such as {}: did a spreadsheet cut the digits of long ones? Then show the column "
          "as text there, and export it anew.",
          facts.values.empty() ? facts.one_too_many.text : facts.values.begin()->first);
    }
    if (guess.some_percent(k)) {
      return "\"%\" stands behind some numbers alone: are all of them per cent? Else make them so.";
    }
    if (const auto symbols = guess.currencies(k); symbols.size() > 1) {
      return fmt::format("\"{}\" stand beside its numbers: several units? Then make them one.",
                         fmt::join(symbols, "\" and \""));
    }
    return {};
  }

  void add(std::size_t k, ColumnFacts& facts, const SpellingGuess& guess) {
    std::string about_missing;
    const auto sentinels = facts.numeric() ? facts.sentinels() : std::vector<std::string>();
    facts.take_off_sentinels();
    auto& own = own_missing_[k];
    own.insert(own.end(), sentinels.begin(), sentinels.end());
    if (!own.empty()) {
      std::vector<std::string> shown;
      for (const auto& word : own) {
        shown.push_back(without_blanks(word).empty() ? "\"" + word + "\"" : word);
      }
      about_missing = fmt::format("{} taken for a missing value.", fmt::join(shown, ", "));
    }
    std::string remark;
    bool doubtful = false;
    if (k == target_) {
      auto [target, about, doubt] = draft_target(names_[k], facts, records_.name);
      target.spelling = own_spelling(k, guess);
      if (!target.regression()) target.spelling = {.missing = own_missing_[k]};
      schema().target = std::move(target);
      doubtful = doubt;
      remark = std::move(about);
    } else {
      auto [column, about, doubt] = draft_column(names_[k], facts);
      doubtful = doubt;
      const bool numbers = std::holds_alternative<NumericColumn>(column.rule);
      if (!column.ignored()) {
        column.spelling = numbers ? own_spelling(k, guess) : Spelling{.missing = own_missing_[k]};
      }
      const bool dates = numbers && facts.dates();
      if (dates && column.spelling.date_format) {
        about += fmt::format("{}Dates in the order {}.", about.empty() ? "" : " ",
                             *column.spelling.date_format);
      }
      if (auto other = other_reading(k, facts, guess); !other.empty()) {
        about = std::move(other);
        doubtful = true;
      }
      schema().columns.push_back(std::move(column));
      remark = std::move(about);
    }
    if (!about_missing.empty()) remark = about_missing + (remark.empty() ? "" : " ") + remark;
    if (!remark.empty()) {
      const auto& place = k == target_ ? target_place : names_[k];
      if (doubtful) draft_.doubtful.push_back(place);
      draft_.remarks.emplace(place, std::move(remark));
    }
  }

  const RecordSource& records_;
  const DraftOptions& options_;
  std::vector<std::string> names_;
  std::size_t target_ = 0;
  std::int64_t first_line_ = 0;  // of the first record
  FileDoubts file_doubts_{names_, options_.format, options_.encoding_is_said};
  std::vector<std::set<std::string>> words_;           // words for a missing value, by column
  std::vector<std::vector<std::string>> own_missing_;  // by column
  SchemaDraft draft_;
};

}  // namespace

SchemaDraft draft_schema(const RecordSource& public_records, const DraftOptions& options) {
  return Drafter(public_records, options).draft();
}

}  // namespace tacet::data
