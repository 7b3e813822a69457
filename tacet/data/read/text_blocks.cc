#include "tacet/data/read/text_blocks.h"

#include <algorithm>
#include <utility>

namespace tacet::data::internal {
namespace {

/// A line longer than this many blocks is read directly from the file.
constexpr std::size_t max_blocks_per_line = 8;

class RestSource : public ByteSource {
 public:
  RestSource(TextBlock block, std::unique_ptr<ByteSource> source)
      : block_(std::move(block)), text_(text_source(block_.text())), source_(std::move(source)) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = text_->read(buffer);
    return count > 0 ? count : source_->read(buffer);
  }

 private:
  TextBlock block_;
  std::unique_ptr<ByteSource> text_;
  std::unique_ptr<ByteSource> source_;
};

bool odd_count(std::string_view text, char wanted) {
  unsigned char odd = 0;  // one byte, so that the compiler uses whole vectors
  for (const char c : text) odd ^= static_cast<unsigned char>(c == wanted ? 1 : 0);
  return odd != 0;
}

}  // namespace

TextBlocks::TextBlocks(std::unique_ptr<ByteSource> source, std::string_view begun,
                       std::optional<char> quote, std::size_t size)
    : source_(std::move(source)), quote_(quote), size_(size), left_(begun.begin(), begun.end()) {}

TextBlocks::Kind TextBlocks::next(TextBlock& block) {
  block.size = 0;
  if (block.bytes.size() < left_.size()) block.bytes.resize(left_.size());
  std::ranges::copy(left_, block.bytes.begin());
  block.size = left_.size();
  bool in_quotes = false;
  for (std::size_t seen = 0;; seen = block.size) {
    fill(block);
    const auto text = block.text();
    if (quote_) in_quotes ^= odd_count(text.substr(seen), *quote_);
    const std::size_t end = last_end(text, seen, in_quotes);
    if (end > seen) {
      left_.assign(text.begin() + static_cast<std::ptrdiff_t>(end), text.end());
      block.size = end;
      return Kind::block;
    }
    left_.clear();
    if (ended_ && !failed_) return block.size == 0 ? Kind::end : Kind::block;
    if (failed_ || block.size > max_blocks_per_line * size_) {
      ended_ = true;
      failed_ = false;
      return Kind::rest;
    }
  }
}

/// Adds one block of bytes, unless the left-over bytes already fill one.
void TextBlocks::fill(TextBlock& block) {
  const std::size_t wanted = (block.size / size_ + 1) * size_;
  if (block.bytes.size() < wanted) block.bytes.resize(wanted);
  try {
    while (!ended_ && block.size < wanted) {
      const auto place = std::span(block.bytes).subspan(block.size, wanted - block.size);
      const std::size_t count = source_->read(place);
      ended_ = count == 0;
      block.size += count;
    }
  } catch (...) {
    ended_ = failed_ = true;  // the source throws again when it is asked again
  }
}

std::size_t TextBlocks::last_end(std::string_view text, std::size_t from, bool in_quotes) const {
  for (std::size_t end = text.size(); end > from; --end) {
    const char c = text[end - 1];
    if (c == '\n' && !in_quotes) return end;
    if (quote_ && c == *quote_) in_quotes = !in_quotes;
  }
  return from;
}

std::unique_ptr<ByteSource> TextBlocks::rest(TextBlock block) {
  return std::make_unique<RestSource>(std::move(block), std::move(source_));
}

}  // namespace tacet::data::internal
