#include "tacet/data/read/transcode.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/data/read/foreign_file.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 16;
constexpr std::uint32_t replacement = 0xfffd;

// The bytes 0x80 to 0x9f of Windows-1252; 0x81, 0x8d, 0x8f, 0x90 and 0x9d stand for themselves
// (WHATWG Encoding Standard, index windows-1252).
constexpr std::array<std::uint32_t, 32> windows_characters{
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

void append_single_byte(char c, TextEncoding encoding, std::string& out) {
  const auto code = static_cast<unsigned char>(c);
  const bool special = encoding == TextEncoding::windows_1252 && code >= 0x80 && code < 0xa0;
  append_utf8(special ? windows_characters[code - 0x80U] : code, out);
}

/// Passes on the blocks of another source after a function has converted them.
class ConvertedSource : public ByteSource {
 public:
  explicit ConvertedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}

  std::size_t read(std::span<char> buffer) override {
    while (given_ == text_.size() && !ended_) {
      text_.clear();
      given_ = 0;
      std::array<char, bytes_at_once> bytes{};
      const auto count = inner_->read(bytes);
      ended_ = count == 0;
      convert({bytes.data(), count}, ended_, text_);
    }
    const auto count = std::min(buffer.size(), text_.size() - given_);
    std::copy_n(text_.data() + given_, count, buffer.data());
    given_ += count;
    return count;
  }

 protected:
  virtual void convert(std::string_view bytes, bool last, std::string& out) = 0;

 private:
  std::unique_ptr<ByteSource> inner_;
  std::string text_;
  std::size_t given_ = 0;
  bool ended_ = false;
};

class SingleByteSource : public ConvertedSource {
 public:
  SingleByteSource(std::unique_ptr<ByteSource> inner, TextEncoding encoding)
      : ConvertedSource(std::move(inner)), encoding_(encoding) {}

 protected:
  void convert(std::string_view bytes, bool /*last*/, std::string& out) override {
    for (const char c : bytes) append_single_byte(c, encoding_, out);
  }

 private:
  TextEncoding encoding_;
};

class Utf16Source : public ConvertedSource {
 public:
  using ConvertedSource::ConvertedSource;

 protected:
  void convert(std::string_view bytes, bool last, std::string& out) override {
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (!first_) {
        first_ = byte;
        continue;
      }
      const std::uint32_t before = *std::exchange(first_, std::nullopt);
      if (!started_) big_endian_ = (before == 0xfe && byte == 0xff) || before == 0;
      const std::uint32_t unit =
          big_endian_ ? before << 8 | byte : std::uint32_t{byte} << 8 | before;
      const bool mark = !std::exchange(started_, true) && unit == 0xfeff;
      if (!mark) add(unit, out);
    }
    if (last && (first_ || high_)) append_utf8(replacement, out);
  }

 private:
  void add(std::uint32_t unit, std::string& out) {
    const bool high = unit >= 0xd800 && unit < 0xdc00;
    const bool low = unit >= 0xdc00 && unit < 0xe000;
    if (const auto waiting = std::exchange(high_, std::nullopt)) {
      if (low) return append_utf8(0x10000 + ((*waiting - 0xd800) << 10) + (unit - 0xdc00), out);
      append_utf8(replacement, out);
    }
    if (high) {
      high_ = unit;
    } else {
      append_utf8(low ? replacement : unit, out);
    }
  }

  std::optional<std::uint32_t> first_;  // byte of a unit
  std::optional<std::uint32_t> high_;   // surrogate
  bool big_endian_ = false;
  bool started_ = false;
};

/// Whether the beginning of a file is UTF-16: by its mark, or by zeros at every other byte.
bool begins_as_utf16(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xff\xfe\0\0"sv)) return false;  // UTF-32
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return true;
  constexpr std::size_t looked_at = 8;
  if (text.size() < looked_at) return false;
  for (const std::size_t zero : {std::size_t{0}, std::size_t{1}}) {
    bool all = true;
    for (std::size_t k = 0; k < looked_at; ++k) all = all && (text[k] == '\0') == (k % 2 == zero);
    if (all) return true;
  }
  return false;
}

std::string first_bytes(ByteSource& source) {
  std::string text(telling_bytes, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const auto count = source.read(std::span(text).subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  text.resize(filled);
  return text;
}

}  // namespace

std::unique_ptr<ByteSource> in_utf8(std::unique_ptr<ByteSource> source, TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::utf_8:
      return source;
    case TextEncoding::utf_16:
      return std::make_unique<Utf16Source>(std::move(source));
    default:
      return std::make_unique<SingleByteSource>(std::move(source), encoding);
  }
}

std::string utf8_text(std::string_view text) {
  if (valid_utf8(text)) return std::string(text);
  std::string out;
  for (const char c : text) append_single_byte(c, TextEncoding::windows_1252, out);
  return out;
}

std::unique_ptr<ByteSource> open_text(const std::filesystem::path& file, TextEncoding encoding,
                                      Opening opening) {
  opening.expected = encoding;
  return in_utf8(open_source(file, opening), encoding);
}

TextEncoding encoding_by_mark(ByteSource& source) {
  return begins_as_utf16(first_bytes(source)) ? TextEncoding::utf_16 : TextEncoding::utf_8;
}

TextEncoding encoding_by_mark(const std::filesystem::path& file) {
  return encoding_by_mark(*open_source(
      file, {.ahead = ReadAheadOf::compressed_only, .expected = TextEncoding::utf_16}));
}

}  // namespace tacet::data
