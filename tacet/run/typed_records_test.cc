#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/run/read_rows.h"
#include "tests/support/temporary_folder.h"

namespace tacet::run {
namespace typed_records_test {

using data::Value;

/// A value and the field that a CSV file would have for it.
struct Both {
  Value typed;
  std::string field;
};

/// Tables of random values for random schemas. Texts live as long as the table.
class RandomTable {
 public:
  explicit RandomTable(std::uint64_t seed) : random_(seed) { make(); }

  std::string toml;
  std::string csv;
  std::vector<std::string> names;
  std::vector<std::vector<Both>> rows;

 private:
  using Truth = std::array<std::string, 2>;
  struct Rule {
    std::string toml;
    Truth booleans;  ///< what a file spells for false and true so that it means the same
    bool date = false;
    char separator = '\0';  ///< of ids
  };

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool once_in(std::uint64_t n) { return below(n) == 0; }

  void make() {
    const Truth counted = {"0", "1"};
    const Truth words = {"false", "true"};
    const std::vector<Rule> kinds = {
        {"'numeric'\nlower=-3\nupper=4.5", counted},
        {"'numeric'\nlower=0\nupper=9\nfill=2\nlog1p=true", counted},
        {"'numeric'\nlower=-9\nupper=9\nmissing_indicator=true\nbins=5", counted},
        {"'date'\nlower='1999-12-30'\nupper='2024-03-01'", counted, true},
        {"'categorical'\ncategories=['1','2','x','a,b','NA','-999']\nother='column'", counted},
        {"'categorical'\ncategories=['True','FALSE','0.5']", {"FALSE", "True"}},
        {"'categorical'\ncategories=['0','1']", counted},
        {"'hashed'\nbits=7", words},
        {"'text'\nbits=9", words},
        {"'ids'\nseparator='|'\nmax_ids=2\nbits=8", words, false, '|'},
        {"'ids'\nseparator=','\nmax_ids=3\ncount=8", words, false, ','}};
    const std::vector<Rule> targets = {{"positive=['true','1','x']\nnegative=['false','0']", words},
                                       {"classes=['1','2','x','a,b']\nunknown='2'", counted},
                                       {"lower=-2\nupper=5", counted},
                                       {"kind='count'\nupper=6", counted}};
    toml = "missing=['','NA','-999','2.5']\nstorage='" +
           std::string(once_in(2) ? "dense" : "sparse") + "'\n";
    const bool units = once_in(2);
    if (units) toml += "unit='unit'\n";
    const auto& target = targets[below(targets.size())];
    toml += "[target]\ncolumn='label'\n" + target.toml + "\n";
    const auto columns = 1 + below(5);
    for (std::uint64_t k = 0; k < columns; ++k) {
      names.push_back("c" + std::to_string(k));
      const auto& kind = kinds[below(kinds.size())];
      rules_.push_back(kind);
      toml += "[[column]]\nname='" + names.back() + "'\nkind=" + kind.toml + "\n";
    }
    names.insert(names.end(), {"label", "unit"});
    rules_.insert(rules_.end(), {target, {"", words}});
    for (const auto& name : names) csv += name + (name == "unit" ? "\n" : ",");
    const auto count = below(6);
    for (std::uint64_t k = 0; k < count; ++k) {
      rows.emplace_back();
      for (std::size_t j = 0; j < names.size(); ++j) {
        rows.back().push_back(value(j));
        csv += quoted(rows.back().back().field) + (j + 1 == names.size() ? "\n" : ",");
      }
    }
  }

  /// Values side by side; an empty list is a missing field.
  Both list(std::size_t column) {
    auto& items = lists_.emplace_back();
    std::string field;
    for (auto count = below(5); count > 0; --count) {
      const auto one = value(column);
      if (std::holds_alternative<data::List>(one.typed)) continue;
      if (!items.empty()) field += rules_[column].separator;
      items.push_back({one.typed});
      field += one.field;
    }
    return {data::List{items.data(), items.size()}, field};
  }

