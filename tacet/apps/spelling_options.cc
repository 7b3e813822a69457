#include "tacet/apps/spelling_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "tacet/base/error.h"

namespace tacet::apps {

void SpellingOptions::declare(Options& options) {
  options.add("--decimal", decimal_, "CHAR",
              "Sign before the digits of a fraction, . or , [default: . or what fits a draft]");
  options.add("--thousands", thousands_, "CHAR", "Sign between groups of three digits");
  options.add("--symbol", symbols_, "TEXT",
              "Text beside numbers that is dropped, such as $; may be given several times");
  options.add(
      "--encoding", encoding_, "NAME",
      "Characters of the file: utf-8, latin-1, windows-1252 or utf-16 [default: utf-8 or what "
      "fits a draft]");
  options.add("--date-format", date_format_, "FORMAT",
              "How dates are written, such as %d.%m.%Y [default: ISO 8601 or what fits a draft]");
  options.add("--comment", comment_, "CHAR", "Lines that begin with it are no records");
  options.add("--missing", missing_, "TEXT",
              "A further text that stands for a missing value; may be given several times");
}

void SpellingOptions::apply(data::FileFormat& format) const {
  if (const auto sign = decimal()) format.spelling.decimal = sign;
  if (!thousands_.empty()) format.spelling.thousands = thousands_;
  if (!symbols_.empty()) format.spelling.symbols = symbols_;
  if (!date_format_.empty()) format.spelling.date_format = date_format_;
  if (const auto found = encoding()) format.encoding = *found;
  if (const auto sign = comment()) format.comment = sign;
  if (const auto fault = data::spelling_fault(format.spelling); !fault.empty()) {
    throw base::UsageError("{}", fault);
  }
}

data::KnownFormat SpellingOptions::known() const {
  return {.encoding = encoding(), .comment = comment()};
}

data::SaidSpelling SpellingOptions::said() const {
  data::FileFormat checked;
  apply(checked);
  return {.decimal = decimal(),
          .thousands = thousands_.empty() ? std::nullopt : std::optional(thousands_),
          .date_format = date_format_};
}

std::optional<char> SpellingOptions::decimal() const {
  if (decimal_.empty()) return std::nullopt;
  if (decimal_ == "." || decimal_ == ",") return decimal_.front();
  throw base::UsageError("--decimal must be . or ,, got \"{}\"", decimal_);
}

std::optional<char> SpellingOptions::comment() const {
  if (comment_.empty()) return std::nullopt;
  if (comment_.size() == 1 && comment_.front() > 0) return comment_.front();
  throw base::UsageError("--comment must be one ASCII character, got \"{}\"", comment_);
}

std::optional<data::TextEncoding> SpellingOptions::encoding() const {
  if (encoding_.empty()) return std::nullopt;
  const auto& names = data::encoding_names();
  const auto found = std::ranges::find(names, encoding_);
  if (found != names.end()) return static_cast<data::TextEncoding>(found - names.begin());
  throw base::UsageError(
      "--encoding must be one of {}, got \"{}\"; convert a file in another one to UTF-8, as iconv "
      "does",
      fmt::join(names, ", "), encoding_);
}

}  // namespace tacet::apps
