#include "tacet/run/text_fingerprints.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/transcode.h"
#include "tacet/data/read/uniform_records.h"
#include "tacet/run/record_text.h"

namespace tacet::run::internal {
namespace {

using data::ByteSource;
using ledger::Fingerprint;

constexpr std::size_t chunk = std::size_t{1} << 16;

/// A source whose beginning can be read again and again before the whole is read.
class Beginning {
 public:
  explicit Beginning(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  /// From the first byte on; the beginning grows as far as it is read.
  [[nodiscard]] std::unique_ptr<ByteSource> open() { return std::make_unique<Again>(*this); }
  /// The same, which keeps nothing: after it nothing is opened.
  [[nodiscard]] std::unique_ptr<ByteSource> whole() { return std::make_unique<Whole>(*this); }

 private:
  class Again : public ByteSource {
   public:
    explicit Again(Beginning& of) : of_(of) {}
    std::size_t read(std::span<char> buffer) override {
      if (at_ == of_.kept_.size()) of_.grow();
      const auto count = std::min(buffer.size(), of_.kept_.size() - at_);
      std::copy_n(of_.kept_.data() + at_, count, buffer.data());
      at_ += count;
      return count;
    }

   private:
    Beginning& of_;
    std::size_t at_ = 0;
  };
  class Whole : public ByteSource {
   public:
    explicit Whole(Beginning& of) : kept_(std::move(of.kept_)), source_(*of.source_) {}
    std::size_t read(std::span<char> buffer) override {
      if (at_ == kept_.size()) {
        kept_ = std::string();
        at_ = 0;
        return source_.read(buffer);
      }
      const auto count = std::min(buffer.size(), kept_.size() - at_);
      std::copy_n(kept_.data() + at_, count, buffer.data());
      at_ += count;
      return count;
    }

   private:
    std::string kept_;
    std::size_t at_ = 0;
    ByteSource& source_;
  };

  void grow() {
    const auto size = kept_.size();
    kept_.resize(size + chunk);
    try {
      kept_.resize(size + source_->read(std::span(kept_).subspan(size)));
    } catch (...) {
      kept_.resize(size);
      throw;
    }
  }

  std::unique_ptr<ByteSource> source_;
  std::string kept_;
};

/// Each line as a record. A line longer than limits::line_bytes comes in pieces, so that no file
/// decides about memory.
class Lines {
 public:
  explicit Lines(Fingerprint fingerprint) : fingerprint_(std::move(fingerprint)) {}

  void add(std::string_view text) {
    constexpr auto longest = static_cast<std::size_t>(base::limits::line_bytes);
    while (!text.empty()) {
      if (line_.size() == longest && text.front() != '\n') end_line();
      const auto size = std::min({text.find('\n'), text.size(), longest - line_.size()});
      line_ += text.substr(0, size);
      text.remove_prefix(size);
      if (!text.starts_with('\n')) continue;
      end_line();
      text.remove_prefix(1);
    }
  }
  void end_line() {
    if (line_.ends_with('\r')) line_.pop_back();
    note(std::string_view(line_), 0, fingerprint_);
    fingerprint_.end_record();
    line_.clear();
  }
  [[nodiscard]] const Fingerprint& fingerprint() const { return fingerprint_; }

 private:
  Fingerprint fingerprint_;
  std::string line_;  // that has begun
};

void note_all(data::CsvReader& reader, Fingerprint& fingerprint) {
  while (const auto fields = reader.next()) {
    for (std::size_t k = 0; k < fields->size(); ++k) note((*fields)[k], k, fingerprint);
    fingerprint.end_record();
  }
}

/// A table without quotes, or whose quotes are ordinary characters: as many whole lines as there
/// are.
class PlainTable {
 public:
  PlainTable(Fingerprint fingerprint, std::string file, const data::CsvOptions& options)
      : fingerprint_(std::move(fingerprint)), file_(std::move(file)), options_(options) {
    options_.quote = std::nullopt;
    options_.buffer_size = chunk;
  }

  void add(std::string_view text) {
    if (!fingerprint_) return;
    const auto end = text.rfind('\n');
    if (end == text.npos) {
      begun_ += text;
      if (begun_.size() > options_.longest_record + 1) fingerprint_.reset();
      return;
    }
    begun_ += text.substr(0, end + 1);
    read_begun();
    begun_ = text.substr(end + 1);
  }
  void end() {
    if (fingerprint_) read_begun();
  }
  /// Nothing once the text was no such table.
  [[nodiscard]] const std::optional<Fingerprint>& fingerprint() const { return fingerprint_; }
  /// The line that has no end yet.
  [[nodiscard]] const std::string& begun() const { return begun_; }

 private:
  void read_begun() {
    try {
      data::CsvReader reader(data::internal::text_source(begun_), file_, options_);
      note_all(reader, *fingerprint_);
    } catch (const base::DataError&) {
      fingerprint_.reset();
    }
  }

  std::optional<Fingerprint> fingerprint_;
  std::string file_;
  data::CsvOptions options_;
  std::string begun_;
};

/// A text, and then what is left of a source, all of which somebody else is told of but the text.
class ToldSource : public ByteSource {
 public:
  using Tell = std::function<void(std::string_view)>;
  ToldSource(std::string begun, ByteSource& rest, Tell tell)
      : begun_(std::move(begun)), rest_(rest), tell_(std::move(tell)) {}
  std::size_t read(std::span<char> buffer) override {
    if (at_ < begun_.size()) {
      const auto given = std::min(buffer.size(), begun_.size() - at_);
      std::copy_n(begun_.data() + at_, given, buffer.data());
      at_ += given;
      return given;
    }
    const auto count = rest_.read(buffer);
    tell_({buffer.data(), count});
    return count;
  }