  Both value(std::size_t column) {
    if (rules_[column].separator != '\0' && once_in(3)) return list(column);
    switch (below(6)) {
      case 0:
        return once_in(2) ? Both{data::Missing{}, ""} : Both{std::nan(""), ""};
      case 1: {
        const bool truth = once_in(2);
        return {truth, rules_[column].booleans[truth ? 1 : 0]};
      }
      case 2: {
        const std::int64_t numbers[] = {0, 1, 2, -999, 7, -3, std::int64_t{1} << 62};
        const auto number = numbers[below(7)];
        return {number, std::to_string(number)};
      }
      case 3: {
        const double numbers[] = {0, 0.5, 2.5, -999, 1, 3.25, 0.1, 1e300, -1e-7};
        const auto number = numbers[below(9)];
        return {number, fmt::format("{}", number)};
      }
      case 4:
        if (rules_[column].date) {
          const auto day = static_cast<std::int64_t>(below(25000)) - 500;
          return {data::Day{day}, data::date_text(day)};
        }
        [[fallthrough]];
      default: {
        static const std::vector<std::string> texts = {"x",    "a,b", "NA", "2.50", "say \"a\" b",
                                                       "TRUE", "0",   "1",  "-1.0", "2001-02-29"};
        const auto& text = texts[below(texts.size())];
        return {std::string_view(text), text};
      }
    }
  }

  static std::string quoted(const std::string& field) {
    std::string out = "\"";
    for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  }

