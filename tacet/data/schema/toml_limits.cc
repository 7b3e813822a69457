#include "tacet/data/schema/table_reader.h"

#include <algorithm>
#include <cstdint>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"

namespace tacet::data::internal {
namespace {

namespace limits = base::limits;

class Scan {
 public:
  Scan(std::string_view text, std::string_view file_name) : rest_(text), file_name_(file_name) {}

  void run() {
    while (!rest_.empty()) {
      switch (rest_.front()) {
        case '"':
        case '\'':
          skip_string(rest_.front());
          break;
        case '#':
          rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
          break;
        default:
          take(rest_.front());
          rest_.remove_prefix(1);
      }
    }
  }

 private:
  void take(char c) {
    switch (c) {
      case '.':
        count();
        if (++dots_ >= limits::schema_depth) fail_at_depth();
        break;
      case '[':
      case '{':
        count();
        dots_ = 0;
        if (++open_ > limits::schema_depth) fail_at_depth();
        break;
      case ']':
      case '}':
        dots_ = 0;
        open_ = std::max(0, open_ - 1);
        break;
      case '=':
      case ',':
        count();
        dots_ = 0;
        break;
      case '\n':
        ++line_;
        dots_ = 0;
        break;
      default:
        break;
    }
  }

  /// Skips a string. One that is never closed ends at the end of its line, or of the text.
  void skip_string(char quote) {
    const std::string_view three(quote == '"' ? R"(""")" : "'''");
    const bool long_string = rest_.starts_with(three);
    rest_.remove_prefix(long_string ? 3 : 1);
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (long_string && rest_.starts_with(three)) break;
      if (!long_string && (c == quote || c == '\n')) break;
      // The character after a backslash never ends a basic string.
      const auto skipped = rest_.substr(0, quote == '"' && c == '\\' ? 2 : 1);
      if (skipped.ends_with('\n')) ++line_;
      rest_.remove_prefix(skipped.size());
    }
    if (!long_string) {
      if (rest_.starts_with(quote)) rest_.remove_prefix(1);
      return;
    }
    // Up to two quotes more belong to the string.
    for (int k = 0; k < 5 && rest_.starts_with(quote); ++k) rest_.remove_prefix(1);
  }

  void count() {
    if (++values_ <= limits::schema_values) return;
    throw base::DataError("{}:{}: more than the {} keys and values a schema may have", file_name_,
                          line_, limits::schema_values);
  }

  [[noreturn]] void fail_at_depth() const {
    throw base::DataError("{}:{}: nested more than {} levels deep, unlike any schema", file_name_,
                          line_, limits::schema_depth);
  }

  std::string_view rest_;
  std::string_view file_name_;
  std::int64_t line_ = 1;
  std::int64_t values_ = 0;
  int open_ = 0;  // lists and inline tables
  int dots_ = 0;  // of the key at the current place
};

}  // namespace

void check_toml_limits(std::string_view text, std::string_view file_name) {
  Scan(text, file_name).run();
}

}  // namespace tacet::data::internal
