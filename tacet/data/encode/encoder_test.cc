#include "tacet/data/encode/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/public_hash.h"
#include "tacet/data/encode/row_scaler.h"
#include "tacet/data/encode/value_index.h"

namespace tacet::data {
namespace encoder_test {

using Row = std::map<std::uint32_t, int>;

/// Encodes single records of files whose columns stand in the schema's order, target last.
class Fixture {
 public:
  explicit Fixture(const std::string& toml, TargetUse target = TargetUse::required)
      : schema_(schema_from_toml(toml, "s.toml")), names_(schema_.required_columns()) {
    encoder_ = std::make_unique<Encoder>(schema_, names_, target, "t.csv");
  }

  EncodedRow encode(const std::vector<std::string>& fields) {
    const std::vector<std::string_view> views(fields.begin(), fields.end());
    EncodedRow row;
    encoder_->encode(views, row);
    Dataset data(schema_.shape());
    data.append(row);  // checks order, range and norm
    return row;
  }
  Row features(const std::vector<std::string>& fields) {
    const EncodedRow row = encode(fields);
    Row out;
    for (std::size_t k = 0; k < row.columns.size(); ++k) out[row.columns[k]] = row.values[k];
    return out;
  }
  double label(const std::string& text) { return encode({"0.5", text}).label; }

  [[nodiscard]] const Schema& schema() const { return schema_; }