  std::mt19937_64 random_;
  std::vector<Rule> rules_;
  std::deque<std::vector<data::ListItem>> lists_;
};

TypedRecords typed(const RandomTable& table) {
  return {table.names, [&table, row = std::size_t{0}](std::span<Value> values) mutable {
            if (row == table.rows.size()) return false;
            for (std::size_t j = 0; j < values.size(); ++j) values[j] = table.rows[row][j].typed;
            ++row;
            return true;
          }};
}

void expect_equal(const data::Dataset& one, const data::Dataset& other) {
  ASSERT_EQ(one.rows(), other.rows());
  ASSERT_EQ(one.sparse(), other.sparse());
  for (std::int64_t k = 0; k < one.rows(); ++k) {
    EXPECT_EQ(one.label(k), other.label(k));
    EXPECT_EQ(one.unit_of(k), other.unit_of(k));
    if (one.sparse()) {
      EXPECT_TRUE(std::ranges::equal(one.sparse_row(k).columns, other.sparse_row(k).columns));
      EXPECT_TRUE(std::ranges::equal(one.sparse_row(k).values, other.sparse_row(k).values));
    } else {
      EXPECT_TRUE(std::ranges::equal(one.dense_row(k), other.dense_row(k)));
    }
  }
}

void expect_equal_tables(std::uint64_t first, std::uint64_t end) {
  const test::TemporaryFolder folder;
  for (std::uint64_t seed = first; seed < end && !testing::Test::HasFailure(); ++seed) {
    const RandomTable table(seed);
    SCOPED_TRACE(table.toml + table.csv);
    const auto schema = data::schema_from_toml(table.toml, "s.toml");
    const auto file = folder.write("data.csv", table.csv);
    expect_equal(data::read_dataset(file, schema, {.units = data::UnitUse::index}),
                 dataset_of(typed(table), schema, data::TargetUse::required));
  }
}

TEST(TypedRecords, EqualTheSameTableAsACsvFile) { expect_equal_tables(0, 250); }
TEST(TypedRecordsLong, EqualTheSameTableAsACsvFile) { expect_equal_tables(250, 11000); }

std::vector<std::int16_t> row_of(const std::string& column, const Value& value) {
  const auto schema = data::schema_from_toml(
      "intercept=false\nstorage='dense'\n[[column]]\nname='x'\nkind=" + column, "s.toml");
  bool first = true;
  const TypedRecords one{{"x"}, [&](std::span<Value> values) {
                           values[0] = value;
                           return std::exchange(first, false);
                         }};
  const auto row = dataset_of(one, schema, data::TargetUse::absent);
  const auto found = row.dense_row(0);
  return {found.begin(), found.end()};
}

TEST(TypedRecords, BooleansFindTheirCategoryInAnyCaseOrAsANumber) {
  for (const auto* categories : {"['no','TRUE','x']", "['False','1.0']", "['0','true','1']"}) {
    EXPECT_GT(row_of(std::string("'categorical'\ncategories=") + categories, true)[1], 0);
  }
  EXPECT_EQ(row_of("'categorical'\ncategories=['yes','no']", true),
            (std::vector<std::int16_t>{0, 0}));
  EXPECT_EQ(row_of("'numeric'\nlower=-1\nupper=1", true)[0],
            row_of("'numeric'\nlower=-1\nupper=1", std::int64_t{1})[0]);
}

TEST(TypedRecords, WholeFloatsAreHashedAsIntegers) {
  EXPECT_EQ(row_of("'hashed'\nbits=8", 7.0), row_of("'hashed'\nbits=8", std::int64_t{7}));
  EXPECT_EQ(row_of("'hashed'\nbits=8", 7.0), row_of("'hashed'\nbits=8", std::string_view("7")));
  EXPECT_NE(row_of("'hashed'\nbits=8", std::string_view("07")),
            row_of("'hashed'\nbits=8", std::string_view("7")));
}

TEST(TypedRecords, SinglePrecisionIsWhatItsShortestDecimalSpells) {
  const std::string listed = "'categorical'\ncategories=['0.1','0.2']";
  EXPECT_EQ(row_of(listed, 0.2F), row_of(listed, std::string_view("0.2")));
  EXPECT_EQ(row_of("'hashed'\nbits=9", 0.1F), row_of("'hashed'\nbits=9", 0.1));
  const std::string exact = "'categorical'\ncategories=['0.10000000149011612']";
  EXPECT_EQ(row_of(exact, 0.1F), row_of(exact, double{0.1F}));
  const std::string number = "'numeric'\nlower=-1\nupper=1\nmissing_indicator=true";
  EXPECT_EQ(row_of(number, 0.1F), row_of(number, double{0.1F}));
  EXPECT_EQ(row_of(number, std::nanf("")), row_of(number, data::Missing{}));
}

TEST(TypedRecords, SparseRowsEqualDenseOnes) {
  const auto schema = data::schema_from_toml(
      "[features]\ncount=3\nlower=-1\nupper=2\n[target]\npositive='b'\nnegative='a'\n"
      "[format]\nkind='npy'\n",
      "s.toml");
  const std::vector<double> dense = {0, 2, -5, 0.5, 0, 0, 0, 0, 0};
  const std::vector<std::int64_t> starts = {0, 2, 3, 3};
  const std::vector<std::uint32_t> indices = {1, 2, 0};
  const std::vector<double> values = {2, -5, 0.5};
  const std::vector<std::string> labels = {"b", "a", "other"};
  const auto required = data::TargetUse::required;
  const auto expected = dataset_of(Matrix{dense, 3, labels}, schema, required);
  expect_equal(expected,
               dataset_of(SparseMatrix{starts, indices, values, 3, labels}, schema, required));
  EXPECT_EQ(expected.label(0), 1);
  const std::vector<std::int64_t> beyond = {0, 2, 4, 4};
  EXPECT_THROW((void)dataset_of(SparseMatrix{beyond, indices, values, 3, labels}, schema, required),
               base::UsageError);
  const std::vector<std::uint32_t> descending = {2, 1, 0};
  EXPECT_THROW(
      (void)dataset_of(SparseMatrix{starts, descending, values, 3, labels}, schema, required),
      base::UsageError);
}

TEST(TypedRecords, LabelsWithTypesAreComparedExactly) {
  const auto schema = data::schema_from_toml(
      "[features]\ncount=1\nlower=-1\nupper=2\n[format]\nkind='npy'\n"
      "[target]\npositive='9007199254740993'\nnegative='9007199254740992'\n",
      "s.toml");
  const std::vector<double> x(4, 0.5);
  const std::vector<Value> labels = {std::int64_t{9007199254740993}, std::int64_t{9007199254740992},
                                     std::string_view("9007199254740993"), true};
  const auto found = dataset_of(Matrix{x, 1, labels}, schema, data::TargetUse::required);
  const std::vector<double> expected = {1, -1, 1, -1};
  for (std::int64_t k = 0; k < 4; ++k) {
    EXPECT_EQ(found.label(k), expected[static_cast<std::size_t>(k)]) << k;
  }
}

std::string fingerprint_of(const Rows& rows, const data::Schema& schema) {
  ledger::Fingerprint fingerprint(std::string(64, 'a'));
  (void)dataset_of(rows, schema, data::TargetUse::required, {.fingerprint = &fingerprint});
  return fingerprint.digest();
}

TEST(TypedRecords, FingerprintsKnowTheSameRecordsAgainInAnyOrder) {
  const auto schema = data::schema_from_toml(
      "[[column]]\nname='x'\nkind='hashed'\n[target]\npositive='b'\nnegative='a'\ncolumn='y'\n",
      "s.toml");
  const auto of = [&](const std::vector<Value>& x, const std::vector<std::string>& y) {
    std::size_t row = 0;
    return fingerprint_of(TypedRecords{{"x", "y"},
                                       [&](std::span<Value> values) {
                                         if (row == x.size()) return false;
                                         values[0] = x[row];
                                         values[1] = std::string_view(y[row++]);
                                         return true;
                                       }},
                          schema);
  };
  const auto expected = of({std::int64_t{7}, std::string_view("ab")}, {"a", "b"});
  EXPECT_EQ(of({std::string_view("ab"), 7.0}, {"b", "a"}), expected);
  for (const auto* seven : {"7", "7.0", "7e0", " 7"}) {
    EXPECT_EQ(of({std::string_view(seven), std::string_view("ab")}, {"a", "b"}), expected) << seven;
  }
  EXPECT_NE(of({std::int64_t{7}, std::string_view("a")}, {"a", "bb"}), expected);
  EXPECT_NE(of({std::int64_t{7}, std::string_view("ab")}, {"b", "b"}), expected);
  EXPECT_NE(of({std::int64_t{7}}, {"a"}), expected);
}

/// The records of two persons by the columns that are read.
TEST(TypedRecords, FingerprintsKnowTheColumnsThatAreReadInAnyOrder) {
  const auto schema = data::schema_from_toml(
      "unit='who'\n[[column]]\nname='x'\nkind='hashed'\n[[column]]\nname='id'\nkind='ignored'\n"
      "[target]\npositive='b'\nnegative='a'\ncolumn='y'\n",
      "s.toml");
  using Record = std::vector<Value>;
  const auto of = [&](const std::vector<std::string>& names, const Record& one, const Record& two) {
    ledger::Fingerprint fingerprint(std::string(64, 'a'));
    int row = 0;
    const TypedRecords records{names, [&](std::span<Value> out) {
                                 std::ranges::copy(row == 0 ? one : two, out.begin());
                                 return row++ < 2;
                               }};
    (void)dataset_of(records, schema, data::TargetUse::required, {.fingerprint = &fingerprint});
    return std::pair(fingerprint.digest(), fingerprint.digest_of_read());
  };
  const Value a = std::string_view("a");
  const std::int64_t three = 3;
  const auto expected = of({"x", "y", "who"}, {7.0, a, three}, {8.0, a, three}).second;
  const std::vector<std::string> more{"__index__", "who", "y", "id", "x"};
  const auto found = of(more, {0.5, three, a, true, 7.0}, {1.5, three, a, true, 8.0});
  EXPECT_EQ(found.second, expected);
  EXPECT_NE(found.first, expected);  // all columns are seen as well
  EXPECT_NE(of({"x", "y", "who"}, {7.0, a, std::int64_t{4}}, {8.0, a, three}).second, expected);
  EXPECT_NE(of({"x", "y", "who"}, {three, a, 7.0}, {8.0, a, three}).second, expected);
}

TEST(TypedRecords, FingerprintsOfSparseRecordsAreThoseOfDenseOnes) {
  const auto schema = data::schema_from_toml(
      "[features]\ncount=2\nlower=-1\nupper=2\n[target]\npositive='1'\nnegative='0'\n"
      "[format]\nkind='npy'\n",
      "s.toml");
  const std::vector<double> dense = {0, 2, 0.5, 0};
  const std::vector<double> labels = {1, 0};
  const std::vector<std::int64_t> starts = {0, 1, 3};
  const std::vector<std::uint32_t> indices = {1, 0, 1};
  const std::vector<double> values = {2, 0.5, 0};
  const auto expected = fingerprint_of(Matrix{dense, 2, labels}, schema);
  EXPECT_EQ(fingerprint_of(SparseMatrix{starts, indices, values, 2, labels}, schema), expected);
  const std::vector<double> others = {1, 1};
  EXPECT_NE(fingerprint_of(Matrix{dense, 2, others}, schema), expected);
}

}  // namespace typed_records_test
}  // namespace tacet::run
