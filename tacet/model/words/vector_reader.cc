#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_set>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/tokens.h"
#include "tacet/data/read/array_reader.h"
#include "tacet/data/utf8.h"
#include "tacet/data/words/vocabulary.h"
#include "tacet/model/words/word_shape.h"
#include "tacet/model/words/word_vectors.h"

namespace tacet::model {
namespace {

constexpr std::size_t longest_first_line = 64;  // two numbers of at most 19 digits
// Nobody writes more characters for a float, and no word is longer.
constexpr std::size_t longest_float = 64;

/// The bytes ahead, as many as are asked for.
class BytesAhead {
 public:
  explicit BytesAhead(std::unique_ptr<data::ByteSource> source) : source_(std::move(source)) {}

  /// At least `count` bytes unless the file ends before.
  [[nodiscard]] std::string_view at_least(std::size_t count) {
    while (end_ - begin_ < count && !ended_) refill(count);
    return {buffer_.data() + begin_, end_ - begin_};
  }
  void skip(std::size_t count) { begin_ += count; }

 private:
  void refill(std::size_t count) {
    constexpr std::size_t step = std::size_t{1} << 16;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    buffer_.resize(std::max(buffer_.size(), count + step));
    const auto read = source_->read(std::span(buffer_).subspan(end_));
    end_ += read;
    ended_ = read == 0;
  }

  std::unique_ptr<data::ByteSource> source_;
  std::vector<char> buffer_ = std::vector<char>(1);
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
};

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes the characters up to the next blank off the text, and the blanks before.
std::string_view take_field(std::string_view& text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  const auto end = static_cast<std::size_t>(std::ranges::find_if(text, blank) - text.begin());
  const auto field = text.substr(0, end);
  text.remove_prefix(end);
  return field;
}

template <typename Number>
bool parse_whole(std::string_view field, Number& number) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && end == field.data() + field.size();
}

/// The nearest float: 0 for what is too small for one, infinity for what is too large.
bool parse_float(std::string_view field, float& number) {
  if (parse_whole(field, number)) return true;
  double wide = 0;
  if (!parse_whole(field, wide)) return false;
  number = static_cast<float>(wide);
  return true;
}

/// A row of the text form; false unless it is a word and `vector.size()` numbers.
bool parse_row(std::string_view line, std::string_view& word, std::span<float> vector) {
  word = take_field(line);
  for (float& number : vector) {
    if (!parse_float(take_field(line), number)) return false;
  }
  return !word.empty() && take_field(line).empty();
}

/// Reads word2vec's two forms.
class VectorFile {
 public:
  VectorFile(std::unique_ptr<data::ByteSource> source, std::string name)
      : bytes_(std::move(source)), name_(std::move(name)) {}

  WordVectors read() {
    const auto announced = read_first_line();
    row_.resize(static_cast<std::size_t>(vectors_.dimensions));
    const bool text = is_text();
    for (number_ = 1; number_ <= announced; ++number_) {
      if (text) {
        read_text_row();
      } else {
        read_binary_row();
      }
    }
    const auto rest = bytes_.at_least(longest_row());
    if (!std::ranges::all_of(rest, [](char c) { return blank(c) || c == '\n'; })) {
      fail("more follows than the first line announces");
    }
    if (vectors_.words.empty()) fail("no vectors");
    return std::move(vectors_);
  }

 private:
  std::int64_t read_first_line() {
    const auto ahead = bytes_.at_least(longest_first_line);
    const auto size = ahead.substr(0, longest_first_line).find('\n');
    std::int64_t words = 0;
    if (size != std::string_view::npos) {
      auto line = ahead.substr(0, size);
      const bool both = parse_whole(take_field(line), words) &&
                        parse_whole(take_field(line), vectors_.dimensions) &&
                        take_field(line).empty();
      bytes_.skip(size + 1);
      if (both && words >= 1 && words <= std::numeric_limits<std::int32_t>::max() &&
          vectors_.dimensions >= 1 && vectors_.dimensions <= max_word_dimensions) {
        return words;
      }
    }
    throw base::DataError(
        "{}:1: the first line of word vectors holds how many words and how many dimensions (1 to "
        "{}) there are, \"20000 100\" say",
        name_, max_word_dimensions);
  }

  [[nodiscard]] std::size_t longest_row() const {
    return data::longest_word + row_.size() * longest_float;
  }