 private:
  Schema schema_;
  std::vector<std::string> names_;
  std::unique_ptr<Encoder> encoder_;
};

const std::string numeric_x = "[[column]]\nname='x'\nkind='numeric'\nlower=-1\nupper=3\n";
const std::string from_lower = numeric_x + "centre=false\n";  // the share of the way from `lower`
const std::string no_intercept = "intercept = false\n";
const std::string binary_y = "[target]\ncolumn='y'\npositive=['yes','1']\nnegative='no'\n";

TEST(ParseNumber, TakesDecimalNumbersOnly) {
  EXPECT_EQ(parse_number(" +1.5e3 "), 1500.0);
  EXPECT_EQ(parse_number("-0"), 0.0);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_EQ(parse_number("4.9e-324"), 4.9e-324);
  EXPECT_EQ(parse_number("1e400"), 0x1.fffffffffffffp1023);
  EXPECT_EQ(parse_number(" -1e400"), -0x1.fffffffffffffp1023);
  EXPECT_EQ(parse_number(std::string(400, '9') + "e-10"), 0x1.fffffffffffffp1023);
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1e10"), 0.0);
  for (const char* text :
       {"", " ", "nan", "inf", "-inf", "1e400x", "12x", "0x10", "1,5", "+-1", "1 2", "--1", "e5"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(ValueIndex, FindsTextFirstAndOtherSpellingsOfNumbersSecond) {
  const std::vector<std::string> values = {"1", "1.0", "b", "02"};
  const ValueIndex index(values);
  EXPECT_EQ(index.find("1"), 0U);
  EXPECT_EQ(index.find("1.0"), 1U);
  EXPECT_EQ(index.find("1.00"), 0U);
  EXPECT_EQ(index.find("2"), 3U);
  EXPECT_EQ(index.find("B"), std::nullopt);
}

// 2^53 and 2^53 + 1 are one double, and two labels.
TEST(ValueIndex, TellsIntegersApartThatShareADouble) {
  const std::vector<std::string> values = {"9007199254740993", "9007199254740992"};
  const ValueIndex index(values);
  EXPECT_EQ(index.find_value(std::int64_t{9007199254740993}), 0U);
  EXPECT_EQ(index.find_value(std::int64_t{9007199254740992}), 1U);
  EXPECT_EQ(index.find_number(9007199254740992.0), 1U);
  EXPECT_EQ(index.find_value(9007199254740992.0), 1U);
  EXPECT_EQ(index.find_value(std::int64_t{9007199254740994}), std::nullopt);
  EXPECT_EQ(index.find("+9007199254740993"), 0U);
  EXPECT_EQ(index.find("9007199254740992.0"), 1U);
  const std::vector<std::string> odd = {"9007199254740993"};
  EXPECT_EQ(ValueIndex(odd).find_number(9007199254740992.0), std::nullopt);
  EXPECT_EQ(ValueIndex(odd).find("9007199254740992.0"), std::nullopt);
  const std::vector<std::string> large = {"1e300", "18446744073709551616"};
  EXPECT_EQ(ValueIndex(large).find_number(1e300), 0U);
  EXPECT_EQ(ValueIndex(large).find_number(0x1p64), 1U);
  EXPECT_EQ(ValueIndex(large).find_number(0x1p65), std::nullopt);
}

TEST(Encoder, NumbersAreClippedAndMappedToTheUnitInterval) {
  Fixture fixture(no_intercept + from_lower + binary_y);
  const auto value = [&](const std::string& text) {
    const Row row = fixture.features({text, "yes"});
    return row.empty() ? 0 : row.at(0);
  };
  EXPECT_EQ(value("1"), 1024);
  EXPECT_EQ(value("3"), 2048);
  EXPECT_EQ(value("-1"), 0);
  EXPECT_EQ(value("1e308"), 2048);
  EXPECT_EQ(value("1e400"), 2048);
  EXPECT_EQ(value("-1e400"), 0);
  EXPECT_EQ(value("-1e308"), 0);
  EXPECT_EQ(value("-0"), 512);
  EXPECT_EQ(value("5e-324"), 512);
  EXPECT_EQ(value("0.999"), 1023);  // (0.999 + 1) / 4 * 2048 = 1023.49: toward zero
}

TEST(Encoder, MissingAndUnreadableNumbersTakeTheFillValue) {
  Fixture filled(no_intercept + from_lower + "fill=1\n" + binary_y);
  Fixture plain(no_intercept + from_lower + binary_y);
  for (const char* text : {"", "NA", "nan", "inf", "-inf", "garbage", "0x1p3"}) {
    EXPECT_EQ(filled.features({text, "yes"}), (Row{{0, 1024}})) << text;
    EXPECT_EQ(plain.features({text, "yes"}), Row{}) << text;
  }
}

TEST(Encoder, LogarithmIsTakenBeforeScaling) {
  Fixture fixture(
      no_intercept +
      "[[column]]\nname='x'\nkind='numeric'\nlower=0\nupper=99999\nlog1p=true\ncentre=false\n" +
      binary_y);
  const auto expected = static_cast<int>(2048 * std::log1p(999.0) / std::log1p(99999.0));
  EXPECT_EQ(fixture.features({"999", "yes"}), (Row{{0, expected}}));
}

TEST(Encoder, NumbersCountFromTheirMiddleUnderTheSecondEncoding) {
  Fixture fixture(no_intercept + "row_scaling='const'\n" + numeric_x + binary_y);
  EXPECT_EQ(fixture.features({"1", "yes"}), Row{});
  EXPECT_EQ(fixture.features({"", "yes"}), Row{});
  EXPECT_EQ(fixture.features({"3", "yes"}), (Row{{0, 2048}}));  // 1.25 over the largest norm, 1.25
  EXPECT_EQ(fixture.features({"-1e300", "yes"}), (Row{{0, -2048}}));
  EXPECT_EQ(fixture.features({"2", "yes"}), (Row{{0, 1024}}));
  Fixture clipped(numeric_x + binary_y);
  EXPECT_EQ(clipped.features({"1", "yes"}), (Row{{1, 2048}}));
  const double norm = std::sqrt(1 + 1.25 * 1.25);
  EXPECT_EQ(clipped.features({"3", "yes"}),
            (Row{{0, static_cast<int>(1.25 * 2048 / norm)}, {1, static_cast<int>(2048 / norm)}}));
}

TEST(Encoder, HatsStandBesideTheirNumber) {
  Fixture fixture(no_intercept + numeric_x + "knots=5\n" + binary_y);
  EXPECT_EQ(fixture.schema().encoded_column_count(), 6);
  EXPECT_EQ(fixture.features({"1", "yes"}), (Row{{3, 1024}}));
  EXPECT_EQ(fixture.features({"1.25", "yes"}), (Row{{0, 320}, {3, 768}, {4, 256}}));
}

TEST(Encoder, CategoriesFollowTheirRules) {
  const std::string column = "[[column]]\nname='c'\nkind='categorical'\ncategories=['a','?','2']\n";
  Fixture zero(no_intercept + "missing=['?']\n" + column + binary_y);
  EXPECT_EQ(zero.features({"a", "yes"}), (Row{{0, 2048}}));
  EXPECT_EQ(zero.features({"?", "yes"}), (Row{{1, 2048}}));  // listed, so not missing
  EXPECT_EQ(zero.features({"2.0", "yes"}), (Row{{2, 2048}}));
  EXPECT_EQ(zero.features({"unheard of", "yes"}), Row{});
  Fixture own(no_intercept + column + "other='column'\n" + binary_y);
  EXPECT_EQ(own.features({"unheard of", "yes"}), (Row{{3, 2048}}));
  EXPECT_EQ(own.features({"", "yes"}), (Row{{3, 2048}}));
}

TEST(Encoder, SignCodingIsOneFeatureOfMinusOneOrOne) {
  Fixture fixture(no_intercept +
                  "[[column]]\nname='s'\nkind='categorical'\ncategories=['m','f']\n"
                  "coding='sign'\n" +
                  binary_y);
  EXPECT_EQ(fixture.features({"m", "yes"}), (Row{{0, -2048}}));
  EXPECT_EQ(fixture.features({"f", "yes"}), (Row{{0, 2048}}));
  EXPECT_EQ(fixture.features({"x", "yes"}), Row{});
}

TEST(Encoder, Clip1ScalesLongRowsOnlyAndCountsTheIntercept) {
  Fixture alone(no_intercept + from_lower + binary_y);
  EXPECT_EQ(alone.features({"1", "yes"}), (Row{{0, 1024}}));
  Fixture with(from_lower + binary_y);
  // (1, 1) has norm sqrt 2: 2048 / sqrt 2 = 1448.15
  EXPECT_EQ(with.features({"3", "yes"}), (Row{{0, 1448}, {1, 1448}}));
  EXPECT_EQ(with.features({"-1", "yes"}), (Row{{1, 2048}}));
}

TEST(Encoder, ConstDividesByTheRootOfTheBlocks) {
  Fixture fixture("row_scaling='const'\n" + from_lower +
                  "[[column]]\nname='c'\nkind='categorical'\ncategories=['a','b']\n" + binary_y);
  const int one = static_cast<int>(2048 / std::sqrt(3.0));
  EXPECT_EQ(fixture.features({"3", "b", "yes"}), (Row{{0, one}, {2, one}, {3, one}}));
  EXPECT_EQ(fixture.features({"-1", "z", "yes"}), (Row{{3, one}}));
}

TEST(Encoder, TextIsTheSetOfItsLowerCasedWordsWithNormOne) {
  Fixture fixture(no_intercept + "[[column]]\nname='t'\nkind='text'\nbits=18\n" + binary_y);
  const Row row = fixture.features({"Win CASH, win now!", "yes"});
  Row expected;
  for (const char* word : {"win", "cash", "now"}) {
    expected[public_bucket(word, 18)] = static_cast<int>(2048 / std::sqrt(3.0));
  }
  EXPECT_EQ(row, expected);
  EXPECT_EQ(fixture.features({"now cash WIN", "yes"}), expected);
  EXPECT_EQ(fixture.features({" .,! ", "yes"}), Row{});
}

TEST(PublicHash, IsFixedForEver) {
  // FNV-1a of "a" is af63dc4c8601ec8c, of "foobar" 85944171f73967e8 (the authors' test vectors);
  // the expected words apply SplitMix64's finaliser to them, computed apart from this code.
  EXPECT_EQ(public_hash("a"), 0x02c0bdbf481420f8U);
  EXPECT_EQ(public_hash("foobar"), 0x404da9e3b74078c2U);
}

TEST(Encoder, HashedCategoriesFallIntoTheirBucket) {
  Fixture fixture(no_intercept + "[[column]]\nname='h'\nkind='hashed'\nbits=10\n" + binary_y);
  EXPECT_EQ(fixture.features({"94110", "yes"}), (Row{{public_bucket("94110", 10), 2048}}));
  EXPECT_EQ(fixture.features({"NA", "yes"}), Row{});
}

TEST(Encoder, BinaryLabelsFollowTheListsAndTheRuleForUnknownOnes) {
  Fixture fixture(numeric_x + binary_y);
  EXPECT_EQ(fixture.label("yes"), 1);
  EXPECT_EQ(fixture.label("1"), 1);
  EXPECT_EQ(fixture.label("+1.0"), 1);
  EXPECT_EQ(fixture.label("no"), -1);
  EXPECT_EQ(fixture.label("Yes"), -1);
  EXPECT_EQ(fixture.label(""), -1);
  Fixture attack(numeric_x +
                 "[target]\ncolumn='y'\npositive='attack'\nnegative='normal.'\n"
                 "unknown='positive'\n");
  EXPECT_EQ(attack.label("smurf."), 1);
  EXPECT_EQ(attack.label("normal."), -1);
}

TEST(Encoder, MultiClassLabelsAreIndices) {
  Fixture fixture(numeric_x + "[target]\ncolumn='y'\nclasses=['0','1','2']\nunknown='2'\n");
  EXPECT_EQ(fixture.label("1"), 1);
  EXPECT_EQ(fixture.label("0.0"), 0);
  EXPECT_EQ(fixture.label("x"), 2);
}

TEST(Encoder, RegressionTargetsAreClippedToMinusOneToOne) {
  Fixture fixture(numeric_x + "[target]\ncolumn='y'\nlower=0\nupper=1000\n");
  EXPECT_EQ(fixture.label("250"), -0.5);
  EXPECT_EQ(fixture.label("-1e308"), -1);
  EXPECT_EQ(fixture.label("1e308"), 1);
  for (const char* text : {"", "nan", "inf", "text"}) EXPECT_EQ(fixture.label(text), 0);
  EXPECT_EQ(fixture.label("1e999"), 1);
  EXPECT_EQ(fixture.label("-1e999"), -1);
}

// [0, 1], never [-1, 1]: the constants of their losses hold there alone.
TEST(Encoder, ProbabilitiesAndCountsAreClippedToTheirShares) {
  Fixture count(numeric_x + "[target]\ncolumn='y'\nkind='count'\nupper=40\n");
  EXPECT_EQ(count.label("10"), 0.25);
  EXPECT_EQ(count.label("-7"), 0);
  EXPECT_EQ(count.label("1e308"), 1);
  Fixture share(numeric_x + "[target]\ncolumn='y'\nkind='probability'\n");
  EXPECT_EQ(share.label("0.125"), 0.125);
  EXPECT_EQ(share.label("-1"), 0);
  EXPECT_EQ(share.label("7"), 1);
  for (const char* text : {"", "nan", "inf", "text"}) {
    EXPECT_EQ(count.label(text), 0);
    EXPECT_EQ(share.label(text), 0);
  }
}

TEST(Encoder, MatchesColumnsByNameInAnyOrderAndIgnoresOthers) {
  const Schema schema = schema_from_toml(no_intercept + from_lower + binary_y, "s.toml");
  const std::vector<std::string> names = {"other", "y", "x"};
  Encoder encoder(schema, names, TargetUse::required, "t.csv");
  const std::vector<std::string_view> fields = {"77", "yes", "1"};
  EncodedRow row;
  encoder.encode(fields, row);
  EXPECT_EQ(row.values, std::vector<std::int16_t>{1024});
  EXPECT_EQ(row.label, 1);
}

TEST(Encoder, PredictionNeedsNoTarget) {
  const Schema schema = schema_from_toml(numeric_x + binary_y, "s.toml");
  const std::vector<std::string> names = {"x"};
  EXPECT_NO_THROW(Encoder(schema, names, TargetUse::absent, "t.csv"));
  EXPECT_THROW(Encoder(schema, names, TargetUse::required, "t.csv"), base::DataError);
}

TEST(Encoder, NamesAbsentAndAmbiguousColumns) {
  const Schema schema =
      schema_from_toml("[[column]]\nname='weight'\nkind='numeric'\nlower=0\nupper=1\n", "s.toml");
  const auto error = [&](const std::vector<std::string>& names,
                         std::string_view file = "t.csv") -> std::string {
    try {
      Encoder(schema, names, TargetUse::absent, file);
    } catch (const base::DataError& fault) {
      return fault.what();
    }
    return "no error";
  };
  EXPECT_EQ(
      error({"a", "wieght"}),
      "t.csv:1: the schema's column 'weight' is not in the first line; a file without a header "
      "needs `header = false` and `names` under [format]");
  EXPECT_EQ(error({"weight", "weight"}), "t.csv:1: column 'weight' appears twice");
  EXPECT_EQ(error({"weight", "weight"}, ""), "the table: column 'weight' appears twice");
  EXPECT_EQ(
      error({"Weight"}, ""),
      "the table: no column has the name 'weight', which the schema reads; names are compared "
      "exactly");
}

TEST(Encoder, NumbersUnitsByFirstAppearance) {
  Fixture fixture("unit='u'\n" + numeric_x + binary_y);
  EXPECT_EQ(fixture.encode({"1", "yes", "ann"}).unit, 0);
}

/// Norms of rows made from hostile texts, at every scaling; the bound is exact in integers.
TEST(Encoder, NoTextEverExceedsTheNormBound) {
  const std::vector<std::string> hostile = {"0",      "1",
                                            "-1",     "1e308",
                                            "-1e308", "1e-308",
                                            "5e-324", "nan",
                                            "-nan",   "inf",
                                            "1e999",  "-0",
                                            "0.1",    "3",
                                            "2.9999", "0.33333",
                                            "",       "\xff\xfe",
                                            "?",      "a",
                                            "b",      "1e5",
                                            "1e-5",   "0x1p9",
                                            "2.5",    "1.7976931348623157e308"};
  for (const std::string settings :
       {"row_scaling='clip1'\n", "row_scaling='const'\n", "intercept=false\n",
        "intercept=false\nrow_scaling='const'\n", "constant=0.7\n"}) {
    const std::vector<std::string> keys{"", "typical=1e299\n", "knots=5\n",
                                        "mean=-0.9\nstandard_deviation=0.02\n",
                                        "centre=false\nknots=2\n"};
    std::string toml = settings;
    for (int k = 0; k < 5; ++k) {
      toml += "[[column]]\nname='n" + std::to_string(k) +
              "'\nkind='numeric'\nlower=-1e300\nupper=" + (k < 2 ? "1e300" : "3") + "\n" +
              keys[static_cast<std::size_t>(k)];
    }
    toml += "[[column]]\nname='c'\nkind='categorical'\ncategories=['a','b']\nother='column'\n";
    toml += "[[column]]\nname='t'\nkind='text'\nbits=4\n";
    Fixture fixture(toml, TargetUse::absent);
    std::uint64_t state = 99;
    for (int trial = 0; trial < 5000; ++trial) {
      std::vector<std::string> fields;
      for (int k = 0; k < 7; ++k) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        fields.push_back(hostile[(state >> 33) % hostile.size()]);
      }
      const EncodedRow row = fixture.encode(fields);
      std::int64_t squared = 0;
      for (const std::int16_t value : row.values) squared += std::int64_t{value} * value;
      ASSERT_LE(squared, 2048 * 2048);
    }
  }
}

/// Rounding may put a row a hair above its bound before truncation; the integer check must hold for
/// rows whose exact norm is 1, where every product sits next to an integer.
TEST(RowScaler, CertifiesRowsWhoseScaledValuesAreWholeNumbers) {
  Schema schema;
  schema.intercept = false;
  for (int k = 0; k < 4; ++k) {
    schema.columns.push_back(
        {.name = std::string(1, static_cast<char>('a' + k)), .rule = NumericColumn{}});
  }
  const RowScaler scaler(schema);
  const std::vector<std::uint32_t> columns = {0, 1, 2, 3};
  for (int a = 1; a < 60; ++a) {
    for (int b = 1; b < 60; ++b) {
      const double scale = 1.0 / 64;
      const std::vector<double> values = {a * scale, b * scale, (64 - a) * scale, (64 - b) * scale};
      EncodedRow row;
      scaler.scale(columns, values, row);
      std::int64_t squared = 0;
      for (const std::int16_t value : row.values) squared += std::int64_t{value} * value;
      ASSERT_LE(squared, 2048 * 2048);
    }
  }
}

// A row is a function of its own record: others before it change nothing.
TEST(Encoder, NeighboursStayNeighbours) {
  const std::string toml = numeric_x + "[[column]]\nname='t'\nkind='text'\nbits=6\n" + binary_y;
  Fixture alone(toml);
  Fixture after_others(toml);
  for (const char* text : {"1e308", "nan", "x", "2"}) {
    after_others.encode({text, "many other words here", "no"});
  }
  const EncodedRow expected = alone.encode({"2", "some words", "yes"});
  const EncodedRow found = after_others.encode({"2", "some words", "yes"});
  EXPECT_EQ(found.columns, expected.columns);
  EXPECT_EQ(found.values, expected.values);
  EXPECT_EQ(found.label, expected.label);
}

}  // namespace encoder_test
}  // namespace tacet::data
