#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/read/read_dataset.h"
#include "tests/support/gzip.h"
#include "tests/support/npy_file.h"
#include "tests/support/same_records.h"
#include "tests/support/temporary_folder.h"

// Files that are long enough to be read on several threads.
namespace tacet::data {
namespace read_threads_test {

test::ReadOutcome read(const std::filesystem::path& file, const Schema& schema,
                       base::ThreadPool* threads) {
  return test::outcome_of([&] { return read_dataset(file, schema, {.threads = threads}); });
}

void expect_the_same(const std::filesystem::path& file, const Schema& schema) {
  base::ThreadPool three(3);
  const auto expected = read(file, schema, nullptr);
  const auto found = read(file, schema, &three);
  EXPECT_EQ(found.error, expected.error);
  EXPECT_TRUE(test::same(found, expected)) << file;
}

std::string numbers_text(std::size_t size) {
  std::mt19937 generator(1);
  std::string text = "x,y\n";
  while (text.size() < size) {
    text += std::to_string(generator() % 1000) + (generator() % 2 == 0 ? ",1\n" : ",0\r\n");
  }
  return text;
}

Schema numbers_schema() {
  return schema_from_toml(
      "[target]\ncolumn='y'\npositive='1'\n"
      "[[column]]\nname='x'\nkind='numeric'\nlower=0\nupper=1000\n",
      "s.toml");
}

TEST(ReadThreads, CompressedFilesAndWhatIsDamagedOfThem) {
  const test::TemporaryFolder folder;
  const std::string text = numbers_text(4'000'000);
  const std::string packed = test::gzip(text);
  ASSERT_GT(packed.size(), std::size_t{1} << 20);  // with a thread of its own to decompress
  const Schema schema = numbers_schema();
  expect_the_same(folder.write("whole.csv.gz", packed), schema);
  const auto cut_off = folder.write("cut.csv.gz", packed.substr(0, packed.size() - 1000));
  expect_the_same(cut_off, schema);
  EXPECT_NE(read(cut_off, schema, nullptr).error.find("ends early"), std::string::npos);
  // A fault in front of the damage is found first.
  std::string faulty = text;
  faulty.insert(faulty.find(",1\n", faulty.size() / 2) + 2, "\"");
  const std::string faulty_packed = test::gzip(faulty);
  const auto both =
      folder.write("both.csv.gz", faulty_packed.substr(0, faulty_packed.size() - 1000));
  expect_the_same(both, schema);
  EXPECT_NE(read(both, schema, nullptr).error.find("quote"), std::string::npos);
}

TEST(ReadThreads, AHeaderWithoutTheSchemasColumnsIsAnErrorWithoutRecordsToo) {
  const test::TemporaryFolder folder;
  // As long as a block, so that the end of the file is not seen yet.
  std::string header((std::size_t{1} << 18) - 1, 'a');
  const auto file = folder.write("header.csv", header + "\n");
  expect_the_same(file, numbers_schema());
  EXPECT_NE(read(file, numbers_schema(), nullptr).error.find("not in the first line"),
            std::string::npos);
}

TEST(ReadThreads, Arrays) {
  const test::TemporaryFolder folder;
  constexpr std::size_t rows = 9000;
  constexpr std::size_t columns = 7;
  std::mt19937 generator(2);
  std::vector<float> values(rows * columns);
  for (float& value : values) value = static_cast<float>(generator() % 100) / 100;
  std::vector<float> labels(rows);
  for (float& label : labels) label = static_cast<float>(generator() % 2);
  const auto file = folder.write("a.npy", test::npy_text("<f4", "(9000, 7)", values));
  folder.write("a.labels.npy", test::npy_text("<f4", "(9000,)", labels));
  const auto schema = [](const std::string& kind) {
    return schema_from_toml("[format]\nkind='" + kind +
                                "'\n[target]\npositive='1'\nnegative='0'\n"
                                "[features]\ncount=7\nlower=0\nupper=1\n",
                            "s.toml");
  };
  expect_the_same(file, schema("npy"));
  EXPECT_EQ(read(file, schema("npy"), nullptr).records.rows(), 9000);
  // Labels that are missing at the end are an error behind the records.
  folder.write("a.labels.npy", test::npy_text("<f4", "(9000,)", std::vector<float>(8000)));
  expect_the_same(file, schema("npy"));
  EXPECT_FALSE(read(file, schema("npy"), nullptr).error.empty());
}

}  // namespace read_threads_test
}  // namespace tacet::data