  /// The row ahead, without its end; nothing if none ends where one has to.
  [[nodiscard]] std::optional<std::string_view> row_ahead() {
    const auto ahead = bytes_.at_least(longest_row() + 1);
    const auto size = ahead.find('\n');
    if (size != std::string_view::npos) {
      return size <= longest_row() ? std::optional(ahead.substr(0, size)) : std::nullopt;
    }
    return ahead.size() <= longest_row() ? std::optional(ahead) : std::nullopt;
  }

  bool is_text() {
    const auto row = row_ahead();
    std::string_view word;
    return row && parse_row(*row, word, row_);
  }

  void read_text_row() {
    const auto row = row_ahead();
    std::string_view word;
    if (!row || !parse_row(*row, word, row_)) {
      fail(fmt::format("a word and {} numbers are expected", row_.size()));
    }
    keep(word);
    bytes_.skip(std::min(row->size() + 1, bytes_.at_least(row->size() + 1).size()));
  }

  void read_binary_row() {
    while (bytes_.at_least(1).starts_with('\n')) bytes_.skip(1);
    const auto vector_bytes = row_.size() * sizeof(float);
    const auto ahead = bytes_.at_least(data::longest_word + 1 + vector_bytes);
    const auto size = ahead.substr(0, data::longest_word + 1).find(' ');
    if (size == std::string_view::npos || ahead.size() < size + 1 + vector_bytes) {
      fail(fmt::format("a word and {} numbers are expected, as text or as float32", row_.size()));
    }
    std::memcpy(row_.data(), ahead.data() + size + 1, vector_bytes);
    keep(ahead.substr(0, size));
    bytes_.skip(size + 1 + vector_bytes);
  }

  void keep(std::string_view word) {
    if (word.empty()) fail("a word is empty");
    if (word.size() > data::longest_word) fail("a word has more than 4096 bytes");
    if (!data::valid_utf8(word)) fail("a word is not UTF-8");
    if (!tokens_.is_token(word)) fail("a word has blanks, line ends or zero bytes in it");
    if (!std::ranges::all_of(row_, [](float x) { return std::isfinite(x); })) {
      fail("a number is not finite");
    }
    if (!known_.emplace(word).second) return;  // the first one counts
    vectors_.words.emplace_back(word);
    vectors_.values.insert(vectors_.values.end(), row_.begin(), row_.end());
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw base::DataError("{}: vector {}: {}", name_, number_, what);
  }

  BytesAhead bytes_;
  std::string name_;
  std::int64_t number_ = 0;
  WordVectors vectors_;
  std::vector<float> row_;
  std::unordered_set<std::string> known_;
  data::Tokens tokens_{data::TokenRule::blanks};
};

bool looks_like_npy(const std::filesystem::path& file) {
  const auto source = data::open_source(file);
  std::array<char, 6> first{};
  std::size_t size = 0;
  while (size < first.size()) {
    const auto count = source->read(std::span(first).subspan(size));
    if (count == 0) break;
    size += count;
  }
  return std::string_view(first.data(), size) == "\x93NUMPY";
}

WordVectors load_array(const std::filesystem::path& file) {
  data::ArrayReader reader(data::open_source(file), file.string());
  const auto& shape = reader.shape();
  const auto words = data::read_vocabulary(word_list_of(file));
  if (shape.size() != 2 || shape[0] != words.size() || shape[1] < 1 ||
      shape[1] > max_word_dimensions) {
    throw base::DataError(
        "{}: the array must have as many rows as '{}' has words ({}) and 1 to {} columns",
        file.string(), word_list_of(file).string(), words.size(), max_word_dimensions);
  }
  WordVectors vectors{.dimensions = shape[1]};
  std::vector<double> row(static_cast<std::size_t>(shape[1]));
  for (std::int32_t word = 0; word < words.size(); ++word) {
    reader.read(std::span(row));
    for (const double number : row) {
      if (!std::isfinite(static_cast<float>(number))) {
        throw base::DataError("{}: vector {}: a number is not finite", file.string(), word + 1);
      }
      vectors.values.push_back(static_cast<float>(number));
    }
    vectors.words.push_back(words.word(word));
  }
  reader.expect_end();
  return vectors;
}

}  // namespace

WordVectors read_word_vectors(std::unique_ptr<data::ByteSource> source,
                              const std::string& file_name) {
  return VectorFile(std::move(source), file_name).read();
}

WordVectors load_word_vectors(const std::filesystem::path& file) {
  if (looks_like_npy(file)) return load_array(file);
  return read_word_vectors(data::without_byte_order_mark(data::open_source(file)), file.string());
}

}  // namespace tacet::model
