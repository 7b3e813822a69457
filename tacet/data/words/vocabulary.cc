#include "tacet/data/words/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "tacet/base/error.h"
#include "tacet/data/encode/public_hash.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

constexpr int max_bucket_bits = 30;
constexpr std::int64_t max_count = std::int64_t{1} << 53;

/// What is wrong with a single word; empty if nothing is.
std::string_view fault_of(std::string_view word) {
  if (word.empty()) return "a word is empty";
  if (word.size() > longest_word) return "a word has more than 4096 bytes";
  if (!valid_utf8(word)) return "a word is not UTF-8; convert the list";
  if (!Tokens(TokenRule::blanks).is_token(word)) return "a word has blanks or zero bytes in it";
  return {};
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (count < 0 || count >= max_count) return std::nullopt;
  return count;
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> words, std::vector<std::int64_t> counts)
    : words_(std::move(words)), counts_(std::move(counts)) {
  if (words_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() / 2)) {
    throw base::UsageError("a vocabulary has at most 2^30 words");
  }
  if (!counts_.empty() && counts_.size() != words_.size()) {
    throw base::UsageError("{} counts for {} words", counts_.size(), words_.size());
  }
  if (std::ranges::any_of(counts_, [](std::int64_t count) { return count < 0; })) {
    throw base::UsageError("a count of a word is negative");
  }
  numbers_.reserve(words_.size());
  for (const auto& word : words_) {
    if (const auto fault = fault_of(word); !fault.empty())
      throw base::UsageError(std::string(fault));
    if (!numbers_.try_emplace(word, size_++).second) {
      throw base::UsageError("the word '{}' is in the vocabulary twice", word);
    }
  }
}

Vocabulary Vocabulary::hashed(int bits) {
  if (bits < 1 || bits > max_bucket_bits) {
    throw base::UsageError("buckets must be 1 to {} bits, got {}", max_bucket_bits, bits);
  }
  Vocabulary out;
  out.bits_ = bits;
  out.size_ = std::int32_t{1} << bits;
  return out;
}

std::int32_t Vocabulary::find(std::string_view token) const {
  if (hashed()) return static_cast<std::int32_t>(public_bucket(token, bits_));
  const auto found = numbers_.find(token);
  return found == numbers_.end() ? unknown : found->second;
}

std::string Vocabulary::word(std::int32_t number) const {
  return hashed() ? fmt::format("#{}", number) : words_.at(static_cast<std::size_t>(number));
}

Vocabulary Vocabulary::with_counts_from(std::int64_t min) const {
  expect_counts(*this, "a least count of words");
  std::vector<std::string> words;
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < words_.size(); ++k) {
    if (counts_[k] < min) continue;
    words.push_back(words_[k]);
    counts.push_back(counts_[k]);
  }
  if (words.empty()) throw base::UsageError("no word of the vocabulary has a count of {}", min);
  return Vocabulary(std::move(words), std::move(counts));
}

std::int64_t Vocabulary::never_found(TokenRule rule) const {
  const Tokens tokens(rule, longest_word);
  return std::ranges::count_if(words_, [&](const auto& word) { return !tokens.is_token(word); });
}

void expect_counts(const Vocabulary& vocabulary, std::string_view what) {
  if (!vocabulary.counts().empty()) return;
  throw base::UsageError(
      "{} needs the words' counts, and those of private texts are private: give a vocabulary with "
      "a public count behind each word (of a public corpus, say), or with noisy counts that were "
      "paid for",
      what);
}

Vocabulary read_vocabulary(const std::filesystem::path& file) {
  return read_vocabulary(LineReader(open_source(file), file.string()), file.string());
}

Vocabulary read_vocabulary(LineReader lines, std::string_view file_name) {
  std::vector<std::string> words;
  std::vector<std::int64_t> counts;
  std::unordered_map<std::string, std::int64_t> first_lines;
  std::vector<std::string_view> fields;
  while (const auto line = lines.next()) {
    split_at_blanks(*line, fields);
    if (fields.empty()) lines.fail("the line is empty; a word is expected on each line");
    if (fields.size() > 2) lines.fail("a word and at most its count are expected, not more fields");
    if (const auto fault = fault_of(fields[0]); !fault.empty()) lines.fail(fault);
    const auto [found, is_new] = first_lines.try_emplace(std::string(fields[0]), lines.line());
    if (!is_new) lines.fail(fmt::format("the word stands on line {} already", found->second));
    if (!words.empty() && (fields.size() == 2) == counts.empty()) {
      lines.fail(counts.empty() ? "a count, where the lines before have none"
                                : "no count, where the lines before have one");
    }
    words.emplace_back(fields[0]);
    if (fields.size() == 1) continue;
    const auto count = parse_count(fields[1]);
    if (!count) lines.fail("the count is no whole number from 0 to below 2^53");
    counts.push_back(*count);
  }
  if (words.empty()) throw base::DataError("{}: the list has no words", file_name);
  return Vocabulary(std::move(words), std::move(counts));
}

}  // namespace tacet::data
