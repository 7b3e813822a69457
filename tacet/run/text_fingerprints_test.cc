#include "tacet/run/text_fingerprints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/run/record_text.h"
#include "tests/support/damaged_source.h"

namespace tacet::run::internal {
namespace text_fingerprints_test {

using ledger::Fingerprint;

/// Gives out a text in pieces of random sizes.
class InPieces : public data::ByteSource {
 public:
  InPieces(std::string text, unsigned seed) : text_(std::move(text)), draw_(seed) {}
  std::size_t read(std::span<char> buffer) override {
    const auto left = text_.size() - at_;
    const auto count = std::min({left, buffer.size(), std::size_t{1 + draw_() % 9}});
    std::copy_n(text_.data() + at_, count, buffer.data());
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
  std::mt19937 draw_;
};

Fingerprint empty() { return Fingerprint(std::string(64, 'a')); }

/// Reads a text once for each way, as often as it takes.
class ByTrying {
 public:
  explicit ByTrying(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] std::vector<std::string> fingerprints() const {
    const auto format =
        data::likely_format({"t.csv", [&] { return data::internal::text_source(text_); }});
    if (format) {
      for (const auto quote : {format->quote, std::optional<char>()}) {
        try {
          return digests(table(*format, quote));
        } catch (const base::DataError&) {  // another way
        }
      }
    }
    return digests(lines());
  }

 private:
  static std::vector<std::string> digests(const Fingerprint& all) {
    std::vector<std::string> found{all.digest()};
    if (const auto tail = all.digest_without_first()) found.push_back(*tail);
    return found;
  }

  [[nodiscard]] Fingerprint table(const data::FileFormat& format, std::optional<char> quote) const {
    auto options = data::csv_options(format);
    options.trim = true;
    options.quote = quote;
    auto fingerprint = empty();
    data::CsvReader reader(data::internal::text_source(text_), "t.csv", options);
    while (const auto fields = reader.next()) {
      for (std::size_t k = 0; k < fields->size(); ++k) note((*fields)[k], k, fingerprint);
      fingerprint.end_record();
    }
    return fingerprint;
  }

  [[nodiscard]] Fingerprint lines() const {
    auto fingerprint = empty();
    std::istringstream text(text_);
    for (std::string line; std::getline(text, line);) {
      if (line.ends_with('\r')) line.pop_back();
      note(std::string_view(line), 0, fingerprint);
      fingerprint.end_record();
    }
    return fingerprint;
  }

  std::string text_;
};

// Quotes that go wrong somewhere behind records without them, in them, or behind good ones.
TEST(TextFingerprints, AreThoseOfTheFirstWayThatFitsTheWholeText) {
  std::mt19937 draw(11);
  const std::vector<std::string> fields{"1",        "x",       "",        "\"a\"",  "\"b,c\"",
                                        "\"d\ne\"", "\"f\"\"", "g\"h",    "\"\"",   "\"i\"\"j\"",
                                        "# k",      "\"l",     "m\r n\"", " \"o\"", "p\"\n"};
  int quoted = 0;
  int several = 0;
  for (unsigned k = 0; k < 250; ++k) {
    std::string text = "who,what,y\n";
    const auto plain = draw() % 120;  // more than the guess looks at, or fewer
    for (unsigned row = 0; row < plain; ++row) text += std::to_string(draw() % 50) + ",x,yes\n";
    const auto odd = k % 4 == 0 ? fields.size() : 4;
    for (auto rows = draw() % 6; rows > 0; --rows) {
      text += fields[draw() % odd] + "," + fields[draw() % odd] + ",no" +
              (draw() % 8 == 0 ? "\r\n" : "\n");
    }
    if (draw() % 3 == 0) text.pop_back();
    const auto expected = ByTrying(text).fingerprints();
    ASSERT_EQ(fingerprints_of_text(std::make_unique<InPieces>(text, k), "t.csv", empty()), expected)
        << text;
    quoted += text.find('"') != text.npos ? 1 : 0;
    several += plain > 100 ? 1 : 0;
  }
  EXPECT_GT(quoted, 60);
  EXPECT_GT(several, 20);
}

TEST(TextFingerprints, OfWhatIsCutOffAreNone) {
  for (const std::string text : {"", "a,b\n", "a,b\n1,\"x", "1 1:2\n2 1:3\n"}) {
    EXPECT_THROW(static_cast<void>(fingerprints_of_text(std::make_unique<test::DamagedSource>(text),
                                                        "t.csv", empty())),
                 base::DataError)
        << text;
  }
}

}  // namespace text_fingerprints_test
}  // namespace tacet::run::internal
