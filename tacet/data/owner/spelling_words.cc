#include "tacet/data/owner/spelling_words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "tacet/base/error.h"

namespace tacet::data {
namespace {

std::optional<char> decimal_sign(const std::string& word) {
  if (word.empty()) return std::nullopt;
  if (word == "." || word == ",") return word.front();
  throw base::UsageError("`decimal` must be . or ,, got \"{}\"", word);
}

std::optional<char> comment_sign(const std::string& word) {
  if (word.empty()) return std::nullopt;
  if (word.size() == 1 && word.front() > 0) return word.front();
  throw base::UsageError("`comment` must be one ASCII character, got \"{}\"", word);
}

std::optional<TextEncoding> encoding_named(const std::string& word) {
  if (word.empty()) return std::nullopt;
  const auto& names = encoding_names();
  const auto found = std::ranges::find(names, word);
  if (found != names.end()) return static_cast<TextEncoding>(found - names.begin());
  throw base::UsageError(
      "`encoding` must be one of {}, got \"{}\"; convert a file in another one to UTF-8, as iconv "
      "does",
      fmt::join(names, ", "), word);
}

}  // namespace

void SpellingWords::apply(FileFormat& format) const {
  if (const auto sign = decimal_sign(decimal)) format.spelling.decimal = sign;
  if (!thousands.empty()) format.spelling.thousands = thousands;
  if (!symbols.empty()) format.spelling.symbols = symbols;
  if (!date_format.empty()) format.spelling.date_format = date_format;
  if (const auto found = encoding_named(encoding)) format.encoding = *found;
  if (const auto sign = comment_sign(comment)) format.comment = sign;
  if (const auto fault = spelling_fault(format.spelling); !fault.empty()) {
    throw base::UsageError("{}", fault);
  }
}

KnownFormat SpellingWords::known() const {
  return {.encoding = encoding_named(encoding), .comment = comment_sign(comment)};
}

SaidSpelling SpellingWords::said() const {
  FileFormat checked;
  apply(checked);
  if (!known_thousands(thousands)) {
    throw base::UsageError(
        "a draft knows , . ' and blanks between thousands, not \"{}\": write it as thousands = "
        "\"{}\" under [format] of a schema",
        thousands, thousands);
  }
  return {.decimal = decimal_sign(decimal),
          .thousands = thousands.empty() ? std::nullopt : std::optional(thousands),
          .symbols = symbols,
          .date_format = date_format};
}

}  // namespace tacet::data
