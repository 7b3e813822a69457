#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/read/byte_source.h"

namespace tacet::model {

/// A vector for each of some words: public.
struct WordVectors {
  std::int64_t dimensions = 0;
  std::vector<std::string> words;  ///< different from each other
  std::vector<float> values;       ///< of one word after the other; finite

  [[nodiscard]] std::span<const float> vector(std::size_t word) const {
    const auto size = static_cast<std::size_t>(dimensions);
    return {values.data() + word * size, size};
  }
};

/// How a file of vectors is written.
enum class VectorFormat {
  text,    ///< word2vec's text: "words dimensions", then "word number number ..." a line
  binary,  ///< word2vec's binary form: the same first line, then "word " and float32s
  npy      ///< an array of float32s, the words in a list of their own beside it
};
/// A UsageError that lists the names for one that is none.
[[nodiscard]] VectorFormat vector_format(std::string_view name);

/// The list that belongs to an array: `vectors.npy` has `vectors.words.txt`, with one word per
/// line.
[[nodiscard]] std::filesystem::path word_list_of(const std::filesystem::path& array);

/// Writes vectors piece by piece, so that no second copy of them is needed. Numbers of texts have
/// as many digits as it takes to read the same float again. Not for several threads at once.
class VectorWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// Writes what stands before the first vector. UsageError unless there is a word and dimensions
  /// are 1 to max_word_dimensions.
  VectorWriter(VectorFormat format, std::int64_t words, std::int64_t dimensions, Sink sink);
  /// InternalError for a vector of another size, or one too many.
  void add(std::string_view word, std::span<const float> vector);
  /// InternalError unless all vectors were added.
  void finish();

 private:
  void flush();

  VectorFormat format_;
  std::int64_t left_;
  std::size_t dimensions_;
  Sink sink_;
  std::string buffer_;
};

/// Reads any of the formats, which it knows by their first bytes; gzip as everywhere. Of a word
/// that comes twice the first vector counts, as in gensim. DataErrors name the file and the line,
/// or the word's number: a first line that is none, numbers that are none or not finite, words that
/// are empty, no UTF-8, longer than 4,096 bytes or hold blanks, more or fewer vectors than
/// announced. Memory is for what is there, never for what the first line announces.
[[nodiscard]] WordVectors load_word_vectors(const std::filesystem::path& file);
/// The text and the binary form from an open source.
[[nodiscard]] WordVectors read_word_vectors(std::unique_ptr<data::ByteSource> source,
                                            const std::string& file_name);

}  // namespace tacet::model
