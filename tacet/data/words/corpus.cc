#include "tacet/data/words/corpus.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/unit_index.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

constexpr std::size_t block_words = std::size_t{1} << 20;

/// Finds the number of a token's word, or Vocabulary::unknown.
using FindWord = std::function<std::int32_t(std::string_view)>;

/// A list of words that grows with each new one.
class GrowingList {
 public:
  std::int32_t find(std::string_view token) {
    const auto known = numbers_.find(token);
    if (known != numbers_.end()) return known->second;
    if (!valid_utf8(token)) return Vocabulary::unknown;
    if (words_.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw base::DataError("the texts have 2^31 different words or more");
    }
    const auto number = static_cast<std::int32_t>(words_.size());
    words_.emplace_back(token);
    numbers_.try_emplace(words_.back(), number);
    return number;
  }
  [[nodiscard]] std::vector<std::string> take() {
    return {std::make_move_iterator(words_.begin()), std::make_move_iterator(words_.end())};
  }

 private:
  std::deque<std::string> words_;  // in a deque, so that their addresses stay the same
  std::unordered_map<std::string_view, std::int32_t> numbers_;
};

/// Gathers one record's words.
class RecordWords {
 public:
  RecordWords(FindWord find, const CorpusOptions& options)
      : find_(std::move(find)),
        tokens_(options.tokens, longest_word),
        max_(static_cast<std::size_t>(options.max_words)),
        keep_unknown_(options.keep_unknown) {}

  void feed(std::string_view piece) {
    tokens_.feed(piece, [this](std::string_view token) { add(token); });
  }
  /// The record ends; its words are valid until the next feed().
  [[nodiscard]] std::span<const std::int32_t> finish() {
    tokens_.finish([this](std::string_view token) { add(token); });
    finished_.swap(words_);
    words_.clear();
    return finished_;
  }

 private:
  void add(std::string_view token) {
    if (words_.size() == max_) return;
    const auto word = find_(token);
    if (word != Vocabulary::unknown || keep_unknown_) words_.push_back(word);
  }

  FindWord find_;
  Tokens tokens_;
  std::size_t max_;
  bool keep_unknown_;
  std::vector<std::int32_t> words_;
  std::vector<std::int32_t> finished_;
};

Corpus read_lines(ByteSource& source, RecordWords& words, const base::CancelToken* cancel) {
  Corpus corpus(false);
  std::vector<char> buffer(std::size_t{1} << 18);
  bool open = false;  // a line has begun
  while (const auto count = source.read(buffer)) {
    if (cancel != nullptr) cancel->throw_if_cancelled();
    std::string_view rest(buffer.data(), count);
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      words.feed(rest.substr(0, end));
      open = end == std::string_view::npos;
      if (open) break;
      corpus.append(words.finish(), 0);
      rest.remove_prefix(end + 1);
    }
  }
  if (open) corpus.append(words.finish(), 0);
  return corpus;
}

Corpus read_table(RecordReader& reader, const std::string& name, RecordWords& words,
                  const CorpusTable& table, const base::CancelToken* cancel) {
  const auto& names = reader.names();
  const auto text = column_place(table.text_column, names, name);
  const auto unit = table.unit_column ? column_place(*table.unit_column, names, name) : 0;
  Corpus corpus(table.unit_column.has_value());
  UnitIndex units(table.missing);
  FileText text_of;
  for (std::int64_t row = 0; const auto record = reader.next(); ++row) {
    if (cancel != nullptr && row % rows_between_checks == 0) cancel->throw_if_cancelled();
    words.feed(text_of.of((*record)[text]));
    corpus.append(words.finish(), table.unit_column ? units.number_of((*record)[unit]) : 0);
  }
  return corpus;
}

void check_max_words(const CorpusOptions& options) {
  if (options.max_words >= 2 && options.max_words <= max_record_words) return;
  throw base::UsageError("words per record must be 2 to {}, got {}", max_record_words,
                         options.max_words);
}

Corpus read_words(std::unique_ptr<ByteSource> source, const std::string& file_name,
                  RecordWords words, const CorpusOptions& options) {
  auto corpus =
      options.table
          ? read_table(*csv_reader(std::move(source), file_name, options.table->format), file_name,
                       words, *options.table, options.cancel)
          : read_lines(*without_byte_order_mark(std::move(source)), words, options.cancel);
  corpus.finish();
  return corpus;
}