 private:
  std::string begun_;
  std::size_t at_ = 0;
  ByteSource& rest_;
  Tell tell_;
};

void tell_rest(ByteSource& source, const ToldSource::Tell& tell) {
  std::string buffer(chunk, '\0');
  while (const auto count = source.read(buffer)) tell(std::string_view(buffer).substr(0, count));
}

std::vector<std::string> digests(const Fingerprint& fingerprint, bool may_have_names) {
  std::vector<std::string> all{fingerprint.digest()};
  const auto tail = may_have_names ? fingerprint.digest_without_first() : std::nullopt;
  if (tail) all.push_back(*tail);
  return all;
}

/// A text whose records are read in one way or another, and line by line.
class TextWays {
 public:
  TextWays(ByteSource& source, std::string file, const Fingerprint& empty)
      : source_(source), file_(std::move(file)), empty_(empty), lines_(empty.copy()) {}

  [[nodiscard]] std::vector<std::string> as_lines() {
    tell_rest(source_, [this](std::string_view text) { lines_.add(text); });
    lines_.end_line();
    return digests(lines_.fingerprint(), true);
  }

  [[nodiscard]] std::vector<std::string> as_libsvm() {
    constexpr std::size_t buffer = std::size_t{1} << 20;
    constexpr auto any_count = std::int64_t{std::numeric_limits<std::uint32_t>::max()};
    auto fingerprint = empty_.copy();
    try {
      const auto records = data::internal::libsvm_records(
          told("", [this](std::string_view text) { lines_.add(text); }), file_, any_count, buffer,
          0);
      data::internal::UniformRecord record;
      while (records->next(record)) note(record, fingerprint);
    } catch (const base::DataError&) {
      return as_lines();
    }
    return digests(fingerprint, false);
  }

  [[nodiscard]] std::vector<std::string> as_table(const data::FileFormat& format) {
    auto options = data::csv_options(format);
    options.trim = true;
    options.from_start = false;
    PlainTable plain(empty_.copy(), file_, options);
    const auto quoted = with_quotes(plain, options);
    lines_.end_line();
    plain.end();
    if (quoted) return digests(*quoted, true);
    return digests(plain.fingerprint() ? *plain.fingerprint() : lines_.fingerprint(), true);
  }

 private:
  [[nodiscard]] std::unique_ptr<ByteSource> told(std::string begun, ToldSource::Tell tell) {
    return std::make_unique<ToldSource>(std::move(begun), source_, std::move(tell));
  }

  /// Up to the first quote both ways to read a table are one.
  [[nodiscard]] std::optional<Fingerprint> with_quotes(PlainTable& plain,
                                                       const data::CsvOptions& options) {
    const auto tell = [&](std::string_view text) {
      lines_.add(text);
      plain.add(text);
    };
    std::string buffer(chunk, '\0');
    while (const auto count = source_.read(buffer)) {
      const auto text = std::string_view(buffer).substr(0, count);
      const auto quote = options.quote ? text.find(*options.quote) : text.npos;
      if (quote == text.npos) {
        tell(text);
        continue;
      }
      tell(text.substr(0, quote));
      if (!plain.fingerprint()) {
        tell(text.substr(quote));
        continue;
      }
      auto quoted = plain.fingerprint()->copy();
      auto begun = plain.begun();
      begun += text.substr(quote);
      tell(text.substr(quote));
      try {
        data::CsvReader reader(told(std::move(begun), tell), file_, options);
        note_all(reader, quoted);
        return quoted;
      } catch (const base::DataError&) {
        tell_rest(source_, tell);
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  ByteSource& source_;
  std::string file_;
  const Fingerprint& empty_;
  Lines lines_;
};

/// In UTF-8, behind a byte order mark.
std::unique_ptr<ByteSource> text_of(std::unique_ptr<ByteSource> bytes) {
  auto beginning = std::make_shared<Beginning>(std::move(bytes));
  const auto encoding = data::encoding_by_mark(*beginning->open());
  class Owner : public ByteSource {
   public:
    explicit Owner(std::shared_ptr<Beginning> of) : of_(std::move(of)), source_(of_->whole()) {}
    std::size_t read(std::span<char> buffer) override { return source_->read(buffer); }

   private:
    std::shared_ptr<Beginning> of_;
    std::unique_ptr<ByteSource> source_;
  };
  auto whole = std::make_unique<Owner>(std::move(beginning));
  return data::without_byte_order_mark(data::in_utf8(std::move(whole), encoding));
}

}  // namespace

std::vector<std::string> fingerprints_of_text(std::unique_ptr<ByteSource> bytes,
                                              const std::string& file, const Fingerprint& empty) {
  Beginning beginning(text_of(std::move(bytes)));
  const data::ReadableText text{file, [&] { return beginning.open(); }};
  const auto* kind = data::recognised_kind(text);
  const auto format = kind == nullptr ? data::likely_format(text) : std::nullopt;
  const auto whole = beginning.whole();
  TextWays ways(*whole, file, empty);
  if (kind != nullptr && kind->has_lines) return ways.as_libsvm();
  return format ? ways.as_table(*format) : ways.as_lines();
}

}  // namespace tacet::run::internal
