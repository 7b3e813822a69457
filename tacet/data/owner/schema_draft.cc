#include "tacet/data/owner/schema_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/ascii.h"
#include "tacet/data/owner/column_facts.h"
#include "tacet/data/owner/draft_rules.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/schema/calendar.h"

namespace tacet::data {
namespace {

std::size_t find_target(const std::vector<std::string>& names, const std::string& target) {
  const auto found = std::find(names.begin(), names.end(), target);
  if (target.empty() || found != names.end()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  if (const auto near = base::nearest_word(target, names); !near.empty()) {
    throw base::DataError("the file has no column '{}' to be the target; the nearest is '{}'",
                          target, near);
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
  throw base::DataError("the file has no column '{}' to be the target; it has {}{}", target,
                        fmt::join(some, ", "), names.size() > shown ? ", ..." : "");
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

/// A pass over the records: tells each value that is not missing, and its line.
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

/// The bytes of a letter in UTF-8, each taken for a character of its own: a capital A with a tilde
/// and a sign behind it.
bool twice_encoded(std::string_view field) {
  return field.find("\xc3\x83\xc2") != std::string_view::npos;
}

const std::string target_place = "[target]";  // of remarks

/// The first words of a file with characters beyond ASCII, with the line of the first.
class UnusualWords {
 public:
  void add(std::string_view field, std::int64_t line) {
    constexpr std::size_t enough = 3;
    constexpr std::size_t longest = 40;
    const auto beyond = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    if (words_.size() == enough) return;
    const auto place = std::ranges::find_if(field, beyond) - field.begin();
    const auto at = static_cast<std::size_t>(place);
    if (at == field.size()) return;
    const auto begin = field.substr(0, at).rfind(' ') + 1;  // 0 where there is no blank
    const auto word = field.substr(begin, field.find(' ', at) - begin);
    if (word.size() > longest || std::ranges::find(words_, word) != words_.end()) return;
    if (words_.empty()) line_ = line;
    words_.emplace_back(word);
  }
  /// Nobody but a reader knows whether they are spelt rightly.
  [[nodiscard]] std::string question() const {
    if (words_.empty()) return {};
    return fmt::format(
        "The file is no UTF-8 and is read as windows-1252: is \"{}\" right, first in line {}? "
        "Else convert the file: iconv -f CP1250 -t UTF-8, with the name of its encoding.",
        fmt::join(words_, "\", \""), line_);
  }

 private:
  std::vector<std::string> words_;
  std::int64_t line_ = 0;
};

/// Values over several lines that look as if a quote was closed too late.
class LongValues {
 public:
  void add(const std::string& column, std::string_view field, std::int64_t line, char separator,
           std::size_t columns) {
    if (!remark_.empty() || columns < 3 || field.find('\n') == std::string_view::npos) return;
    for (std::size_t at = 0; at < field.size();) {
      const auto end = std::min(field.find('\n', at), field.size());
      const auto text = field.substr(at, end - at);
      at = end + 1;
      if (std::ranges::count(text, separator) + 1 < static_cast<std::ptrdiff_t>(columns)) continue;
      remark_ = fmt::format(
          "The value of '{}' in line {} goes on for {} lines that look like records: is its "
          "closing "
          "quote missing? Then mend that line.",
          column, line, 1 + std::ranges::count(field, '\n'));
      return;
    }
  }
  [[nodiscard]] const std::string& remark() const { return remark_; }

 private:
  std::string remark_;
};

/// What is said above a table of the schema.
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

/// How many values each record has, to find lines of totals at the end.
class FilledFields {
 public:
  explicit FilledFields(std::size_t columns) : columns_(columns) {}

  void add(std::size_t column, std::int64_t line, bool is_missing) {
    if (column == 0) {
      end_record();
      ++records_;
      values_ = 0;
      line_ = line;
    }
    values_ += is_missing ? 0 : 1;
  }
  /// Behind the last record.
  void end_record() {
    if (records_ == 0) return;
    if (values_ == 0 && empty_++ == 0) first_empty_ = line_;
    if (2 * values_ > columns_) {
      fewest_before_ = std::min({fewest_before_, values_, sparse_fewest_});
      sparse_ = 0;
      sparse_most_ = 0;
      sparse_fewest_ = most;
      return;
    }
    if (sparse_++ == 0) first_sparse_ = line_;
    sparse_most_ = std::max(sparse_most_, values_);
    sparse_fewest_ = std::min(sparse_fewest_, values_);
  }
  /// Names the first record without any value.
  [[nodiscard]] std::string about_empty() const {
    if (empty_ == 0 || columns_ < 2) return {};
    return fmt::format(
        "{} without any value, the first in line {}: take {} out of the file, or {} as {}.",
        empty_ == 1 ? "There is a record" : fmt::format("There are {} records", empty_),
        first_empty_, empty_ == 1 ? "it" : "them", empty_ == 1 ? "it counts" : "they count",
        empty_ == 1 ? "a record" : "records");
  }
  /// Where a few records at the end have fewer values than any other, and at most half of them.
  [[nodiscard]] std::string about_totals() const {
    constexpr std::int64_t enough = 20;
    constexpr std::int64_t few = 5;
    constexpr std::size_t wide = 4;
    const bool last_ones = sparse_ > 0 && sparse_ <= few && sparse_most_ < fewest_before_;
    if (records_ < enough || columns_ < wide || !last_ones) return {};
    if (sparse_ > 1) {
      return fmt::format(
          "The last {} records, from line {} on, have values in at most {} of {} columns, fewer "
          "than any other: sums? Then take these lines out of the file.",
          sparse_, first_sparse_, sparse_most_, columns_);
    }
    return fmt::format(
        "The last record, in line {}, has values in {} of {} columns, fewer than any other: a sum? "
        "Then take that line out of the file.",
        line_, values_, columns_);
  }

 private:
  static constexpr auto most = std::numeric_limits<std::size_t>::max();

  std::size_t columns_;
  std::int64_t records_ = 0;
  std::int64_t empty_ = 0;
  std::int64_t first_empty_ = 0;
  std::int64_t line_ = 0;
  std::size_t values_ = 0;  // of the record
  std::size_t fewest_before_ = most;
  std::int64_t sparse_ = 0;  // records at the end with at most half of the values
  std::int64_t first_sparse_ = 0;
  std::size_t sparse_most_ = 0;
  std::size_t sparse_fewest_ = most;
};

/// Drafts by two passes: how values are spelt, then what they are.
class Drafter {
 public:
  Drafter(const RecordSource& records, const DraftOptions& options)
      : records_(records), options_(options), names_(records.open()->names()) {
    if (options.format.header) check_header(names_, records.name, options.trust);
    target_ = find_target(names_, options.target);
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
    remark_on_format();
    schema().validate(records_.name);
    return std::move(draft_);
  }

 private:
  Schema& schema() { return draft_.schema; }

  /// What is strange about the file as a whole.
  [[nodiscard]] std::vector<std::string> doubts_of_file() const {
    std::vector<std::string> doubts;
    const auto empty = filled_.about_empty();
    doubts.push_back(long_values_.remark());
    doubts.push_back(empty.empty() ? filled_.about_totals() : empty);
    if (first_quote_ > 0) {
      doubts.push_back(fmt::format(
          "Quotes stand within values, the first in line {}, and are read as a part of them: is "
          "one too many or missing there? Then mend that line.",
          first_quote_));
    }
    if (misread_line_ > 0) {
      doubts.push_back(fmt::format(
          "In line {} two characters stand for one, as in UTF-8 that is read as {}: is the file "
          "UTF-8 with damaged characters? Mend it, or write encoding = \"utf-8\" under [format], "
          "which leaves those alone out.",
          misread_line_, "windows-1252"));
    } else if (!options_.encoding_is_said) {
      doubts.push_back(unusual_words_.question());
    }
    if (lost_line_ > 0) {
      doubts.push_back(fmt::format(
          "In line {} a character is lost, replaced by \xef\xbf\xbd: was the file converted from a "
          "wrong encoding? Then convert the original anew.",
          lost_line_));
    }
    std::erase(doubts, std::string());
    return doubts;
  }

  void remark_on_format() {
    std::string remark = format_remark(schema().format);
    const auto doubts = doubts_of_file();
    if (!doubts.empty()) {
      remark += fmt::format("{}{}", remark.empty() ? "" : " ", fmt::join(doubts, " "));
      draft_.doubtful.emplace_back("[format]");
    }
    if (!remark.empty()) draft_.remarks.emplace("[format]", std::move(remark));
  }

  /// What single values tell of the file.
  void look_at_text(std::size_t k, std::string_view field, std::int64_t line) {
    const auto& format = options_.format;
    if (misread_line_ == 0 && twice_encoded(field)) misread_line_ = line;
    if (format.encoding == TextEncoding::windows_1252) unusual_words_.add(field, line);
    if (lost_line_ == 0 && field.find("\xef\xbf\xbd") != std::string_view::npos) lost_line_ = line;
    const bool quote = !format.quote && field.find('"') != std::string_view::npos;
    if (first_quote_ == 0 && quote) first_quote_ = line;
    long_values_.add(names_[k], field, line, format.separator, names_.size());
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

  /// The words for a missing value that a column has, as they stand in the schema: those of texts
  /// for the whole file.
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
      // Dates in the usual spelling may be numbers nowhere, and numbers no dates.
      facts.emplace_back(NumberReader(guess.mostly_dates(k), guess.reading(k)),
                         static_cast<std::size_t>(options_.max_categories));
    }
    const auto missing = [&](std::size_t k, std::string_view field) {
      return among(schema().missing, field) || among(own_missing_[k], field);
    };
    static_cast<void>(for_each_value(
        records_, missing,
        [&](std::size_t k, std::string_view field, std::int64_t line, bool is_missing) {
          filled_.add(k, line, is_missing);
          look_at_text(k, field, line);
          if (is_missing) {
            facts[k].add_missing();
          } else {
            facts[k].add(field, line);
          }
        }));
    filled_.end_record();
    return facts;
  }

  /// What the column writes otherwise than the file does.
  [[nodiscard]] Spelling own_spelling(std::size_t k, const SpellingGuess& guess) const {
    Spelling own;
    if (guess.numeric(k) || guess.dates(k)) own = guess.own(k);
    own.missing = own_missing_[k];
    return own;
  }

  /// What the values of a column of numbers or dates may mean beside what is drafted; empty:
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
  FilledFields filled_{names_.size()};
  UnusualWords unusual_words_;
  LongValues long_values_;
  std::int64_t misread_line_ = 0;  // 0: none
  std::int64_t lost_line_ = 0;
  std::int64_t first_quote_ = 0;                       // line; 0: none
  std::vector<std::set<std::string>> words_;           // for a missing value, by column
  std::vector<std::vector<std::string>> own_missing_;  // by column
  SchemaDraft draft_;
};

}  // namespace

SchemaDraft draft_schema(const RecordSource& public_records, const DraftOptions& options) {
  return Drafter(public_records, options).draft();
}

}  // namespace tacet::data
