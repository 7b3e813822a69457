#include "tacet/data/read/byte_source.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/file_text.h"
#include "tacet/data/read/foreign_file.h"
#include "tacet/data/read/pipes.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& file)
      : name_(file.string()), file_(std::fopen(file.c_str(), "rb")) {
    if (file_ == nullptr) throw base::IoError("cannot open {}: {}", name_, std::strerror(errno));
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
      throw base::IoError("cannot read {}: it is a directory", name_);
    }
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // readers bring their own large buffers
  }

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get());
    if (count == 0 && std::ferror(file_.get()) != 0) {
      throw base::IoError("cannot read {}: {}", name_, std::strerror(errno));
    }
    return count;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// A file that the caller has opened and will close, read from its first byte.
class HeldSource : public ByteSource {
 public:
  explicit HeldSource(const OpenFile& file) : file_(file) {}

  std::size_t read(std::span<char> buffer) override {
    for (;;) {
      const auto count = ::pread(file_.descriptor, buffer.data(), buffer.size(), place_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        throw base::IoError("cannot read {}: {}", file_.name, std::strerror(errno));
      }
      place_ += count;
      return static_cast<std::size_t>(count);
    }
  }

 private:
  OpenFile file_;
  off_t place_ = 0;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view text) : text_(text) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), text_.size());
    std::copy_n(text_.data(), count, buffer.data());
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
};

/// Reads the first bytes of a source in order to look at them, and later returns them again.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {
    while (head_size_ < sizeof(head_)) {
      const std::size_t count = inner_->read(std::span(head_).subspan(head_size_));
      if (count == 0) break;
      head_size_ += count;
    }
  }
  [[nodiscard]] std::string_view head() const { return {head_, head_size_}; }
  [[nodiscard]] bool gzip() const { return head().starts_with("\x1f\x8b"); }
  std::size_t read(std::span<char> buffer) override {
    if (given_ == head_size_) return inner_->read(buffer);
    const std::size_t count = std::min(buffer.size(), head_size_ - given_);
    std::copy_n(head_ + given_, count, buffer.data());
    given_ += count;
    return count;
  }

 private:
  std::unique_ptr<ByteSource> inner_;
  char head_[telling_bytes] = {};
  std::size_t head_size_ = 0;
  std::size_t given_ = 0;
};

/// Drops a byte order mark at the beginning of a source. It keeps the first bytes until there are
/// enough of them to decide.
class UnmarkedSource : public ByteSource {
 public:
  explicit UnmarkedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}
  std::size_t read(std::span<char> buffer) override {
    while (!std::exchange(started_, true)) {
      fill_head();
      left_ = without_byte_order_mark(std::string_view(head_.data(), size_));
      // Programs that join files may leave a second one.
      if (size_ > 0 && left_.empty()) started_ = false;
    }
    if (left_.empty()) return inner_->read(buffer);
    const auto count = std::min(buffer.size(), left_.size());
    std::copy_n(left_.data(), count, buffer.data());
    left_.remove_prefix(count);
    return count;
  }

 private:
  void fill_head() {
    size_ = 0;
    while (size_ < head_.size()) {
      const auto count = inner_->read(std::span(head_).subspan(size_));
      if (count == 0) break;
      size_ += count;
    }
  }

  std::unique_ptr<ByteSource> inner_;
  std::array<char, byte_order_mark.size()> head_{};
  std::size_t size_ = 0;
  std::string_view left_;
  bool started_ = false;
};

/// Shows the bytes of a source to observers.
class ObservedSource : public ByteSource {
 public:
  ObservedSource(std::unique_ptr<ByteSource> inner, std::vector<ByteObserver*> observers)
      : inner_(std::move(inner)), observers_(std::move(observers)) {}
  std::size_t read(std::span<char> buffer) override {
    const auto count = inner_->read(buffer);
    if (count > 0) {
      for (auto* observer : observers_) observer->see({buffer.data(), count});
    } else if (!buffer.empty() && !std::exchange(ended_, true)) {
      for (auto* observer : observers_) observer->end();
    }
    return count;
  }

 private:
  std::unique_ptr<ByteSource> inner_;
  std::vector<ByteObserver*> observers_;
  bool ended_ = false;
};

