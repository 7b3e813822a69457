#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/schema.h"
#include "tacet/data/words/vocabulary.h"

namespace tacet::data {

/// Texts as numbers of words, private from the moment they are read. There is no printing and no
/// serialisation; how many records, units and words there are is private too.
///
/// Memory: four bytes per word, and about thirty per record. Not for several threads at once.
class Corpus {
 public:
  /// With units, each record names the unit that it belongs to.
  explicit Corpus(bool with_units) : with_units_(with_units) {}

  /// With Dataset::no_unit, the record belongs to nobody and is ignored. Without units each record
  /// is its own unit.
  void append(std::span<const std::int32_t> words, std::int64_t unit);
  /// Call it after the last record.
  void finish();
  /// Word k becomes numbers[k]. Words that become Vocabulary::unknown are left out, unless they are
  /// to be kept as unknown. Call it after finish().
  void renumber(std::span<const std::int32_t> numbers, bool keep_unknown);

  [[nodiscard]] std::int64_t record_count() const {
    return static_cast<std::int64_t>(records_.size());
  }
  [[nodiscard]] std::int64_t unit_count() const {
    return with_units_ ? unit_count_ : record_count();
  }
  [[nodiscard]] std::int64_t word_count() const { return word_count_; }
  [[nodiscard]] std::span<const std::int32_t> record(std::int64_t record) const {
    const auto& place = records_[static_cast<std::size_t>(record)];
    return {blocks_[place.block].data() + place.from, place.size};
  }
  /// Prefetches a record: with `place` the entry that says where its words are, otherwise its
  /// words. Always inline: GCC drops calls to functions that only prefetch.
  [[gnu::always_inline]] void prefetch(std::int64_t record, bool place) const {
    if (place) return __builtin_prefetch(&records_[static_cast<std::size_t>(record)]);
    __builtin_prefetch(this->record(record).data());
  }
  [[nodiscard]] bool with_units() const { return with_units_; }
  /// Calls visit(record) for each record of the unit, in the order of the file.
  template <typename Visit>
  void visit_unit(std::int64_t unit, Visit&& visit) const {
    if (!with_units_) return visit(unit);
    for (auto k = unit_starts_[static_cast<std::size_t>(unit)];
         k < unit_starts_[static_cast<std::size_t>(unit) + 1]; ++k) {
      visit(records_by_unit_[k]);
    }
  }

 private:
  struct Place {
    std::uint32_t block;
    std::uint32_t from;
    std::uint32_t size;
  };

  bool with_units_;
  std::vector<std::vector<std::int32_t>> blocks_;  // each record lies in one block
  std::vector<Place> records_;
  std::vector<std::int64_t> units_;  // of each record, until finish() is called
  std::int64_t unit_count_ = 0;
  std::int64_t word_count_ = 0;
  std::vector<std::size_t> unit_starts_;
  std::vector<std::int64_t> records_by_unit_;
};

/// A table with a column of texts.
struct CorpusTable {
  std::string text_column;
  std::optional<std::string> unit_column{};  ///< absent: the record is the unit
  FileFormat format{};                       ///< of the CSV file
  /// Texts that stand for a missing unit.
  std::vector<std::string> missing{"", "NA", "N/A", "NaN", "nan", "null", "NULL"};
};

/// The largest number of words of a record that may count, and the default.
inline constexpr std::int64_t max_record_words = std::int64_t{1} << 24;
inline constexpr std::int64_t usual_record_words = 10'000;

struct CorpusOptions {
  TokenRule tokens = TokenRule::blanks;
  std::optional<CorpusTable> table{};  ///< absent: one document per line, as in fastText and gensim
  /// Only this many words at the beginning of a record count, in [2, max_record_words].
  std::int64_t max_words = usual_record_words;
  /// keeps unknown words as Vocabulary::unknown instead of leaving them out
  bool keep_unknown = false;
  const base::CancelToken* cancel = nullptr;
};

/// Reads a text file; gzip is recognised. The contents of a record are never an error. Tokens that
/// are not in the vocabulary (invalid UTF-8 never is), or longer than longest_word bytes, are left
/// out before windows are formed. If a record has more than `max_words` words, the first ones
/// count. Empty lines are records without words. Lines may have any length: memory is the corpus
/// and a buffer. For tables, DataError with file:line:column for structural faults and for a
/// missing column; IoError for a folder.
[[nodiscard]] Corpus read_corpus(const std::filesystem::path& file, const Vocabulary& vocabulary,
                                 const CorpusOptions& options);
/// The same from an open source; `file_name` is for messages.
[[nodiscard]] Corpus read_corpus(std::unique_ptr<ByteSource> source, const std::string& file_name,
                                 const Vocabulary& vocabulary, const CorpusOptions& options);
/// The same from the columns of a table that the options name.
[[nodiscard]] Corpus read_corpus(const RecordSource& records, const Vocabulary& vocabulary,
                                 const CorpusOptions& options);

/// Texts with words that nobody listed. Words are numbered in the order in which the file first
/// contains them. Which words there are, and in which order, is as private as the texts.
struct OpenCorpus {
  Corpus corpus;
  std::vector<std::string> words{};
  bool keep_unknown = false;  ///< as it was read
};
/// Reads texts with all of their words, except tokens that no vocabulary may contain (not UTF-8, or
/// more than longest_word bytes). The first max_words tokens of a record count.
[[nodiscard]] OpenCorpus read_open_corpus(const std::filesystem::path& file,
                                          const CorpusOptions& options);
[[nodiscard]] OpenCorpus read_open_corpus(std::unique_ptr<ByteSource> source,
                                          const std::string& file_name,
                                          const CorpusOptions& options);
[[nodiscard]] OpenCorpus read_open_corpus(const RecordSource& records,
                                          const CorpusOptions& options);

}  // namespace tacet::data
