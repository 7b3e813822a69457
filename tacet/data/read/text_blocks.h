#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tacet/data/read/byte_source.h"

namespace tacet::data::internal {

/// Memory for some text, kept from one to the next.
struct TextBlock {
  std::vector<char> bytes;
  std::size_t size = 0;

  [[nodiscard]] std::string_view text() const { return {bytes.data(), size}; }
};

/// A text file, divided after line ends, so that each block can be read on its own.
///
/// With a quote character, only line ends outside of quotes count: those with an even number of
/// quotes before them. There the records of a CSV file end, unless the file has a fault, such as a
/// quote inside of a field without quotes. After a fault, blocks may end anywhere, but nobody reads
/// them.
class TextBlocks {
 public:
  static constexpr std::size_t usual_size = std::size_t{1} << 18;  // stays in the second cache

  enum class Kind {
    end,    ///< no more
    block,  ///< whole lines, or the end of the file
    rest    ///< the beginning of a line too long for blocks, or before an error of the source
  };

  /// `begun`: the part of the source that was read already, from the beginning of a line.
  TextBlocks(std::unique_ptr<ByteSource> source, std::string_view begun, std::optional<char> quote,
             std::size_t size = usual_size);

  [[nodiscard]] Kind next(TextBlock& block);

  /// After a block that was a `rest`: returns its text again, then the remaining bytes of the file,
  /// or the source's error.
  [[nodiscard]] std::unique_ptr<ByteSource> rest(TextBlock block);

 private:
  void fill(TextBlock& block);
  /// The end of the last complete line, or `from` if there is none. `in_quotes` says whether that
  /// place is inside of quotes.
  [[nodiscard]] std::size_t last_end(std::string_view text, std::size_t from, bool in_quotes) const;

  std::unique_ptr<ByteSource> source_;
  std::optional<char> quote_;
  std::size_t size_;
  std::vector<char> left_;  // the beginning of the line in which a block ended
  bool ended_ = false;      // the source, or it failed
  bool failed_ = false;
};

}  // namespace tacet::data::internal
