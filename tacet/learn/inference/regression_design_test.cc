#include "tacet/learn/inference/regression_design.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <optional>

#include "tacet/base/error.h"
#include "tacet/data/encode/encoder.h"

namespace tacet::learn {
namespace regression_design_test {

constexpr auto columns = R"(
[[column]]
name = "age"
kind = "numeric"
lower = 20
upper = 80

[[column]]
name = "sex"
kind = "categorical"
categories = ["f", "m"]

[[column]]
name = "ward"
kind = "categorical"
categories = ["1", "2", "3"]
other = "column"
)";

data::Schema schema_with(std::string_view target, std::string_view more = columns) {
  return data::schema_from_toml(std::string(target) + std::string(more), "s.toml");
}

constexpr auto pressure = R"(
[target]
column = "y"
lower = 100
upper = 200
)";
constexpr auto died = R"(
[target]
column = "y"
positive = "yes"
negative = "no"
)";

/// The design row of a record in original units, by the map that the table is made with; nothing
/// for a record that lacks a value.
std::optional<Eigen::VectorXd> row_of(const RegressionDesign& design,
                                      std::vector<std::string> names,
                                      const std::vector<std::string_view>& fields) {
  data::Encoder encoder(design.reading, names, data::TargetUse::required, "t.csv");
  data::EncodedRow encoded;
  encoder.encode(std::span<const std::string_view>(fields), encoded);
  data::Dataset records(design.reading.shape());
  records.append(encoded);
  optimize::DesignRows rows(records, design.design);
  std::vector<std::int16_t> row(design.design.columns.size());
  if (!rows.read(0, row)) return std::nullopt;
  Eigen::VectorXd x(design.columns());
  for (std::size_t k = 0; k < row.size(); ++k) x[static_cast<Eigen::Index>(k)] = row[k] / 2048.0;
  return design.originals.partialPivLu().solve(x).eval();
}

// x of the encoded columns is what the map makes of the original ones, for every column of R's
// model.matrix.
TEST(RegressionDesign, ColumnsAreThoseOfRInOriginalUnits) {
  const auto design = regression_design(schema_with(pressure), "age*sex + ward");
  EXPECT_EQ(design.names, (std::vector<std::string>{"(intercept)", "age", "sex=m", "age:sex=m",
                                                    "ward=2", "ward=3", "ward=other"}));
  EXPECT_EQ(design.references, (std::vector<std::string>{"sex=f", "ward=1"}));
  const auto row = row_of(design, {"age", "sex", "ward", "y"}, {"50", "m", "3", "120"});
  ASSERT_TRUE(row);
  const Eigen::VectorXd expected = (Eigen::VectorXd(7) << 1, 50, 1, 50, 0, 1, 0).finished();
  EXPECT_LT((*row - expected).norm(), .05);
  const auto other = row_of(design, {"y", "sex", "ward", "age"}, {"120", "f", "?", "95"});
  ASSERT_TRUE(other);
  const Eigen::VectorXd clipped = (Eigen::VectorXd(7) << 1, 80, 0, 0, 0, 0, 1).finished();
  EXPECT_LT((*other - clipped).norm(), .05);
  EXPECT_EQ(design.mean, optimize::MeanModel::identity);
  EXPECT_EQ(design.label_scale, 50);
  EXPECT_EQ(design.label_offset, 150);
}

TEST(RegressionDesign, WithoutTermsItHasAllColumnsAndTheSchemasInteractions) {
  const auto schema = schema_with("interactions = [[\"sex\", \"ward\"]]\n" + std::string(died));
  const auto design = regression_design(schema);
  EXPECT_EQ(design.names.size(), 1 + 1 + 1 + 3 + 3);
  EXPECT_EQ(design.names.back(), "sex=m:ward=other");
  EXPECT_EQ(design.mean, optimize::MeanModel::logistic);
}

// Whatever the terms are: also where no category tells that a dropped record has no feature.
// The whole formula as R has it, and `.` for all columns.
TEST(RegressionDesign, AFormulaMayNameTheTarget) {
  const auto schema = schema_with(pressure);
  const auto terms_of = [&](std::string_view text) {
    return regression_design(schema, text).terms;
  };
  EXPECT_EQ(terms_of("y ~ age*sex"), "age + sex + age:sex");
  EXPECT_EQ(terms_of("~ age\n  + sex"), "age + sex");
  EXPECT_EQ(terms_of("y ~ . + sex:age"), terms_of("y ~ .") + " + sex:age");
  EXPECT_EQ(terms_of("`y`~sex"), "sex");
  EXPECT_EQ(terms_of("y ~ ."), "age + sex + ward");
  EXPECT_EQ(terms_of("."), "age + sex + ward");
  EXPECT_EQ(regression_design(schema, "y ~ 1").names, std::vector<std::string>{"(intercept)"});
  for (const auto* text : {"age ~ sex", "y ~", "y ~ sex ~ age"}) {
    EXPECT_THROW(static_cast<void>(terms_of(text)), base::UsageError) << text;
  }
}

