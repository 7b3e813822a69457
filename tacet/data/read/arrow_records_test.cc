#include "tacet/data/read/arrow_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/arrow_stream.h"

namespace tacet::data {
namespace arrow_records_test {

using Array = test::ArrayByHand;
using Stream = test::ArrowStreamByHand;
using test::bytes;

Array table(std::vector<Array> columns) {
  const auto length = columns.front().length;
  return {.format = "+s",
          .name = "",
          .buffers = {""},
          .length = length,
          .children = std::move(columns)};
}

std::string spelled(const Value& value) {
  if (const auto* day = std::get_if<Day>(&value)) return "day " + std::to_string(day->number);
  if (std::holds_alternative<Missing>(value)) return "-";
  if (const auto* list = std::get_if<List>(&value)) {
    std::string words = "[";
    for (const auto& item : list->entries()) words += spelled(item.value) + "|";
    return words + "]";
  }
  SpellingRoom room;
  return std::string(spelling(value, room));
}

const Schema any_kind = schema_from_toml("[[column]]\nname='x'\nkind='hashed'\nbits=4\n", "s.toml");
const Schema dates = schema_from_toml(
    "[[column]]\nname='x'\nkind='date'\nlower='1990-01-01'\nupper='2030-01-01'\n", "s.toml");

/// The values of column x as words.
std::vector<std::string> read(std::vector<Array> batches, const Schema& schema = any_kind) {
  Stream stream(std::move(batches));
  std::vector<std::string> found;
  {
    ArrowRecords records(stream.stream, schema, TargetUse::absent);
    EXPECT_EQ(stream.stream.release, nullptr) << "the stream was not taken over";
    std::vector<Value> values(records.names().size());
    while (records.next(values)) found.push_back(spelled(values[0]));
  }
  EXPECT_EQ(stream.held, 0);
  return found;
}

std::vector<std::string> read(Array column, const Schema& schema = any_kind) {
  return read(std::vector{table({std::move(column)})}, schema);
}

template <typename T>
std::vector<std::string> numbers(const std::string& format, const std::vector<T>& values) {
  return read({.format = format, .buffers = {"", bytes(values)}, .length = std::ssize(values)});
}

using Words = std::vector<std::string>;

TEST(ArrowRecords, ReadEveryKindOfNumber) {
  EXPECT_EQ(numbers<std::int8_t>("c", {-128, 127}), (Words{"-128", "127"}));
  EXPECT_EQ(numbers<std::uint8_t>("C", {0, 255}), (Words{"0", "255"}));
  EXPECT_EQ(numbers<std::int16_t>("s", {-32768}), (Words{"-32768"}));
  EXPECT_EQ(numbers<std::uint16_t>("S", {65535}), (Words{"65535"}));
  EXPECT_EQ(numbers<std::int32_t>("i", {-2147483647 - 1}), (Words{"-2147483648"}));
  EXPECT_EQ(numbers<std::uint32_t>("I", {4294967295U}), (Words{"4294967295"}));
  EXPECT_EQ(numbers<std::int64_t>("l", {-9223372036854775807LL}), (Words{"-9223372036854775807"}));
  EXPECT_EQ(numbers<std::uint64_t>("L", {18446744073709551615ULL, 3}),
            (Words{"18446744073709551615", "3"}));
  EXPECT_EQ(numbers<float>("f", {0.5F, -2}), (Words{"0.5", "-2"}));
  EXPECT_EQ(numbers<double>("g", {0.1, NAN}), (Words{"0.1", ""}));
}

// From IEEE 754-2019, 3.6: the largest number, the least one, the least normal one, 1/3, infinity.
TEST(ArrowRecords, ReadHalves) {
  EXPECT_EQ(numbers<std::uint16_t>("e", {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x0400, 0x3555, 0xFC00}),
            (Words{"1", "-2", "65504", "5.960464477539063e-08", "6.103515625e-05", "0.333251953125",
                   "-inf"}));
}

TEST(ArrowRecords, ReadBooleansBitByBitBehindAnOffset) {
  EXPECT_EQ(read({.format = "b", .buffers = {"", "\x0A\x01"}, .length = 6, .offset = 3}),
            (Words{"true", "false", "false", "false", "false", "true"}));
}

TEST(ArrowRecords, ReadNullsByTheirBitmap) {
  EXPECT_EQ(read({.format = "c", .buffers = {"\x05", bytes<std::int8_t>({1, 2, 3})}, .length = 3}),
            (Words{"1", "-", "3"}));
  EXPECT_EQ(read({.format = "n", .buffers = {}, .length = 2}), (Words{"-", "-"}));
}

TEST(ArrowRecords, ReadTextsInEachLayout) {
  EXPECT_EQ(read({.format = "u",
                  .buffers = {"", bytes<std::int32_t>({0, 2, 2, 5}), "abcde"},
                  .length = 3}),
            (Words{"ab", "", "cde"}));
  EXPECT_EQ(read({.format = "U",
                  .buffers = {"", bytes<std::int64_t>({0, 2, 5}), "abcde"},
                  .length = 1,
                  .offset = 1}),
            (Words{"cde"}));
  std::string views = bytes<std::int32_t>({3}) + "abc" + std::string(9, '\0');
  views += bytes<std::int32_t>({13}) + "long" + bytes<std::int32_t>({1, 2});
  EXPECT_EQ(read({.format = "vu",
                  .buffers = {"", views, "other", "..long as it is", bytes<std::int64_t>({5, 15})},
                  .length = 2}),
            (Words{"abc", "long as it is"}));
}

TEST(ArrowRecords, ReadDictionariesWithNullsInCodesAndInValues) {
  const Array words{
      .format = "u", .buffers = {"\x03", bytes<std::int32_t>({0, 1, 3, 3}), "abc"}, .length = 3};
  EXPECT_EQ(read({.format = "C",
                  .buffers = {"\x0F", bytes<std::uint8_t>({1, 0, 2, 1, 7})},
                  .length = 5,
                  .dictionary = {words}}),
            (Words{"bc", "a", "-", "bc", "-"}));
}

TEST(ArrowRecords, ReadDatesAndTimestampsAsDays) {
  const auto days = [](const std::string& format, const std::string& buffer, std::int64_t count) {
    return read({.format = format, .buffers = {"", buffer}, .length = count}, dates);
  };
  EXPECT_EQ(days("tdD", bytes<std::int32_t>({-1, 19000}), 2), (Words{"day -1", "day 19000"}));
  EXPECT_EQ(days("tdm", bytes<std::int64_t>({86400000}), 1), (Words{"day 1"}));
  EXPECT_EQ(days("tss:", bytes<std::int64_t>({-1, 86399}), 2), (Words{"day -1", "day 0"}));
  EXPECT_EQ(days("tsm:Europe/Bern", bytes<std::int64_t>({172800001}), 1), (Words{"day 2"}));
  EXPECT_EQ(days("tsu:", bytes<std::int64_t>({86400000000}), 1), (Words{"day 1"}));
  EXPECT_EQ(days("tsn:UTC", bytes<std::int64_t>({-86400000000001}), 1), (Words{"day -2"}));
}

const Schema ids = schema_from_toml("[[column]]\nname='x'\nkind='ids'\nbits=4\n", "s.toml");

TEST(ArrowRecords, ReadListsOfNumbersAndTexts) {
  const auto list = [](const std::string& format, const std::string& ends, std::int64_t length,
                       Array entries) {
    return Array{.format = format,
                 .buffers = {"", ends},
                 .length = length,
                 .children = {std::move(entries)}};
  };
  const Array numbers{
      .format = "l", .buffers = {"\x1D", bytes<std::int64_t>({7, 0, 9, 4, 5})}, .length = 5};
  EXPECT_EQ(read(list("+l", bytes<std::int32_t>({0, 3, 3, 5}), 3, numbers), ids),
            (Words{"[7|-|9|]", "[]", "[4|5|]"}));
  const Array words{
      .format = "u", .buffers = {"", bytes<std::int32_t>({0, 2, 3}), "abc"}, .length = 2};
  auto missing = list("+L", bytes<std::int64_t>({0, 1, 2}), 2, words);
  missing.buffers[0] = "\x02";
  EXPECT_EQ(read(missing, ids), (Words{"-", "[c|]"}));
  auto slice = list("+l", bytes<std::int32_t>({0, 1, 2}), 1, words);
  slice.offset = 1;
  EXPECT_EQ(read(slice, ids), (Words{"[c|]"}));
  EXPECT_EQ(
      read({.format = "+w:2", .buffers = {""}, .length = 1, .offset = 1, .children = {numbers}},
           ids),
      (Words{"[9|4|]"}));
  // Texts that no buffer holds stay apart, also those of a dictionary.
  const Array large{.format = "L",
                    .buffers = {"", bytes<std::uint64_t>({1ULL << 63, (1ULL << 63) + 1})},
                    .length = 2};
  const Words expected{"[9223372036854775808|9223372036854775809|]"};
  EXPECT_EQ(read(list("+l", bytes<std::int32_t>({0, 2}), 1, large), ids), expected);
  const Array coded{
      .format = "c", .buffers = {"", std::string("\0\1", 2)}, .length = 2, .dictionary = {large}};
  EXPECT_EQ(read(list("+l", bytes<std::int32_t>({0, 2}), 1, coded), ids), expected);
}

TEST(ArrowRecords, ReadManyBatchesAlsoEmptyOnesAndSlices) {
  const auto batch = [](const std::vector<std::int8_t>& values, std::int64_t offset) {
    auto out =
        table({{.format = "c", .buffers = {"", bytes(values)}, .length = std::ssize(values)}});
    out.offset = offset;
    out.length -= offset;
    return out;
  };
  EXPECT_EQ(read({batch({1, 2}, 0), batch({9}, 1), batch({3, 4, 5}, 2)}), (Words{"1", "2", "5"}));
}

std::string error_of(const Array& column, const Schema& schema = any_kind) {
  try {
    (void)read(column, schema);
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ArrowRecords, RefuseTypesThatTheSchemaCannotReadAndNameThem) {
  const auto refused = [](const std::string& format, const Schema& schema = any_kind) {
    return error_of({.format = format, .buffers = {"", "", ""}}, schema);
  };
  EXPECT_NE(refused("+s").find("column 'x' has the type struct"), std::string::npos);
  EXPECT_NE(refused("d:60,10,256").find("decimal"), std::string::npos);
  EXPECT_NE(refused("z").find("binary"), std::string::npos);
  EXPECT_NE(refused("+l").find("list"), std::string::npos);
  EXPECT_NE(refused("tdD").find("kind \"date\""), std::string::npos);
  EXPECT_NE(refused("l", dates).find("int64"), std::string::npos);
  Array extension{.format = "u", .buffers = {"", "", ""}};
  extension.metadata =
      bytes<std::int32_t>({1, 20}) + "ARROW:extension:name" + bytes<std::int32_t>({2}) + "ip";
  EXPECT_NE(error_of(extension).find("extension"), std::string::npos);
  // Also where it is the values, or the codes, of a dictionary.
  const auto metadata = extension.metadata;
  const Array coded{.format = "c", .buffers = {"", ""}, .dictionary = {extension}};
  EXPECT_NE(error_of(coded).find("dictionary of an extension"), std::string::npos);
  Array marked{.format = "c", .buffers = {"", ""}, .dictionary = {{.format = "u"}}};
  marked.metadata = metadata;
  EXPECT_NE(error_of(marked).find("extension"), std::string::npos);
  const Array reals{.format = "f", .buffers = {"", ""}, .dictionary = {{.format = "u"}}};
  EXPECT_NE(error_of(reals).find("without integer codes"), std::string::npos);
  const Schema ignored = schema_from_toml(
      "[[column]]\nname='x'\nkind='ignored'\n[[column]]\nname='y'\nkind='hashed'\n", "s.toml");
  EXPECT_EQ(refused("+s", ignored), "no error");
}

TEST(ArrowRecords, RefuseArraysThatBreakTheInterface) {
  EXPECT_NE(error_of({.format = "l", .buffers = {""}, .length = 1}), "no error");
  EXPECT_NE(error_of({.format = "l", .buffers = {"", ""}, .length = 1}), "no error");
  const Array words{.format = "u", .buffers = {"", bytes<std::int32_t>({0, 1}), "a"}, .length = 1};
  for (const std::int8_t code : {std::int8_t{-1}, std::int8_t{1}}) {
    EXPECT_NE(error_of({.format = "c",
                        .buffers = {"", bytes<std::int8_t>({code})},
                        .length = 1,
                        .dictionary = {words}}),
              "no error");
  }
  const auto view = bytes<std::int32_t>({20, 0, 9, 0});
  EXPECT_NE(error_of({.format = "vu", .buffers = {"", view, "abc", ""}, .length = 1}), "no error");
  const auto backward = bytes<std::int32_t>({5, 2});
  EXPECT_NE(error_of({.format = "u", .buffers = {"", backward, "abcde"}, .length = 1}), "no error");
}

TEST(ArrowRecords, RefuseListsThatBreakTheInterfaceOrHoldNoIds) {
  const Array numbers{.format = "l", .buffers = {"", bytes<std::int64_t>({7, 8})}, .length = 2};
  const auto list = [&](const std::vector<std::int32_t>& ends, const Array& entries) {
    return Array{.format = "+l",
                 .buffers = {"", bytes(ends)},
                 .length = std::ssize(ends) - 1,
                 .children = {entries}};
  };
  EXPECT_EQ(error_of(list({0, 2}, numbers), ids), "no error");
  for (const auto& ends : std::vector<std::vector<std::int32_t>>{{0, 3}, {-1, 1}, {2, 1}}) {
    EXPECT_NE(error_of(list(ends, numbers), ids).find("a list of an Arrow array"),
              std::string::npos);
  }
  EXPECT_NE(error_of({.format = "+w:3", .buffers = {""}, .length = 1, .children = {numbers}}, ids)
                .find("behind its values"),
            std::string::npos);
  for (const auto* format : {"+w:", "+w:-1", "+w:2x", "+w:99999999999999999999"}) {
    EXPECT_NE(error_of({.format = format, .buffers = {""}, .children = {numbers}}, ids), "no error")
        << format;
  }
  EXPECT_NE(error_of(list({0, 1}, numbers)).find("only a column of kind \"ids\" takes"),
            std::string::npos);
  const Array days{.format = "tdD", .buffers = {"", bytes<std::int32_t>({1})}, .length = 1};
  EXPECT_NE(error_of(list({0, 1}, days), ids).find("no number and no text"), std::string::npos);
  EXPECT_NE(error_of(list({0, 1}, list({0, 1}, numbers)), ids).find("no number and no text"),
            std::string::npos);
}

/// The error of a stream of one column of two numbers with something wrong.
std::string error_of_spoilt(const std::function<void(ArrowSchema&)>& type,
                            const std::function<void(ArrowArray&)>& batch) {
  const Array numbers{.format = "l", .buffers = {"", bytes<std::int64_t>({1, 2})}, .length = 2};
  Stream stream({table({numbers})});
  stream.spoil_type = type;
  stream.spoil_batch = batch;
  try {
    ArrowRecords records(stream.stream, any_kind, TargetUse::absent);
    std::vector<Value> values(1);
    while (records.next(values)) continue;
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ArrowRecords, RefuseTypesThatBreakTheInterface) {
  const auto spoilt = [](const std::function<void(ArrowSchema&)>& type) {
    return error_of_spoilt(type, [](ArrowArray&) {});
  };
  EXPECT_EQ(spoilt([](ArrowSchema&) {}), "no error");
  EXPECT_NE(spoilt([](ArrowSchema& t) { t.format = nullptr; }), "no error");
  EXPECT_NE(spoilt([](ArrowSchema& t) { t.n_children = -1; }), "no error");
  EXPECT_NE(spoilt([](ArrowSchema& t) { t.children = nullptr; }), "no error");
  EXPECT_NE(spoilt([](ArrowSchema& t) { t.children[0] = nullptr; }), "no error");
  EXPECT_NE(spoilt([](ArrowSchema& t) { t.children[0]->format = nullptr; }), "no error");
  EXPECT_NE(spoilt([](ArrowSchema& t) { t.children[0]->release = nullptr; }), "no error");
  static const auto broken = bytes<std::int32_t>({1, -7});
  EXPECT_NE(spoilt([](ArrowSchema& t) { t.children[0]->metadata = broken.data(); }), "no error");
}

TEST(ArrowRecords, RefuseBatchesThatBreakTheInterface) {
  const auto spoilt = [](const std::function<void(ArrowArray&)>& batch) {
    return error_of_spoilt([](ArrowSchema&) {}, batch);
  };
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(spoilt([](ArrowArray&) {}), "no error");
  EXPECT_NE(spoilt([](ArrowArray& a) { a.length = -1; }), "no error");
  EXPECT_NE(spoilt([](ArrowArray& a) { a.offset = most; }), "no error");
  EXPECT_NE(spoilt([](ArrowArray& a) { a.length = 3; }), "no error");
  EXPECT_NE(spoilt([](ArrowArray& a) { a.children = nullptr; }), "no error");
  EXPECT_NE(spoilt([](ArrowArray& a) { a.children[0] = nullptr; }), "no error");
  EXPECT_NE(spoilt([](ArrowArray& a) { a.children[0]->release = nullptr; }), "no error");
  EXPECT_NE(spoilt([](ArrowArray& a) { a.children[0]->buffers = nullptr; }), "no error");
  EXPECT_NE(spoilt([](ArrowArray& a) { a.children[0]->offset = most; }), "no error");
}

TEST(ArrowRecords, AStreamIsReadOnce) {
  Stream stream({table({{.format = "c", .buffers = {"", "\x01"}, .length = 1}})});
  const ArrowRecords first(stream.stream, any_kind, TargetUse::absent);
  EXPECT_THROW(ArrowRecords(stream.stream, any_kind, TargetUse::absent), base::DataError);
}

// A record that is null is one whose values are missing: none is refused, none has what lies below.
TEST(ArrowRecords, RecordsThatAreNullThemselvesAreMissing) {
  auto batch = table({{.format = "c", .buffers = {"", "\x01\x02\x03\x04"}, .length = 4}});
  batch.buffers = {"\x0A"};
  batch.offset = 1;
  batch.length = 3;
  EXPECT_EQ(read(std::vector{batch}), (Words{"2", "-", "4"}));
}

TEST(ArrowRecords, ViewsEndWithinTheirBuffers) {
  const auto view = bytes<std::int32_t>({13, 0, 0, 2});
  const auto of = [&](std::int64_t length) {
    return error_of({.format = "vu",
                     .buffers = {"", view, "..long as it is", bytes<std::int64_t>({length})},
                     .length = 1});
  };
  EXPECT_EQ(of(15), "no error");
  EXPECT_NE(of(14), "no error");
}

TEST(ArrowRecords, RefuseTargetsOfWhichNoTwoClassesAreValues) {
  const Schema labelled = schema_from_toml(
      "[[column]]\nname='y'\nkind='hashed'\n[target]\ncolumn='x'\npositive='yes'\nnegative='no'\n",
      "s.toml");
  Stream stream({table({{.format = "l", .buffers = {"", ""}}})});
  try {
    const ArrowRecords records(stream.stream, labelled, TargetUse::required);
    FAIL() << "no error";
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("int64"), std::string::npos);
  }
  Stream again({table({{.format = "l", .buffers = {"", ""}}})});
  EXPECT_NO_THROW(ArrowRecords(again.stream, labelled, TargetUse::absent));
}

// As a file spells the same number, whatever the scale of the type is.
TEST(ArrowRecords, ReadDecimalsByTheirDigits) {
  const auto decimals = [](const std::string& format, const auto& values) {
    return read({.format = format, .buffers = {"", bytes(values)}, .length = std::ssize(values)});
  };
  EXPECT_EQ(decimals("d:9,2,32", std::vector<std::int32_t>{1250, -5, 700, 0}),
            (Words{"12.5", "-0.05", "7", "0"}));
  EXPECT_EQ(decimals("d:18,0,64", std::vector<std::int64_t>{-120, 3}), (Words{"-120", "3"}));
  __extension__ using Wide = __int128;
  Wide most = 1;
  for (int k = 0; k < 38; ++k) most *= 10;
  --most;
  const std::string nines(36, '9');
  EXPECT_EQ(decimals("d:38,37", std::vector<Wide>{most, -most, 1}),
            (Words{"9." + nines + "9", "-9." + nines + "9", "0." + std::string(36, '0') + "1"}));
  const std::vector<Wide> too_long{most + most / 2};
  EXPECT_NE(error_of({.format = "d:38,37", .buffers = {"", bytes(too_long)}, .length = 1}),
            "no error")
      << "more digits than the type has";
  for (const auto* format : {"d:", "d:x,1", "d:5", "d:5,1,x", "d:5,1x"}) {
    EXPECT_NE(error_of({.format = format, .buffers = {"", ""}}), "no error") << format;
  }
}

TEST(ArrowRecords, KeepQuietAboutWhatTheLibraryBehindTheStreamSays) {
  Stream stream({table({{.format = "c", .buffers = {"", "\x01"}, .length = 1}})});
  stream.failing_batch = 0;
  ArrowRecords records(stream.stream, any_kind, TargetUse::absent);
  std::vector<Value> values(1);
  try {
    (void)records.next(values);
    FAIL() << "no error";
  } catch (const base::DataError& error) {
    EXPECT_EQ(std::string(error.what()).find("42"), std::string::npos);
  }
}

}  // namespace arrow_records_test
}  // namespace tacet::data