Corpus read_words(const RecordSource& records, RecordWords words, const CorpusOptions& options) {
  if (!options.table) throw base::UsageError("records need the column that holds their texts");
  auto corpus = read_table(*records.open(), records.name, words, *options.table, options.cancel);
  corpus.finish();
  return corpus;
}

FindWord words_of(const Vocabulary& vocabulary) {
  return [&vocabulary](std::string_view token) { return vocabulary.find(token); };
}

}  // namespace

void Corpus::append(std::span<const std::int32_t> words, std::int64_t unit) {
  if (with_units_ && unit == Dataset::no_unit) return;
  const auto max = std::max(block_words, words.size());
  if (blocks_.empty() || blocks_.back().size() + words.size() > max) {
    blocks_.emplace_back();
    // The first block grows by doubling so that small corpora stay small.
    if (blocks_.size() > 1) blocks_.back().reserve(max);
  }
  auto& block = blocks_.back();
  records_.push_back({.block = static_cast<std::uint32_t>(blocks_.size() - 1),
                      .from = static_cast<std::uint32_t>(block.size()),
                      .size = static_cast<std::uint32_t>(words.size())});
  block.insert(block.end(), words.begin(), words.end());
  word_count_ += static_cast<std::int64_t>(words.size());
  if (!with_units_) return;
  units_.push_back(unit);
  unit_count_ = std::max(unit_count_, unit + 1);
}

void Corpus::finish() {
  if (!with_units_) return;
  unit_starts_.assign(static_cast<std::size_t>(unit_count_) + 1, 0);
  for (const auto unit : units_) ++unit_starts_[static_cast<std::size_t>(unit) + 1];
  std::partial_sum(unit_starts_.begin(), unit_starts_.end(), unit_starts_.begin());
  auto next = unit_starts_;
  records_by_unit_.resize(units_.size());
  for (std::size_t k = 0; k < units_.size(); ++k) {
    records_by_unit_[next[static_cast<std::size_t>(units_[k])]++] = static_cast<std::int64_t>(k);
  }
  std::vector<std::int64_t>().swap(units_);
}

void Corpus::renumber(std::span<const std::int32_t> numbers, bool keep_unknown) {
  word_count_ = 0;
  for (auto& place : records_) {
    auto* const words = blocks_[place.block].data() + place.from;
    std::uint32_t kept = 0;
    for (std::uint32_t k = 0; k < place.size; ++k) {
      const auto number = words[k] == Vocabulary::unknown
                              ? Vocabulary::unknown
                              : numbers[static_cast<std::size_t>(words[k])];
      if (number != Vocabulary::unknown || keep_unknown) words[kept++] = number;
    }
    place.size = kept;
    word_count_ += kept;
  }
}

Corpus read_corpus(const std::filesystem::path& file, const Vocabulary& vocabulary,
                   const CorpusOptions& options) {
  return read_corpus(open_source(file), file.string(), vocabulary, options);
}

Corpus read_corpus(std::unique_ptr<ByteSource> source, const std::string& file_name,
                   const Vocabulary& vocabulary, const CorpusOptions& options) {
  check_max_words(options);
  return read_words(std::move(source), file_name, {words_of(vocabulary), options}, options);
}

Corpus read_corpus(const RecordSource& records, const Vocabulary& vocabulary,
                   const CorpusOptions& options) {
  check_max_words(options);
  return read_words(records, {words_of(vocabulary), options}, options);
}

OpenCorpus read_open_corpus(const std::filesystem::path& file, const CorpusOptions& options) {
  return read_open_corpus(open_source(file), file.string(), options);
}

OpenCorpus read_open_corpus(std::unique_ptr<ByteSource> source, const std::string& file_name,
                            const CorpusOptions& options) {
  check_max_words(options);
  GrowingList list;
  auto corpus =
      read_words(std::move(source), file_name,
                 {[&list](std::string_view token) { return list.find(token); }, options}, options);
  return {std::move(corpus), list.take(), options.keep_unknown};
}

OpenCorpus read_open_corpus(const RecordSource& records, const CorpusOptions& options) {
  check_max_words(options);
  GrowingList list;
  auto corpus = read_words(
      records, {[&list](std::string_view token) { return list.find(token); }, options}, options);
  return {std::move(corpus), list.take(), options.keep_unknown};
}

}  // namespace tacet::data
