#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tacet/data/encode/tokens.h"
#include "tacet/data/read/lines.h"

namespace tacet::data {

/// The largest number of bytes of a token or word.
inline constexpr std::size_t longest_word = 4096;

/// The words that have rows of a table, numbered 0, 1, ...: a public list, or buckets to which a
/// public hash assigns every token. Never made from private records. Any number of threads may read
/// it.
class Vocabulary {
 public:
  /// The answer of find() for a token that is not in the vocabulary.
  static constexpr std::int32_t unknown = -1;

  /// The words in their order, with public counts or without. UsageError for a word that is empty,
  /// repeated, longer than longest_word, not UTF-8, or contains blanks or line ends; for a negative
  /// count; and for another number of counts than words.
  explicit Vocabulary(std::vector<std::string> words, std::vector<std::int64_t> counts = {});
  /// 2^bits buckets, 1 <= bits <= 30; the name of bucket k is "#k".
  [[nodiscard]] static Vocabulary hashed(int bits);

  [[nodiscard]] std::int32_t size() const { return size_; }
  [[nodiscard]] bool hashed() const { return bits_ > 0; }
  /// The number of a token's word, or `unknown`.
  [[nodiscard]] std::int32_t find(std::string_view token) const;
  /// The name of word `number`.
  [[nodiscard]] std::string word(std::int32_t number) const;
  /// Public counts; empty where none were given.
  [[nodiscard]] std::span<const std::int64_t> counts() const { return counts_; }

  /// The words whose public count is at least `min`, in their order. UsageError without counts,
  /// which says how to get them, or if no word is left.
  [[nodiscard]] Vocabulary with_counts_from(std::int64_t min) const;
  /// The number of words that no text can contain under the rule ("New", if words are lower-cased).
  [[nodiscard]] std::int64_t never_found(TokenRule rule) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  Vocabulary() = default;

  std::int32_t size_ = 0;
  int bits_ = 0;
  std::vector<std::string> words_;
  std::vector<std::int64_t> counts_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
};

/// Reads a public list with one word per line. The word may be followed by blanks and its public
/// count, on all lines or on none. The file may be compressed with gzip. DataError with `file:line`
/// for an empty line, a repeated word, a word that is not UTF-8, a count that is not a whole number
/// below 2^53, further fields, and counts on some lines only; and for a list without words.
[[nodiscard]] Vocabulary read_vocabulary(const std::filesystem::path& file);
/// The same from lines that are open already.
[[nodiscard]] Vocabulary read_vocabulary(LineReader lines, std::string_view file_name);

/// UsageError if there are no counts; it names `what`, which needs them, and says how to get them.
void expect_counts(const Vocabulary& vocabulary, std::string_view what);

}  // namespace tacet::data