TEST(RegressionDesign, ARecordWithoutATargetHasNoRowWhateverTheTerms) {
  for (const auto* missing : {"", "missing_target = \"bounds\"\n"}) {
    const auto schema = schema_with(std::string(pressure) + missing);
    const auto design = regression_design(schema, "age");
    EXPECT_TRUE(row_of(design, {"age", "y"}, {"50", "120"}));
    EXPECT_FALSE(row_of(design, {"age", "y"}, {"50", ""}));
    EXPECT_FALSE(row_of(design, {"age", "y"}, {"50", "high"}));
  }
}

// The target is read twice, both times as the schema spells it.
TEST(RegressionDesign, ATargetIsThereAsItsSpellingHasIt) {
  const auto numbers = regression_design(
      schema_with(std::string(pressure) + "decimal = \",\"\nmissing = [\"999\"]\n"), "age");
  EXPECT_TRUE(row_of(numbers, {"age", "y"}, {"50", "120,5"}));
  EXPECT_FALSE(row_of(numbers, {"age", "y"}, {"50", "120.5"}));
  EXPECT_FALSE(row_of(numbers, {"age", "y"}, {"50", "999"}));
  const auto open = regression_design(
      schema_with("[target]\ncolumn = \"y\"\npositive = \"yes\"\nmissing = [\"?\"]\n"), "age");
  EXPECT_TRUE(row_of(open, {"age", "y"}, {"50", "no"}));
  EXPECT_FALSE(row_of(open, {"age", "y"}, {"50", "?"}));
}

// Complete cases: only of the terms' columns and of the target, and by what the schema calls
// missing.
TEST(RegressionDesign, ARecordThatLacksAValueOfATermOrOfTheTargetHasNoRow) {
  const std::vector<std::string> names{"age", "sex", "ward", "y"};
  for (const auto* target : {pressure, died}) {
    const auto design = regression_design(schema_with(target), "age + sex");
    const std::string_view y = target == died ? "no" : "120";
    EXPECT_TRUE(row_of(design, names, {"50", "m", "NA", y}));
    EXPECT_TRUE(row_of(design, names, {"20", "f", "", y}));
    EXPECT_FALSE(row_of(design, names, {"NA", "m", "1", y}));
    EXPECT_FALSE(row_of(design, names, {"old", "m", "1", y}));
    EXPECT_FALSE(row_of(design, names, {"50", "x", "1", y}));
    EXPECT_FALSE(row_of(design, names, {"50", "", "1", y}));
    EXPECT_FALSE(row_of(design, names, {"50", "m", "1", ""}));
    EXPECT_FALSE(row_of(design, names, {"50", "m", "1", "perhaps"}));
  }
  // Without a list of the second class every value is one of it, but a missing one.
  const auto open =
      regression_design(schema_with("[target]\ncolumn = \"y\"\npositive = \"yes\"\n"), "age");
  EXPECT_TRUE(row_of(open, names, {"50", "m", "1", "perhaps"}));
  EXPECT_FALSE(row_of(open, names, {"50", "m", "1", "NA"}));
}

