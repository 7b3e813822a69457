#include "tacet/model/export/c_export.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/threads.h"
#include "tacet/data/encode/curve_directions.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/uniform_encoder.h"

namespace tacet::model {
namespace c_export_test {

/// A number of 0 to below `count` from a sequence that is the same everywhere.
class Draws {
 public:
  std::uint64_t below(std::uint64_t count) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % count;
  }
  double real(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(below(1U << 30)) / (1U << 30);
  }

 private:
  std::uint64_t state_ = 7;
};

bool succeeds(const std::string& command) {
  return std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
}

/// A model's C, compiled and loaded; a record is a list of words of 8 bytes, as its structure is.
class Compiled {
 public:
  explicit Compiled(const std::string& source, const std::string& compiler = "cc") {
    folder_ = std::filesystem::temp_directory_path() / ("tacet_c_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    base::write_file(folder_ / "model.c", source, base::Overwrite::allow);
    const auto command =
        compiler + " -std=c99 -Wall -Wextra -Werror -pedantic -O1 -shared -fPIC -o " +
        (folder_ / "model.so").string() + " " + (folder_ / "model.c").string() + " -lm";
    compiles = succeeds(command);
    if (compiles) library_ = dlopen((folder_ / "model.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~Compiled() {
    if (library_ != nullptr) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  void margins(const std::vector<std::uint64_t>& record, std::vector<double>& out) const {
    using Margins = void (*)(const void*, double*);
    reinterpret_cast<Margins>(dlsym(library_, "tacet_margins"))(record.data(), out.data());
  }
  [[nodiscard]] bool has(const char* symbol) const { return dlsym(library_, symbol) != nullptr; }

  bool compiles = false;

 private:
  std::filesystem::path folder_;
  void* library_ = nullptr;
};

ModelFile model_of(data::Schema schema, const Loss& loss) {
  Draws draws;
  ModelFile file;
  file.model = empty_model(schema, loss);
  for (auto& value : file.model.coefficients) value = draws.real(-3, 3);
  file.schema = std::move(schema);
  file.receipt.algorithm = "gradient";
  file.receipt.calibration = "tight";
  file.receipt.software_version = "0.0.0";
  file.receipt.unprotected_reason = "a test */ \"of\" ?\?/ what C reads";
  return file;
}

data::Schema named_schema() {
  data::Schema schema;
  schema.missing = {"", "NA", "-999"};
  schema.columns = {
      {"age", data::NumericColumn{.lower = 17, .upper = 90}},
      {"int", data::NumericColumn{.lower = 0, .upper = 9999, .log1p = true, .fill = 12.0}},
      {"curve", data::NumericColumn{.lower = -3, .upper = 5, .knots = 7}},
      {"column_6",
       data::NumericColumn{.lower = 0, .upper = 100, .missing_indicator = true, .bins = 10}},
      {"Stunde \xc3\xbc", data::NumericColumn{.lower = 0, .upper = 24, .period = 24}},
      {"a*/b",
       data::NumericColumn{.lower = 0, .upper = 1, .edges = {0.25, 0.5}, .bins_only = true}},
      {"day", data::NumericColumn{.lower = 15000, .upper = 16000, .fill = 15100.5, .date = true}},
      {"town", data::CategoricalColumn{.categories = {"Bern", "?\?/", "NA", "quo\"te\\"},
                                       .other = data::OtherRule::column}},
      {"code", data::CategoricalColumn{.categories = {"1", "2.50", "-0", "1e3"},
                                       .scales = {1.5, 0.5, 2, 1.25}}},
      {"sex", data::CategoricalColumn{.categories = {"m", "f"}, .coding = data::Coding::sign}},
      {"zip", data::HashedColumn{.bits = 5}},
      {"both", data::CrossedColumn{.names = {"town", "zip"}, .bits = 4}}};
  std::get<data::NumericColumn>(schema.columns[0].rule).standard = data::Standard{0.25, 0.6};
  schema.interactions = {{"town", "code"}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  return schema;
}

const std::vector<const char*> texts{"Bern", "?\?/",  "NA",   "quo\"te\\", "1",    "1.0", " 2.5 ",
                                     "+1e0", "0",     "-0.0", "1000",      "1e3",  "m",   "f",
                                     "8001", nullptr, "",     "01",        "1e",   "2,5", "--1",
                                     ".1e1", "10e2",  "1 0",  "250e-2",    "Bern "};

/// One record for both: `names` are the columns, in the order of the structure.
struct Drawn {
  std::vector<data::Value> values;
  std::vector<std::uint64_t> words;
};

Drawn draw(const data::Schema& schema, Draws& draws) {
  Drawn out;
  for (const auto& name : schema.feature_columns()) {
    const data::NumericColumn* rule = nullptr;
    for (const auto& column : schema.columns) {
      if (column.name == name) rule = std::get_if<data::NumericColumn>(&column.rule);
    }
    if (rule == nullptr) {
      const char* text = texts[draws.below(texts.size())];
      out.values.emplace_back(text == nullptr ? data::Value(data::Missing{})
                                              : data::Value(std::string_view(text)));
      out.words.push_back(reinterpret_cast<std::uint64_t>(text));
      continue;
    }
    const double width = rule->upper - rule->lower;
    double value = draws.real(rule->lower - width / 4, rule->upper + width / 4);
    const auto kind = draws.below(12);
    if (kind < 4 || rule->date) value = std::round(value);
    if (kind == 4) value = rule->lower;
    if (kind == 5) value = rule->upper;
    if (kind == 6 && !rule->date) value = -999;
    const bool missing = kind == 7;
    if (missing) value = std::numeric_limits<double>::quiet_NaN();
    if (kind == 8 && !rule->date) value = std::numeric_limits<double>::infinity();
    if (rule->date) {
      out.values.push_back(missing ? data::Value(data::Missing{})
                                   : data::Value(data::Day{static_cast<std::int64_t>(value)}));
    } else {
      out.values.emplace_back(value);
    }
    out.words.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return out;
}

std::vector<double> program_margins(const ModelFile& file, const data::EncodedRow& row) {
  auto shape = file.schema.shape();
  shape.labels = data::LabelDomain::none();
  data::Dataset one(shape);
  one.append(row);
  std::vector<double> out(static_cast<std::size_t>(file.model.output_count()));
  margins(file.model, one, 0, out);
  return out;
}

void expect_equal_margins(const ModelFile& file, int records = 20000,
                          const std::string& compiler = "cc") {
  const Compiled compiled(internal::c_export(file), compiler);
  ASSERT_TRUE(compiled.compiles);
  const auto names = file.schema.feature_columns();
  data::Encoder encoder(file.schema, names, data::TargetUse::absent, "test");
  data::EncodedRow row;
  Draws draws;
  std::vector<double> found(static_cast<std::size_t>(file.model.output_count()));
  for (int k = 0; k < records; ++k) {
    const auto drawn = draw(file.schema, draws);
    encoder.encode(drawn.values, row);
    compiled.margins(drawn.words, found);
    const auto wanted = program_margins(file, row);
    for (std::int64_t output = 0; output < file.model.output_count(); ++output) {
      const double expected = wanted[static_cast<std::size_t>(output)];
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found[static_cast<std::size_t>(output)]),
                std::bit_cast<std::uint64_t>(expected))
          << "record " << k << ": " << found[static_cast<std::size_t>(output)] << " instead of "
          << expected;
    }
  }
}

TEST(CExport, MarginsAreTheProgramsBitForBit) {
  expect_equal_margins(model_of(named_schema(), LogisticLoss{}));
}

TEST(CExport, MarginsOfEqualScalingWithoutInterceptAreToo) {
  auto schema = named_schema();
  schema.row_scaling = data::RowScaling::constant_root;
  schema.intercept = false;
  expect_equal_margins(model_of(std::move(schema), LogisticLoss{}));
}

TEST(CExport, MarginsOfThreeClassesAndOfNumbersAreToo) {
  auto schema = named_schema();
  schema.target = {"y", data::MultiClassTarget{{"a", "b", "c"}}};
  expect_equal_margins(model_of(schema, LogisticLoss{}));
  expect_equal_margins(model_of(schema, SoftmaxLoss{}));
  schema.target = {"y", data::RegressionTarget{10, 90}};
  expect_equal_margins(model_of(std::move(schema), SquaredLoss{}));
}

/// Numbers, with or without categories, and what training adds, here invented.
data::Schema curved_schema(bool categories) {
  data::Schema schema;
  schema.missing = {"", "-999"};
  schema.columns = {
      {"age", data::NumericColumn{.lower = 17, .upper = 90, .missing_indicator = categories}},
      {"gain", data::NumericColumn{.lower = 0, .upper = 9999, .log1p = true}},
      {"day", data::NumericColumn{.lower = 15000, .upper = 16000, .date = true}}};
  if (categories) {
    schema.columns.push_back({"town", data::CategoricalColumn{.categories = {"Bern", "NA", "1"},
                                                              .other = data::OtherRule::column}});
    schema.columns.push_back({"width", data::NumericColumn{.lower = -1, .upper = 1}});
    schema.columns.push_back(
        {"sex", data::CategoricalColumn{.categories = {"m", "f"}, .coding = data::Coding::sign}});
  }
  for (auto& column : schema.columns) {
    auto* rule = std::get_if<data::NumericColumn>(&column.rule);
    if (rule != nullptr) rule->standard = data::Standard{.mean = 0.1, .stddev = 0.3};
  }
  schema.target = {"y", data::RegressionTarget{10, 90}};
  schema.curves.emplace();
  auto& curves = *schema.curves;
  curves.share = 0.4;
  curves.directions = 40;
  curves.frequencies = 61;
  curves.target = {.mean = -0.25, .stddev = 0.5};
  Draws draws;
  const auto shape = data::curve_shape(schema);
  for (std::int64_t k = 0; k < shape.numbers * shape.numbers; ++k) {
    curves.whitening.push_back(draws.real(-1, 1));
  }
  base::ThreadPool threads(1);
  curves = data::with_directions(curves, shape, threads);
  schema.constant = std::sqrt(data::curve_scales(shape, curves.share).constant);
  return schema;
}

TEST(CExport, MarginsOfPrincipalCurvesAreToo) {
  for (const bool categories : {false, true}) {
    expect_equal_margins(model_of(curved_schema(categories), SquaredLoss{}));
  }
}

TEST(CExport, CurvesWithoutADirectionAreTheirLine) {
  auto schema = curved_schema(true);
  auto& curves = *schema.curves;
  curves.directions = 0;
  curves.weights.clear();
  curves.lines.clear();
  expect_equal_margins(model_of(std::move(schema), SquaredLoss{}));
}

/// Of every kind of column that C holds.
ModelFile wide_model(WideArchitecture architecture, data::Schema schema, const Loss& loss) {
  ModelFile file;
  Draws draws;
  file.model = described_model(schema, loss);
  const auto shape = wide_shape(schema, architecture, loss);
  std::vector<float> numbers;
  for (std::int64_t k = 0; k < wide_number_count(shape); ++k) {
    numbers.push_back(static_cast<float>(draws.real(-1, 1)));
  }
  file.model.wide.emplace(std::move(architecture), schema, loss, std::move(numbers));
  file.schema = std::move(schema);
  file.receipt.algorithm = "wide";
  file.receipt.calibration = "tight";
  file.receipt.software_version = "0.0.0";
  file.receipt.unprotected_reason = "a test";
  return file;
}

TEST(CExport, MarginsOfWideModelsAreToo) {
  auto schema = named_schema();
  schema.columns[7].embedding = 3;
  expect_equal_margins(wide_model({}, schema, LogisticLoss{}));
  expect_equal_margins(wide_model({.hidden = {}}, schema, LogisticLoss{}));
  expect_equal_margins(
      wide_model({.hidden = {40, 7}, .pooling = Pooling::mean, .linear = LinearPart::absent},
                 schema, LogisticLoss{}));
  schema.target = {"y", data::MultiClassTarget{{"a", "b", "c"}}};
  expect_equal_margins(wide_model({}, schema, SoftmaxLoss{}));
}

TEST(CExport, MarginsOfTwoTowersAreToo) {
  data::Schema schema;
  schema.columns = {{"town", data::CategoricalColumn{.categories = {"Bern", "NA", "1"}}},
                    {"x", data::NumericColumn{.lower = 0, .upper = 9}},
                    {"zip", data::HashedColumn{.bits = 5}},
                    {"code", data::HashedColumn{.bits = 3}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  expect_equal_margins(
      wide_model({.head = WideHead::two_tower, .left = {"town"}, .right = {"x", "zip", "code"}},
                 schema, LogisticLoss{}));
}

TEST(CExport, UniformFeaturesAreAnArray) {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = 9, .lower = -1, .upper = 2};
  schema.target = {"", data::BinaryTarget{{"1"}, {"0"}}};
  const auto file = model_of(std::move(schema), LogisticLoss{});
  const Compiled compiled(internal::c_export(file));
  ASSERT_TRUE(compiled.compiles);
  data::UniformEncoder encoder(file.schema);
  data::EncodedRow row;
  Draws draws;
  const std::vector<std::uint32_t> columns{0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> values(9);
  std::vector<std::uint64_t> words(9);
  std::vector<double> found(1);
  for (int k = 0; k < 2000; ++k) {
    for (auto& value : values) value = draws.below(3) == 0 ? 0 : draws.real(-3, 3);
    for (std::size_t i = 0; i < 9; ++i) words[i] = std::bit_cast<std::uint64_t>(values[i]);
    encoder.encode(columns, values, row);
    compiled.margins(words, found);
    ASSERT_EQ(found[0], margin(file.model.output(0), data::SparseRow{row.columns, row.values}));
  }
}

TEST(CExport, AnUnprotectedModelHasASymbolThatSaysSo) {
  data::Schema schema;
  schema.columns = {{"age", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  auto file = model_of(std::move(schema), LogisticLoss{});
  const Compiled compiled(internal::c_export(file));
  ASSERT_TRUE(compiled.compiles);
  EXPECT_TRUE(compiled.has("tacet_UNPROTECTED"));
  EXPECT_TRUE(compiled.has("tacet_probabilities"));
}

TEST(CExport, TenThousandCategoriesCompile) {
  data::CategoricalColumn towns;
  for (int k = 0; k < 10000; ++k) towns.categories.push_back(std::to_string(1000 + 7 * k));
  data::Schema schema;
  schema.columns = {{"town", towns}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  expect_equal_margins(model_of(std::move(schema), LogisticLoss{}));
}

TEST(CExportLong, MarginsOfManyRecordsAreTheProgramsBitForBit) {
  constexpr int many = 100000;
  int compilers = 0;
  for (const std::string compiler : {"gcc", "clang", "clang-14"}) {
    if (!succeeds("command -v " + compiler + " >/dev/null")) continue;
    ++compilers;
    auto schema = named_schema();
    expect_equal_margins(model_of(schema, LogisticLoss{}), many, compiler);
    schema.target = {"y", data::MultiClassTarget{{"a", "b", "c"}}};
    expect_equal_margins(model_of(std::move(schema), SoftmaxLoss{}), many, compiler);
    for (const bool categories : {false, true}) {
      expect_equal_margins(model_of(curved_schema(categories), SquaredLoss{}), many, compiler);
    }
  }
  EXPECT_GE(compilers, 1);
}

TEST(CExport, RefusesWhatHasNoBound) {
  data::Schema schema;
  schema.columns = {{"note", data::TextColumn{.bits = 4}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  EXPECT_THROW(static_cast<void>(internal::c_export(model_of(schema, LogisticLoss{}))),
               base::UsageError);
  schema.columns = {{"ids", data::IdsColumn{.bits = 4}}};
  EXPECT_THROW(static_cast<void>(internal::c_export(model_of(schema, LogisticLoss{}))),
               base::UsageError);
}

}  // namespace c_export_test
}  // namespace tacet::model
