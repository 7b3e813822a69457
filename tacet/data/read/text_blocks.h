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

/// A file of lines, cut behind line ends, so that each block can be read for itself.
///
/// With a quote, a line end is one outside of quotes: with an even number of them before it. That
/// is where the records of a CSV file end, as far as the file has no fault: a quote anywhere but
/// around a field is one. Behind a fault blocks may be cut anywhere, and nobody reads them.
class TextBlocks {
 public:
  static constexpr std::size_t usual_size = std::size_t{1} << 18;  // stays in the second cache

  enum class Kind {
    end,    ///< no more
    block,  ///< whole lines, or the end of the file
    rest    ///< the beginning of a line too long for blocks, or before an error of the source
  };

  /// `begun`: what was read of the source already, from the beginning of a line on.
  TextBlocks(std::unique_ptr<ByteSource> source, std::string_view begun, std::optional<char> quote,
             std::size_t size = usual_size);

  [[nodiscard]] Kind next(TextBlock& block);

  /// Behind the text of a block that was the rest: gives it out, and then what is left of the file,
  /// or the source's error.
  [[nodiscard]] std::unique_ptr<ByteSource> rest(TextBlock block);

 private:
  void fill(TextBlock& block);
  /// Where the last line that is whole ends, or `from`; `in_quotes` says whether the end is.
  [[nodiscard]] std::size_t last_end(std::string_view text, std::size_t from, bool in_quotes) const;

  std::unique_ptr<ByteSource> source_;
  std::optional<char> quote_;
  std::size_t size_;
  std::vector<char> left_;  // of the line that a block ended in
  bool ended_ = false;      // the source, or it failed
  bool failed_ = false;
};

}  // namespace tacet::data::internal
