#include "tacet/data/read/read_column.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tacet/base/error.h"
#include "tests/support/opened.h"

namespace tacet::data {
namespace read_column_test {

constexpr const char* schema_text = R"(
name = "people"
[target]
column = "income"
lower = 0
upper = 200
[[column]]
name = "age"
kind = "numeric"
lower = 10
upper = 100
fill = 30
[[column]]
name = "town"
kind = "categorical"
categories = ["Bern", "Basel"]
)";

Schema schema() { return schema_from_toml(schema_text, "schema"); }

class ColumnFile {
 public:
  explicit ColumnFile(const char* text)
      : path_(std::filesystem::path(testing::TempDir()) / "read_column_test.csv") {
    std::ofstream(path_) << text;
  }
  ~ColumnFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(NumericBounds, ComeFromColumnsAndTargets) {
  EXPECT_EQ(numeric_bounds(schema(), "age").lower, 10);
  EXPECT_EQ(numeric_bounds(schema(), "income").upper, 200);
  EXPECT_THROW((void)numeric_bounds(schema(), "town"), base::UsageError);
  EXPECT_THROW((void)numeric_bounds(schema(), "height"), base::UsageError);
}

TEST(ReadNumericColumn, NeedsTheColumnOnceAndNoUnits) {
  const ColumnFile twice("age,age\n1,2\n");
  EXPECT_THROW((void)read_numeric_column(twice.path(), schema(), "age"), base::DataError);
  EXPECT_THROW((void)read_numeric_column(twice.path(), schema(), "income"), base::DataError);
  auto with_units = schema();
  with_units.unit = "person";
  EXPECT_THROW((void)read_numeric_column(twice.path(), with_units, "age"), base::UsageError);
  EXPECT_THROW((void)read_numeric_column("no_such_file.csv", schema(), "age"), base::IoError);
}

TEST(ReadNumericColumn, ReadsWhatIsMissingAsTheSchemaSays) {
  const ColumnFile file("town,age,income\nBern,41,100\nBasel,,NA\nBasel,old,1e3\n");
  const auto ages = read_numeric_column(file.path(), schema(), "age");
  const auto incomes = read_numeric_column(file.path(), schema(), "income");
  EXPECT_EQ(test::opened(ages), (std::vector<double>{41, 30, 30}));
  EXPECT_EQ(test::opened(incomes), (std::vector<double>{100, 100, 1000}));
}

}  // namespace read_column_test
}  // namespace tacet::data
