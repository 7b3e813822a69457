// Reading 20 MB files of three kinds into encoded data sets, from the page cache: a CSV table of
// numbers and categories like a census, a CSV table of 54 numbers, and a LIBSVM file with 14 ones a
// record. The baseline reads the same file line by line, splits it and turns numbers into doubles,
// but keeps and encodes nothing.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

#include "tacet/data/read/csv.h"
#include "tacet/data/read/read_dataset.h"

namespace {

using namespace tacet::data;

constexpr std::size_t file_size = 20'000'000;

constexpr const char* census_schema = R"(
[target]
column = "income"
positive = ">50K"
[[column]]
name = "age"
kind = "numeric"
lower = 17
upper = 90
[[column]]
name = "workclass"
kind = "categorical"
categories = ["Private", "State-gov", "Federal-gov", "Local-gov", "Self-emp-inc"]
[[column]]
name = "weight"
kind = "numeric"
lower = 0
upper = 1500000
[[column]]
name = "education"
kind = "categorical"
categories = ["Bachelors", "HS-grad", "Masters", "Some-college", "11th", "Doctorate"]
[[column]]
name = "occupation"
kind = "categorical"
categories = ["Adm-clerical", "Exec-managerial", "Sales", "Prof-specialty", "Other-service"]
[[column]]
name = "gain"
kind = "numeric"
lower = 0
upper = 99999
log1p = true
[[column]]
name = "hours"
kind = "numeric"
lower = 1
upper = 99
[[column]]
name = "country"
kind = "categorical"
categories = ["United-States", "Mexico", "Germany", "India", "Philippines"]
)";

/// A file that is removed when the program ends.
class BenchFile {
 public:
  explicit BenchFile(const std::string& name, const std::string& content)
      : path_(std::filesystem::temp_directory_path() / name), size_(content.size()) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~BenchFile() { std::filesystem::remove(path_); }
  BenchFile(const BenchFile&) = delete;
  BenchFile& operator=(const BenchFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(size_); }

 private:
  std::filesystem::path path_;
  std::size_t size_;
};

const BenchFile& census_file() {
  static const BenchFile file = [] {
    const Schema schema = schema_from_toml(census_schema, "census");
    std::mt19937_64 generator(1);
    std::string text = "age,workclass,weight,education,occupation,gain,hours,country,income\n";
    while (text.size() < file_size) {
      for (const Column& column : schema.columns) {
        if (const auto* rule = std::get_if<CategoricalColumn>(&column.rule)) {
          text += rule->categories[generator() % rule->categories.size()];
        } else {
          const auto upper = static_cast<std::uint64_t>(std::get<NumericColumn>(column.rule).upper);
          text += std::to_string(generator() % upper);
        }
        text += ',';
      }
      text += generator() % 4 == 0 ? ">50K\n" : "<=50K\n";
    }
    return BenchFile("tacet_bench_census.csv", text);
  }();
  return file;
}

const BenchFile& numbers_file() {
  static const BenchFile file = [] {
    std::mt19937_64 generator(2);
    std::string text;
    for (int k = 0; k < 54; ++k) text += fmt::format("x{},", k);
    text += "y\n";
    while (text.size() < file_size) {
      for (int k = 0; k < 54; ++k) {
        text += fmt::format("0.{},", 100000 + generator() % 900000);
      }
      text += generator() % 2 == 0 ? "1\n" : "0\n";
    }
    return BenchFile("tacet_bench_numbers.csv", text);
  }();
  return file;
}

const BenchFile& libsvm_file() {
  static const BenchFile file = [] {
    std::mt19937_64 generator(3);
    std::string text;
    while (text.size() < file_size) {
      text += generator() % 4 == 0 ? "+1" : "-1";
      std::uint64_t index = 0;
      for (int k = 0; k < 14; ++k) {
        index += 1 + generator() % 8;
        text += fmt::format(" {}:1", index);
      }
      text += '\n';
    }
    return BenchFile("tacet_bench.libsvm", text);
  }();
  return file;
}

Schema numbers_schema() {
  std::string names;
  for (int k = 0; k < 54; ++k) names += fmt::format("\"x{}\",", k);
  return schema_from_toml("[target]\ncolumn='y'\npositive='1'\n[[column]]\nnames=[" + names +
                              "]\nkind='numeric'\nlower=0\nupper=1\n",
                          "numbers");
}

Schema libsvm_schema() {
  return schema_from_toml(
      "intercept=false\nrow_scaling='const'\n[format]\nkind='libsvm'\n[target]\npositive='+1'\n"
      "negative='-1'\n[features]\ncount=123\nlower=0\nupper=1\nmax_nonzero=14\n",
      "libsvm");
}

void set_bytes(benchmark::State& state, const BenchFile& file) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * file.size());
}

void read_encoded(benchmark::State& state, const BenchFile& file, const Schema& schema) {
  for (auto _ : state) {
    const Dataset data = read_dataset(file.path(), schema);
    benchmark::DoNotOptimize(data.rows());
  }
  set_bytes(state, file);
}

/// Lines, fields at any of `separators`, and every field as a double.
void read_plainly(benchmark::State& state, const BenchFile& file, std::string_view separators) {
  for (auto _ : state) {
    std::ifstream stream(file.path());
    std::string line;
    double sum = 0;
    while (std::getline(stream, line)) {
      std::size_t begin = 0;
      while (begin <= line.size()) {
        const std::size_t end = std::min(line.find_first_of(separators, begin), line.size());
        sum += std::strtod(line.c_str() + begin, nullptr);
        begin = end + 1;
      }
    }
    benchmark::DoNotOptimize(sum);
  }
  set_bytes(state, file);
}

void parse_records(benchmark::State& state) {
  const BenchFile& file = census_file();
  for (auto _ : state) {
    CsvReader reader(open_source(file.path()), "census");
    std::size_t fields = 0;
    while (const auto record = reader.next()) fields += record->size();
    benchmark::DoNotOptimize(fields);
  }
  set_bytes(state, file);
}

BENCHMARK(parse_records)->Name("csv_records/tacet");
BENCHMARK_CAPTURE(read_plainly, census_records, census_file(), ",")->Name("csv_records/baseline");
BENCHMARK_CAPTURE(read_encoded, census, census_file(), schema_from_toml(census_schema, "census"))
    ->Name("csv_census/tacet");
BENCHMARK_CAPTURE(read_plainly, census, census_file(), ",")->Name("csv_census/baseline");
BENCHMARK_CAPTURE(read_encoded, numbers, numbers_file(), numbers_schema())
    ->Name("csv_numbers/tacet");
BENCHMARK_CAPTURE(read_plainly, numbers, numbers_file(), ",")->Name("csv_numbers/baseline");
BENCHMARK_CAPTURE(read_encoded, libsvm, libsvm_file(), libsvm_schema())->Name("libsvm/tacet");
BENCHMARK_CAPTURE(read_plainly, libsvm, libsvm_file(), " :")->Name("libsvm/baseline");

}  // namespace
