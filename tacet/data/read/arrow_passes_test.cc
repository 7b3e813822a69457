#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/arrow_records.h"
#include "tests/support/arrow_stream.h"

/// How often a stream is read, which columns of it, and what becomes of one that fails.
namespace tacet::data {
namespace arrow_passes_test {

using Array = test::ArrayByHand;
using Stream = test::ArrowStreamByHand;
using test::bytes;
using Words = std::vector<std::string>;

Array table(std::vector<Array> columns) {
  return {.format = "+s",
          .name = "",
          .buffers = {""},
          .length = columns.front().length,
          .children = std::move(columns)};
}

std::string spelled(const Value& value) {
  if (std::holds_alternative<Missing>(value)) return "-";
  SpellingRoom room;
  return std::string(spelling(value, room));
}

const Schema any_kind = schema_from_toml("[[column]]\nname='x'\nkind='hashed'\nbits=4\n", "s.toml");

/// Batches of one number each.
std::vector<Array> batches_of(const std::vector<std::int8_t>& numbers) {
  std::vector<Array> batches;
  for (const auto number : numbers) {
    const std::vector<std::int8_t> one{number};
    batches.push_back(table({{.format = "c", .buffers = {"", bytes(one)}, .length = 1}}));
  }
  return batches;
}

std::vector<std::string> pass_over(ArrowRecords& records) {
  std::vector<std::string> found;
  std::vector<Value> values(records.names().size());
  while (records.next(values)) found.push_back(spelled(values[0]));
  return found;
}

TEST(ArrowPasses, KeepTheirBatchesForSeveralPassesAlone) {
  Stream once(batches_of({1, 2, 3}));
  {
    ArrowRecords records(once.stream);
    records.restart();  // nothing was read
    std::vector<Value> values(1);
    while (records.next(values)) EXPECT_EQ(once.held, 3) << "stream, type, and the batch in use";
    EXPECT_THROW(records.restart(), base::InternalError);
  }
  Stream several(batches_of({1, 2, 3}));
  {
    ArrowRecords records(several.stream, Passes::several);
    EXPECT_EQ(pass_over(records), (Words{"1", "2", "3"}));
    EXPECT_EQ(several.held, 5);
    records.restart();
    std::vector<Value> values(1);
    EXPECT_TRUE(records.next(values));
    records.restart();
    EXPECT_EQ(pass_over(records), (Words{"1", "2", "3"}));
    EXPECT_EQ(pass_over(records), Words{}) << "the end stays";
  }
  EXPECT_EQ(once.held, 0);
  EXPECT_EQ(several.held, 0);
}

TEST(ArrowPasses, GiveFurtherColumnsOutWhereTheyAreAskedFor) {
  const Array other{
      .format = "c", .name = "other", .buffers = {"", std::string("\7")}, .length = 1};
  const Array nothing{.format = "+s", .name = "nested", .buffers = {""}, .length = 1};
  const Array own{.format = "c", .buffers = {"", std::string("\1")}, .length = 1};
  for (const auto further : {FurtherColumns::missing, FurtherColumns::given}) {
    Stream stream({table({own, other, nothing})});
    ArrowRecords records(stream.stream);
    EXPECT_EQ(records.types()[1].name, "int8");
    records.read_by(any_kind, TargetUse::absent, further);
    std::vector<Value> values(3);
    ASSERT_TRUE(records.next(values));
    EXPECT_EQ(spelled(values[0]), "1");
    EXPECT_EQ(spelled(values[1]), further == FurtherColumns::given ? "7" : "-");
    EXPECT_EQ(spelled(values[2]), "-") << "it has no single value";
  }
}

TEST(ArrowPasses, SayInWhichBatchAStreamFails) {
  Stream stream(batches_of({1, 2, 3}));
  stream.failing_batch = 2;
  ArrowRecords records(stream.stream);
  try {
    static_cast<void>(pass_over(records));
    FAIL() << "no error";
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("batch 3 "), std::string::npos) << error.what();
  }
}

}  // namespace arrow_passes_test
}  // namespace tacet::data
