#include "tacet/data/owner/file_doubts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tacet/data/owner/column_facts.h"
#include "tacet/data/owner/written_codes.h"

namespace tacet::data {
namespace {

/// Whether a letter was encoded in UTF-8 twice: a capital A with a tilde, followed by a sign.
bool twice_encoded(std::string_view field) {
  return field.find("\xc3\x83\xc2") != std::string_view::npos;
}

/// The first words of a file with characters beyond ASCII, and the line of the first.
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
    const auto begin = field.substr(0, at).rfind(' ') + 1;  // 0 if there is no blank
    const auto word = field.substr(begin, field.find(' ', at) - begin);
    if (word.size() > longest || std::ranges::find(words_, word) != words_.end()) return;
    if (words_.empty()) line_ = line;
    words_.emplace_back(word);
  }
  /// Only a person can see whether they are spelt correctly.
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

/// Values over several lines, for which a quote was perhaps closed too late.
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
          "closing quote missing? Then mend that line.",
          column, line, 1 + std::ranges::count(field, '\n'));
      return;
    }
  }
  [[nodiscard]] const std::string& remark() const { return remark_; }

 private:
  std::string remark_;
};

/// The line of names occurs again, for example because files were concatenated.
class NamesAgain {
 public:
  explicit NamesAgain(const std::vector<std::string>& names) : names_(names) {}

  void add(std::size_t column, std::string_view field, std::int64_t line) {
    if (column == 0) equal_ = 0;
    if (field == names_[column]) ++equal_;
    if (equal_ == names_.size() && names_.size() > 1 && lines_++ == 0) first_ = line;
  }
  [[nodiscard]] std::string remark() const {
    if (lines_ == 0) return {};
    return fmt::format(
        "The line of names comes again {}, first in line {}: take {} out: sed '{}d' FILE.",
        lines_ == 1 ? std::string("once") : fmt::format("{} times", lines_), first_,
        lines_ == 1 ? "it" : "each", first_);
  }

 private:
  const std::vector<std::string>& names_;
  std::size_t equal_ = 0;
  std::int64_t lines_ = 0;
  std::int64_t first_ = 0;
};

/// Characters that are written as codes, or were lost.
class OddCharacters {
 public:
  void add(std::string_view text, std::int64_t line) {
    const bool long_text = text.size() > longest;
    if (text.empty() || long_text) return;
    if (code_ == nullptr) {
      code_ = written_code(text);
      if (code_ != nullptr) code_place_ = {std::string(text), line};
    }
    if (lost_.line == 0 && lost_in_word(text)) lost_ = {std::string(text), line};
  }
  [[nodiscard]] std::string about_codes() const {
    if (code_ == nullptr) return {};
    return fmt::format("\"{}\" in line {} has characters written as codes, in the way of {}: {}.",
                       code_place_.text, code_place_.line, code_->of, code_->way);
  }
  [[nodiscard]] std::string about_lost() const {
    if (lost_.line == 0) return {};
    return fmt::format(
        "\"{}\" in line {} has a question mark within a word: was a character lost? Then write the "
        "original anew, in UTF-8.",
        lost_.text, lost_.line);
  }

 private:
  static constexpr std::size_t longest = 200;  // prose may be about codes

  const WrittenCode* code_ = nullptr;
  PlacedText code_place_;
  PlacedText lost_;
};

/// Counts the values of each record, to find lines of totals at the end.
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
  /// Call it after the last record.
  void end_record() {
    if (records_ == 0) return;
    if (values_ == 0 && empty_++ == 0) first_empty_ = line_;
    if (2 * values_ > columns_) {
      fewest_before_ = std::min({fewest_before_, values_, sparse_fewest_});
      sparse_ = 0;
      sparse_most_ = 0;
      sparse_fewest_ = max;
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
  /// If a few records at the end have fewer values than all others, and at most half of them.
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
  static constexpr auto max = std::numeric_limits<std::size_t>::max();

  std::size_t columns_;
  std::int64_t records_ = 0;
  std::int64_t empty_ = 0;
  std::int64_t first_empty_ = 0;
  std::int64_t line_ = 0;
  std::size_t values_ = 0;  // of the record
  std::size_t fewest_before_ = max;
  std::int64_t sparse_ = 0;  // records at the end with at most half of the values
  std::int64_t first_sparse_ = 0;
  std::size_t sparse_most_ = 0;
  std::size_t sparse_fewest_ = max;
};

}  // namespace

struct FileDoubts::Seen {
  explicit Seen(const std::vector<std::string>& names) : filled(names.size()), again(names) {}

  FilledFields filled;
  NamesAgain again;
  OddCharacters odd;
  UnusualWords unusual_words;
  LongValues long_values;
  // Lines; 0: there is none.
  std::int64_t misread_line = 0;
  std::int64_t lost_line = 0;
  std::int64_t first_quote = 0;
};

FileDoubts::FileDoubts(const std::vector<std::string>& names, const FileFormat& format,
                       bool encoding_is_said)
    : names_(names),
      format_(format),
      encoding_is_said_(encoding_is_said),
      seen_(std::make_unique<Seen>(names)) {
  if (!format.header) return;
  for (const auto& name : names) seen_->odd.add(name, 1);
}
FileDoubts::~FileDoubts() = default;

void FileDoubts::add(std::size_t k, std::string_view field, std::int64_t line, bool is_missing) {
  auto& seen = *seen_;
  seen.filled.add(k, line, is_missing);
  seen.again.add(k, field, line);
  seen.odd.add(field, line);
  if (seen.misread_line == 0 && twice_encoded(field)) seen.misread_line = line;
  if (format_.encoding == TextEncoding::windows_1252) seen.unusual_words.add(field, line);
  if (seen.lost_line == 0 && field.find("\xef\xbf\xbd") != std::string_view::npos)
    seen.lost_line = line;
  const bool quote = !format_.quote && field.find('"') != std::string_view::npos;
  if (seen.first_quote == 0 && quote) seen.first_quote = line;
  seen.long_values.add(names_[k], field, line, format_.separator, names_.size());
}

void FileDoubts::end_record() { seen_->filled.end_record(); }

std::vector<std::string> FileDoubts::all() const {
  const auto& seen = *seen_;
  std::vector<std::string> doubts;
  const auto empty = seen.filled.about_empty();
  doubts.push_back(seen.again.remark());
  doubts.push_back(seen.long_values.remark());
  doubts.push_back(seen.odd.about_codes());
  doubts.push_back(seen.odd.about_lost());
  doubts.push_back(empty.empty() ? seen.filled.about_totals() : empty);
  if (seen.first_quote > 0) {
    doubts.push_back(fmt::format(
        "Quotes stand within values, the first in line {}, and are read as a part of them: is "
        "one too many or missing there? Then mend that line.",
        seen.first_quote));
  }
  if (seen.misread_line > 0) {
    doubts.push_back(fmt::format(
        "In line {} two characters stand for one, as in UTF-8 that is read as {}: is the file "
        "UTF-8 with damaged characters? Mend it, or write encoding = \"utf-8\" under [format], "
        "which leaves those alone out.",
        seen.misread_line, "windows-1252"));
  } else if (!encoding_is_said_) {
    doubts.push_back(seen.unusual_words.question());
  }
  if (seen.lost_line > 0) {
    doubts.push_back(fmt::format(
        "In line {} a character is lost, replaced by \xef\xbf\xbd: was the file converted from a "
        "wrong encoding? Then convert the original anew.",
        seen.lost_line));
  }
  std::erase(doubts, std::string());
  return doubts;
}

}  // namespace tacet::data