class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> inner, std::string_view name)
      : inner_(std::move(inner)), name_(name), input_(input_size) {
    constexpr int gzip_window = 15 + 16;  // zlib: largest window, gzip wrapper
    if (inflateInit2(&stream_, gzip_window) != Z_OK) {
      throw base::InternalError("zlib could not be initialised");
    }
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    constexpr std::size_t max = 1 << 30;  // zlib counts in unsigned int
    const std::size_t wanted = std::min(buffer.size(), max);
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(wanted);
    while (!ended_ && stream_.avail_out == wanted) advance();
    return wanted - stream_.avail_out;
  }

 private:
  static constexpr std::size_t input_size = 1 << 18;

  void advance() {
    if (stream_.avail_in == 0) refill();
    if (between_members_) skip_padding();
    if (stream_.avail_in == 0) {
      if (!between_members_) {
        throw base::DataError(
            "{}: the compressed file ends early; it was cut off or is still being written", name_);
      }
      ended_ = true;
      return;
    }
    if (between_members_) {
      if (inflateReset(&stream_) != Z_OK) throw base::InternalError("zlib could not be reset");
      between_members_ = false;
    }
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw base::DataError("{}: the compressed file is damaged ({})", name_,
                            stream_.msg == nullptr ? "zlib" : stream_.msg);
    }
  }

  /// Skips zero bytes after a member, which tapes and some archives add (GNU gzip, "Tapes").
  void skip_padding() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      if (--stream_.avail_in == 0) refill();
    }
  }

  void refill() {
    const std::size_t count = inner_->read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(count);
  }

  std::unique_ptr<ByteSource> inner_;
  std::string name_;
  std::vector<char> input_;
  z_stream stream_{};
  bool between_members_ = false;
  bool ended_ = false;
};

std::unique_ptr<ByteSource> unwrap(std::unique_ptr<PeekedSource> peeked, std::string_view name) {
  if (!peeked->gzip()) return peeked;
  return std::make_unique<GzipSource>(std::move(peeked), name);
}

/// Whether a file is long, and reading it never waits for another process.
bool worth_a_thread(const std::filesystem::path& file) {
  constexpr std::uintmax_t min = std::uintmax_t{1} << 20;
  std::error_code none;  // "-" is standard input, which is not a file
  if (file == standard_input_name || !std::filesystem::is_regular_file(file, none)) return false;
  const auto size = std::filesystem::file_size(file, none);
  return !none && size >= min;
}

std::unique_ptr<PeekedSource> peek_at_records(std::unique_ptr<ByteSource> raw,
                                              const std::string& name, TextEncoding expected) {
  auto peeked = std::make_unique<PeekedSource>(std::move(raw));
  const bool expected_mark = expected == TextEncoding::utf_16 && is_utf16(peeked->head());
  if (const auto kind = expected_mark ? "" : foreign_kind(peeked->head()); !kind.empty()) {
    throw base::DataError("'{}' {}", name, kind);
  }
  return peeked;
}

}  // namespace

std::unique_ptr<ByteSource> open_source(const OpenFile& file, TextEncoding expected) {
  auto held = std::make_unique<HeldSource>(file);
  return unwrap(peek_at_records(std::move(held), file.name, expected), file.name);
}

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& file, const Opening& opening) {
  std::unique_ptr<ByteSource> raw;
  if (!is_pipe(file) || !can_be_read_again(file)) {
    raw = std::make_unique<FileSource>(file);
  } else if (opening.passes == Passes::once) {
    raw = internal::passing_pipe(file);
  } else {
    raw = std::make_unique<MemorySource>(internal::kept_pipe(file));
  }
  auto peeked = peek_at_records(std::move(raw), file.string(), opening.expected);
  const bool wanted = opening.ahead == ReadAheadOf::long_files || peeked->gzip();
  const bool utf16 = is_utf16(peeked->head());
  auto source = unwrap(std::move(peeked), file.string());
  if (auto mark = internal::end_mark_of(file)) {
    if (utf16) {
      throw base::UsageError(
          "`end_mark` is not read in UTF-16: convert the text on its way, as iconv -f utf-16 -t "
          "utf-8 does");
    }
    source = internal::until_mark(std::move(source), std::move(*mark), file.string());
  }
  auto observers = opening.observers;
  std::erase(observers, nullptr);
  if (!observers.empty()) {
    source = std::make_unique<ObservedSource>(std::move(source), std::move(observers));
  }
  return wanted && worth_a_thread(file) ? internal::read_ahead(std::move(source))
                                        : std::move(source);
}

std::unique_ptr<ByteSource> memory_source(std::string_view text, std::string_view name) {
  return unwrap(std::make_unique<PeekedSource>(internal::text_source(text)), name);
}

std::unique_ptr<ByteSource> without_byte_order_mark(std::unique_ptr<ByteSource> source) {
  return std::make_unique<UnmarkedSource>(std::move(source));
}

std::unique_ptr<ByteSource> internal::text_source(std::string_view text) {
  return std::make_unique<MemorySource>(text);
}

std::string read_text_file(const std::filesystem::path& file) {
  constexpr auto largest = static_cast<std::size_t>(base::limits::schema_bytes);
  constexpr std::size_t step = 1 << 16;
  FileSource source(file);
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + step);
    const std::size_t count = source.read(std::span(text).subspan(size));
    text.resize(size + count);
    if (count == 0) return text;
    if (text.size() > largest) {
      throw base::DataError("{}: larger than the {} MiB a schema may have", file.string(),
                            largest >> 20);
    }
  }
}

}  // namespace tacet::data