TEST(RegressionDesign, AnIndicatorOrALevelOfTheSchemaKeepsTheRecord) {
  const auto design = regression_design(schema_with(pressure, R"(
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 1
missing_indicator = true
)"));
  EXPECT_EQ(design.names, (std::vector<std::string>{"(intercept)", "age", "age missing"}));
  const auto row = row_of(design, {"age", "y"}, {"", "120"});
  ASSERT_TRUE(row);
  EXPECT_NEAR((*row)[2], 1, 1.0 / 2048);
}

TEST(RegressionDesign, TheReferenceIsTheOneOfTheSchema) {
  const auto of = [](std::string_view more) {
    return regression_design(schema_with(died,
                                         "[[column]]\nname = \"sex\"\nkind = \"categorical\"\n"
                                         "categories = [\"f\", \"m\"]\n" +
                                             std::string(more)));
  };
  EXPECT_EQ(of("reference = \"m\"\n").names[1], "sex=f");
  EXPECT_EQ(of("").names[1], "sex=m");
  for (const auto* more : {"coding = \"sign\"\n", "coding = \"sign\"\nreference = \"m\"\n"}) {
    const auto design = of(more);
    for (const auto& [value, level] : {std::pair{"f", "sex=f"}, std::pair{"m", "sex=m"}}) {
      const auto row = row_of(design, {"sex", "y"}, {value, "yes"});
      ASSERT_TRUE(row);
      // A row at the bound of its norm is a unit of the grid shorter.
      EXPECT_NEAR((*row)[1], design.names[1] == level ? 1 : 0, 1.0 / 2048);
    }
    EXPECT_FALSE(row_of(design, {"sex", "y"}, {"x", "yes"}));
  }
}

std::string error_of(const data::Schema& schema, std::string_view terms) {
  try {
    static_cast<void>(regression_design(schema, terms));
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(RegressionDesign, RefusesWhatHasNoTable) {
  const auto schema = schema_with(pressure);
  EXPECT_EQ(error_of(schema, "agee"),
            "terms: the schema reads no column 'agee'; did you mean 'age'?");
  // Also of categories: R has one column more for each part that is missing.
  for (const auto& [terms, product] :
       {std::pair{"age:sex", "age:sex"}, std::pair{"sex:ward", "sex:ward"},
        std::pair{"ward + ward:age", "ward:age"},
        std::pair{"age + sex + ward + age:sex:ward", "age:sex:ward"}}) {
    EXPECT_EQ(
        error_of(schema, terms),
        fmt::format(
            "terms: the product {} needs the terms of its parts beside it, as in 'a + b + a:b' "
            "or 'a*b'; without them its coefficient would depend on the zero point of numbers and "
            "on the reference category",
            product));
  }
  EXPECT_EQ(error_of(schema, "age + y"), "terms: 'y' is the target and cannot be a term");
  // A column that is not there comes before the rule of products.
  EXPECT_EQ(error_of(schema, "age:y"), "terms: 'y' is the target and cannot be a term");
  EXPECT_EQ(error_of(schema, "age:Ward"),
            "terms: the schema reads no column 'Ward'; did you mean 'ward'?");
  EXPECT_NE(error_of(schema, "2*age").find("the number 2 is no term"), std::string::npos);
  EXPECT_NE(error_of(schema, ".:age").find("'.' stands for all columns"), std::string::npos);
  EXPECT_EQ(error_of(schema, "age ~ sex"),
            "terms: 'age' stands before '~', and the schema's target is 'y'; for another target "
            "write another schema");
  EXPECT_NE(error_of(schema, "log(y) ~ sex").find("the logarithm of a target"), std::string::npos);
  EXPECT_EQ(error_of(schema, "y ~ age - sex").substr(0, 21), "terms, character 9: n");
  EXPECT_EQ(error_of(schema_with("[target]\ncolumn=\"y\"\nkind=\"probability\"\n"), ""),
            "method inference takes a target of two classes, a number or a count; this target is "
            "a probability");
  EXPECT_NE(error_of(schema_with("[target]\ncolumn=\"y\"\nclasses=[\"a\",\"b\",\"c\"]\n"), "")
                .find("several classes"),
            std::string::npos);
  EXPECT_NE(error_of(schema_with("intercept = false\n" + std::string(died)), "").find("intercept"),
            std::string::npos);
  auto narrowed = schema;
  narrowed.selected_columns = std::vector<std::uint32_t>{};
  EXPECT_NE(error_of(narrowed, "age").find("selected columns"), std::string::npos);
  narrowed = schema;
  narrowed.projection = data::Projection{};
  EXPECT_NE(error_of(narrowed, "age").find("projection"), std::string::npos);
  const auto hashed = schema_with(died, "[[column]]\nname=\"zip\"\nkind=\"hashed\"\nbits=4\n");
  EXPECT_NE(error_of(hashed, "").find("'zip' is neither numeric nor categorical"),
            std::string::npos);
  const auto knots =
      schema_with(died, "[[column]]\nname=\"a\"\nkind=\"numeric\"\nlower=0\nupper=9\nknots=4\n");
  EXPECT_NE(error_of(knots, "").find("column 'a' has knots"), std::string::npos);
}

// 60^4 products would take more memory than there is, before anything says that it is too much.
TEST(RegressionDesign, ManyProductsAreRefusedBeforeTheyAreMade) {
  std::string levels;
  for (int k = 0; k < 60; ++k) levels += fmt::format("{}\"{}\"", k > 0 ? "," : "", k);
  const auto schema = schema_with(
      died, "[[column]]\nnames=[\"a\",\"b\",\"c\",\"d\"]\nkind=\"categorical\"\ncategories=[" +
                levels + "]\n");
  EXPECT_EQ(
      error_of(schema, "a*b*c*d"),
      "terms: a table has at most 4096 coefficients; a:c with what stands before it has more");
}

// Lines of a table are told apart by their names: else a fit would be paid for that no file can
// hold, or a contrast would mean either.
TEST(RegressionDesign, LinesWithOneNameAreRefusedBeforeTheFit) {
  const std::string number = "kind=\"numeric\"\nlower=0\nupper=1\n";
  for (const std::string name :
       {"(intercept)", "ward=2", "ward=1", "log1p(a)", "a missing", "c=other"}) {
    const auto schema = schema_with(
        died, std::string(columns) + "[[column]]\nname=\"" + name + "\"\n" + number +
                  "[[column]]\nname=\"a\"\nkind=\"numeric\"\nlower=0\nupper=9\nlog1p=true\n"
                  "missing_indicator=true\n[[column]]\nname=\"c\"\nkind=\"categorical\"\n"
                  "categories=[\"x\"]\nother=\"column\"\n");
    EXPECT_NE(error_of(schema, "").find("two lines of the table would be called '" + name + "'"),
              std::string::npos)
        << name;
  }
  const auto product =
      schema_with(died, std::string(columns) + "[[column]]\nname=\"age:sex=m\"\n" + number);
  EXPECT_EQ(error_of(product, "age + sex + `age:sex=m`"), "none");
  EXPECT_NE(error_of(product, "age * sex + `age:sex=m`").find("would be called 'age:sex=m'"),
            std::string::npos);
}

}  // namespace regression_design_test
}  // namespace tacet::learn
