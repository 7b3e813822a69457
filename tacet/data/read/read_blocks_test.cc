#include "tacet/data/read/read_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tests/support/damaged_source.h"
#include "tests/support/same_records.h"

namespace tacet::data {
namespace read_blocks_test {

using internal::text_source;
using internal::TextBlock;
using internal::TextBlocks;

using Kind = TextBlocks::Kind;

struct Cut {
  std::vector<std::string> blocks;
  bool rest = false;
};

Cut cut(std::string_view text, std::optional<char> quote, std::size_t size, std::size_t begun = 0) {
  TextBlocks blocks(text_source(text.substr(begun)), text.substr(0, begun), quote, size);
  Cut result;
  TextBlock block;
  for (auto kind = blocks.next(block); kind != Kind::end; kind = blocks.next(block)) {
    result.rest = kind == Kind::rest;
    result.blocks.emplace_back(block.text());
  }
  return result;
}

TEST(TextBlocks, CutBehindLineEndsOutsideOfQuotes) {
  using Blocks = std::vector<std::string>;
  EXPECT_EQ(cut("", '"', 8).blocks, Blocks{});
  EXPECT_EQ(cut("a\nb", '"', 8).blocks, (Blocks{"a\n", "b"}));
  EXPECT_EQ(cut("1,2\n3,4\r\n5,6\n", '"', 10).blocks, (Blocks{"1,2\n3,4\r\n", "5,6\n"}));
  EXPECT_EQ(cut("1,\"\n\n\n\"\n2,3\n", '"', 5).blocks, (Blocks{"1,\"\n\n\n\"\n", "2,3\n"}));
  EXPECT_EQ(cut("1,\"\"\"\n\"\n2,3\n", '"', 8).blocks, (Blocks{"1,\"\"\"\n\"\n", "2,3\n"}));
  EXPECT_EQ(cut("1,\"\n2\"\n3,4\n", std::nullopt, 4).blocks, (Blocks{"1,\"\n", "2\"\n", "3,4\n"}));
}

TEST(TextBlocks, KeepEveryByteWhateverTheirSize) {
  std::mt19937 generator(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(generator() % 300, ' ');
    for (char& c : text) c = "ab\"\n,"[generator() % 5];
    const auto found = cut(text, round % 2 == 0 ? std::optional('"') : std::nullopt,
                           1 + generator() % 40, text.empty() ? 0 : generator() % text.size());
    std::string all;
    for (std::size_t k = 0; k < found.blocks.size(); ++k) {
      if (k + 1 < found.blocks.size()) {
        EXPECT_EQ(found.blocks[k].back(), '\n');
      }
      all += found.blocks[k];
    }
    // The rest of a long line is not read on.
    EXPECT_EQ(all, found.rest ? text.substr(0, all.size()) : text);
  }
}

std::unique_ptr<ByteSource> source(std::string_view text, bool damaged) {
  if (damaged) return std::make_unique<test::DamagedSource>(text);
  return text_source(text);
}

Schema csv_schema(std::string_view format) {
  return schema_from_toml(std::string("unit = 'who'\n") + std::string(format) + R"(
[target]
column = "y"
positive = "1"
[[column]]
name = "x"
kind = "numeric"
lower = -10
upper = 1e6
[[column]]
name = "t"
kind = "text"
bits = 4
)",
                          "schema");
}

/// Fields of a record as files have them: numbers, nothing, texts in quotes with whatever.
std::string field(std::mt19937& generator) {
  switch (generator() % 8) {
    case 0:
      return "";
    case 1:
      return "\"\"";
    case 2: {
      std::string text = "\"";
      for (auto left = generator() % 20; left > 0; --left) {
        static constexpr const char* parts[] = {"a", ",", "\n", "\r\n", "\"\"", "word "};
        text += parts[generator() % 6];
      }
      return text + "\"";
    }
    case 3:
      return "name" + std::to_string(generator() % 5);
    default:
      return std::to_string(static_cast<double>(generator() % 2000) / 16);
  }
}

std::string csv_text(std::mt19937& generator, std::size_t size) {
  std::string text = "x,t,who,y\n";
  while (text.size() < size) {
    for (int k = 0; k < 4; ++k) text += (k > 0 ? "," : "") + field(generator);
    text += generator() % 3 == 0 ? "\r\n" : "\n";
    if (generator() % 40 == 0) text += "\n";
  }
  return text;
}

/// A byte that may be a fault, somewhere.
void damage(std::string& text, std::mt19937& generator) {
  static constexpr char bytes[] = {'"', ',', '\n', '\r', '\0', 'x', ' '};
  const auto place = 10 + generator() % (text.size() - 10);
  switch (generator() % 3) {
    case 0:
      text[place] = bytes[generator() % std::size(bytes)];
      break;
    case 1:
      text.insert(place, 1, bytes[generator() % std::size(bytes)]);
      break;
    default:
      text.erase(place, 1 + generator() % 3);
  }
}

ReadOptions on(base::ThreadPool* threads) { return {.units = UnitUse::index, .threads = threads}; }

TEST(ReadBlocks, CsvFilesGiveTheSameRecordsUnitsAndErrorsOnAnyNumberOfThreads) {
  std::mt19937 generator(2);
  base::ThreadPool two(2);
  base::ThreadPool five(5);
  Schema schemas[] = {csv_schema(""), csv_schema("[format]\ntrim = true\nfill_short = true"),
                      csv_schema("")};
  schemas[2].format.quote.reset();
  int errors = 0;
  for (int round = 0; round < 1500; ++round) {
    const Schema& schema = schemas[round % 3];
    std::string text = csv_text(generator, 200 + generator() % 3000);
    if (round % 2 == 0) damage(text, generator);
    const bool damaged = generator() % 5 == 0;
    const auto read = [&](base::ThreadPool* threads, std::size_t block) {
      return test::outcome_of([&] {
        return internal::read_csv(source(text, damaged), "t.csv", schema, on(threads), block);
      });
    };
    const auto expected = read(nullptr, 0);
    errors += expected.error.empty() ? 0 : 1;
    for (auto* threads : {&two, &five}) {
      const auto found = read(threads, 16 + generator() % 400);
      ASSERT_EQ(found.error, expected.error) << text;
      ASSERT_TRUE(test::same(found, expected)) << text;
    }
  }
  EXPECT_GT(errors, 500);
  EXPECT_LT(errors, 1200);
}

TEST(ReadBlocksLong, ARecordThatIsTooLongIsOneWhereverBlocksEnd) {
  const Schema schema = csv_schema("");
  base::ThreadPool two(2);
  const std::string longest(std::size_t{1} << 26, 'a');
  for (const auto& [more, error] :
       {std::pair{"", std::string()},
        {"a",
         "t.csv:3:1: the record is longer than 67108864 bytes; is a closing quote missing?"}}) {
    const std::string text = "x,t,who,y\n1,a,b,1\n1," + longest.substr(6) + more + ",b,1\n";
    for (auto* threads : {static_cast<base::ThreadPool*>(nullptr), &two}) {
      const auto found = test::outcome_of(
          [&] { return internal::read_csv(text_source(text), "t.csv", schema, on(threads)); });
      EXPECT_EQ(found.error, error);
      EXPECT_EQ(found.records.rows(), error.empty() ? 2 : 0);
    }
  }
}

Schema libsvm_schema() {
  return schema_from_toml(
      "row_scaling='const'\n[format]\nkind='libsvm'\n[target]\npositive='+1'\nnegative='-1'\n"
      "[features]\ncount=123\nlower=0\nupper=1\nmax_nonzero=14\n",
      "libsvm");
}

TEST(ReadBlocks, LibsvmFilesGiveTheSameRecordsAndErrorsOnAnyNumberOfThreads) {
  std::mt19937 generator(3);
  base::ThreadPool two(2);
  base::ThreadPool five(5);
  const Schema schema = libsvm_schema();
  for (int round = 0; round < 200; ++round) {
    std::string text;
    while (text.size() < 20000 + 100 * static_cast<std::size_t>(round)) {
      text += generator() % 4 == 0 ? "+1" : "-1";
      for (auto left = generator() % 20; left > 0; --left) {
        text +=
            " " + std::to_string(1 + generator() % 130) + (generator() % 5 == 0 ? ":.25" : ":1");
      }
      if (generator() % 9 == 0) text += " # more";
      text += generator() % 3 == 0 ? "\r\n" : "\n";
    }
    if (round % 2 == 0) damage(text, generator);
    const bool damaged = generator() % 3 == 0;
    const auto read = [&](base::ThreadPool* threads, std::size_t block) {
      return test::outcome_of([&] {
        const auto records = internal::libsvm_records(source(text, damaged), "t", 123, 1);
        return internal::read_uniform(*records, schema, {.threads = threads}, block);
      });
    };
    const auto expected = read(nullptr, 0);
    for (auto* threads : {&two, &five}) {
      const auto found = read(threads, 16 + generator() % 4000);
      ASSERT_EQ(found.error, expected.error) << text;
      ASSERT_TRUE(test::same(found, expected)) << text;
    }
  }
}

TEST(ReadBlocks, EndWhenTheyAreToldTo) {
  std::mt19937 generator(4);
  const std::string text = csv_text(generator, 50000);
  base::ThreadPool two(2);
  base::CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(static_cast<void>(internal::read_csv(
                   text_source(text), "t.csv", csv_schema(""),
                   {.units = UnitUse::index, .cancel = &cancel, .threads = &two}, 1000)),
               base::Interrupted);
}

// 64 files of 100 MB: minutes.
TEST(ReadBlocksLong, LargeFilesGiveTheSameRecordsUnitsAndErrors) {
  base::ThreadPool threads(4);
  const Schema schemas[] = {csv_schema(""), csv_schema("[format]\ntrim = true")};
  int errors = 0;
  for (unsigned round = 0; round < 64; ++round) {
    std::mt19937 generator(100 + round);
    std::string text = csv_text(generator, 100'000'000);
    if (round % 2 == 0) damage(text, generator);
    const auto read = [&](base::ThreadPool* pool) {
      return test::outcome_of([&] {
        return internal::read_csv(text_source(text), "t.csv", schemas[round / 2 % 2], on(pool));
      });
    };
    const auto expected = read(nullptr);
    errors += expected.error.empty() ? 0 : 1;
    const auto found = read(&threads);
    ASSERT_EQ(found.error, expected.error) << round;
    ASSERT_TRUE(test::same(found, expected)) << round;
  }
  EXPECT_GT(errors, 10);
}

}  // namespace read_blocks_test
}  // namespace tacet::data
