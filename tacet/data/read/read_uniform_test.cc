#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tests/support/data_sets.h"
#include "tests/support/npy_file.h"
#include "tests/support/peak_memory.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace read_uniform_test {

class Folder : public test::TemporaryFolder {
 public:
  template <typename T>
  std::filesystem::path write_array(const std::string& name, const std::string& descr,
                                    const std::string& shape, const std::vector<T>& values) const {
    return write(name, test::npy_text(descr, shape, values));
  }
};

Schema schema_of(const std::string& kind, const std::string& more = "") {
  return schema_from_toml("intercept=false\n" + more + "[format]\nkind='" + kind +
                              "'\n[target]\npositive='1'\n[features]\ncount=3\nlower=-2\nupper=4\n",
                          "s.toml");
}

std::vector<std::int16_t> row_of(const Dataset& data, std::int64_t row) {
  std::vector<std::int16_t> values(static_cast<std::size_t>(data.columns()), 0);
  if (data.sparse()) {
    const SparseRow stored = data.sparse_row(row);
    for (std::size_t k = 0; k < stored.columns.size(); ++k) {
      values[stored.columns[k]] = stored.values[k];
    }
    return values;
  }
  const auto stored = data.dense_row(row);
  return {stored.begin(), stored.end()};
}

/// The rows (4, 0, 0), (0, -2, 1) and (0, 0, 99), labels 1, 0, 1, whatever the file.
void expect_the_rows(const Dataset& data) {
  ASSERT_EQ(data.rows(), 3);
  EXPECT_EQ(row_of(data, 0), (std::vector<std::int16_t>{2048, 0, 0}));
  EXPECT_EQ(row_of(data, 1), (std::vector<std::int16_t>{0, -1024, 512}));
  EXPECT_EQ(row_of(data, 2), (std::vector<std::int16_t>{0, 0, 2048}));
  EXPECT_EQ(data.label(0), 1);
  EXPECT_EQ(data.label(1), -1);
  EXPECT_EQ(data.label(2), 1);
}

TEST(ReadUniform, TheSameRecordsInEveryFormatGiveTheSameRows) {
  const Folder folder;
  expect_the_rows(
      read_dataset(folder.write("a.svm", "1 1:4\n0 2:-2 3:1\n+1 3:99\n"), schema_of("libsvm")));

  folder.write_array<std::int64_t>("a.labels.npy", "<i8", "(3,)", {1, 0, 1});
  const auto dense =
      folder.write_array<float>("a.npy", "<f4", "(3, 3)", {4, 0, NAN, 0, -2, 1, -0.0F, 0, 99});
  expect_the_rows(read_dataset(dense, schema_of("npy")));
  expect_the_rows(read_dataset(dense, schema_of("npy", "storage='sparse'\n")));

  const auto rows = folder.write_array<std::int32_t>("a.indptr.npy", "<i4", "(4,)", {0, 1, 3, 4});
  folder.write_array<std::int64_t>("a.indices.npy", "<i8", "(4,)", {0, 2, 1, 2});
  folder.write_array<double>("a.data.npy", "<f8", "(4,)", {4, 1, -2, 99});
  expect_the_rows(read_dataset(rows, schema_of("npy-csr")));
}

TEST(ReadUniform, CompressedRowsWithoutDataAreOnes) {
  const Folder folder;
  const auto rows = folder.write_array<std::int64_t>("b.indptr.npy", "<i8", "(3,)", {0, 0, 2});
  folder.write_array<std::int64_t>("b.indices.npy", "<i8", "(2,)", {2, 0});
  const Dataset data = read_dataset(rows, schema_of("npy-csr"), {.target = TargetUse::absent});
  EXPECT_EQ(row_of(data, 0), (std::vector<std::int16_t>{0, 0, 0}));
  EXPECT_EQ(row_of(data, 1), (std::vector<std::int16_t>{512, 0, 512}));
}

TEST(ReadUniform, InconsistentArraysAreClearErrors) {
  const Folder folder;
  const auto fails = [&](const std::vector<std::int64_t>& starts,
                         const std::vector<std::int64_t>& indices) {
    const auto file = folder.write_array("c.indptr.npy", "<i8",
                                         "(" + std::to_string(starts.size()) + ",)", starts);
    folder.write_array("c.indices.npy", "<i8", "(" + std::to_string(indices.size()) + ",)",
                       indices);
    EXPECT_THROW(
        static_cast<void>(read_dataset(file, schema_of("npy-csr"), {.target = TargetUse::absent})),
        base::DataError);
  };
  fails({1, 2}, {0, 1});     // does not begin with 0
  fails({0, 2, 1}, {0, 1});  // descends
  fails({0, 3}, {0, 1});     // beyond the indices
  fails({0, 1}, {0, 1});     // indices left over
  fails({}, {});             // not even a start

  const auto dense = folder.write_array<float>("d.npy", "<f4", "(1, 2)", {1, 2});
  folder.write_array<float>("d.labels.npy", "<f4", "(1,)", {1});
  EXPECT_THROW(static_cast<void>(read_dataset(dense, schema_of("npy"))), base::DataError);
  const auto other = folder.write_array<float>("e.npy", "<f4", "(1, 3)", {1, 2, 3});
  EXPECT_THROW(static_cast<void>(read_dataset(other, schema_of("npy"))), base::IoError);
  folder.write_array<float>("e.labels.npy", "<f4", "(2,)", {1, 1});
  EXPECT_THROW(static_cast<void>(read_dataset(other, schema_of("npy"))), base::DataError);
}

TEST(ReadUniform, IndicesWithoutAColumnAreDropped) {
  const Folder folder;
  const auto rows = folder.write_array<std::int32_t>("g.indptr.npy", "<i4", "(4,)", {0, 1, 6, 10});
  folder.write_array<std::int64_t>("g.indices.npy", "<i8", "(10,)",
                                   {0, 2, 3, -1, 1, 1LL << 40, 2, 3, 2, 0});
  folder.write_array<double>("g.data.npy", "<f8", "(10,)", {4, 1, 9, 9, -2, 9, 99, 9, -2, 0});
  folder.write_array<std::int64_t>("g.labels.npy", "<i8", "(3,)", {1, 0, 1});
  expect_the_rows(read_dataset(rows, schema_of("npy-csr")));
  expect_the_rows(
      read_dataset(folder.write("g.svm", "1 1:4\n0 3:1 4:9 99:9 2:-2 3:2\n+1 3:99 99999:1\n"),
                   schema_of("libsvm")));
}

TEST(ReadUniform, NoRecordsAreADataSet) {
  const Folder folder;
  EXPECT_EQ(read_dataset(folder.write("n.svm", "# nothing\n\n"), schema_of("libsvm")).rows(), 0);
  folder.write_array<std::int64_t>("n.labels.npy", "<i8", "(0,)", {});
  const auto dense = folder.write_array<float>("n.npy", "<f4", "(0, 3)", {});
  EXPECT_EQ(read_dataset(dense, schema_of("npy")).rows(), 0);
  const auto rows = folder.write_array<std::int32_t>("n.indptr.npy", "<i4", "(1,)", {0});
  folder.write_array<std::int32_t>("n.indices.npy", "<i4", "(0,)", {});
  EXPECT_EQ(read_dataset(rows, schema_of("npy-csr")).rows(), 0);
}

// A header of 112 bytes may claim a row of 10^9 numbers: 12 GB if they were believed.
TEST(ReadUniform, MemoryIsForNumbersThatAreThere) {
  const Folder folder;
  const auto dense = folder.write_array<float>("w.npy", "<f4", "(1, 1000000000)", {1, 2});
  Schema schema = schema_of("npy");
  schema.features->count = 1000000000;
  const auto before = test::peak_memory();
  EXPECT_THROW(static_cast<void>(read_dataset(dense, schema, {.target = TargetUse::absent})),
               base::DataError);
  EXPECT_LT(test::peak_memory() - before, std::int64_t{64} << 20);
}

TEST(ReadUniform, ConstScalingDividesByTheDeclaredNumberOfNonZeros) {
  const Folder folder;
  const Schema schema = schema_from_toml(
      "intercept=false\nrow_scaling='const'\n[format]\nkind='libsvm'\n[target]\npositive='1'\n"
      "[features]\ncount=123\nlower=0\nupper=1\nmax_nonzero=4\n",
      "s.toml");
  EXPECT_TRUE(schema.storage_kind() == Storage::sparse);
  const Dataset data = read_dataset(
      folder.write("f.svm", "1 1:1 2:1\n0 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1\n"), schema);
  EXPECT_EQ(data.sparse_row(0).values[0], 1024);
  // A row with more than declared is still scaled into the unit ball: 2048 / 3.
  EXPECT_EQ(data.sparse_row(1).values[0], 682);
}

TEST(ReadUniform, A9aMatchesItsPublishedCounts) {
  TACET_SKIP_WITHOUT_DATA(file, "a9a/a9a.train.libsvm.gz");
  const Dataset data = read_dataset(file, load_schema(test::source_file("data/schemas/a9a.toml")));
  EXPECT_EQ(data.rows(), 32561);
  EXPECT_EQ(data.columns(), 123);
  std::int64_t positive = 0;
  for (std::int64_t row = 0; row < data.rows(); ++row) positive += data.label(row) > 0 ? 1 : 0;
  EXPECT_EQ(positive, 7841);
}

TEST(ReadUniform, MnistMatchesItsPublishedCounts) {
  TACET_SKIP_WITHOUT_DATA(file, "mnist/t10k-images-idx3-ubyte.gz");
  const Dataset data =
      read_dataset(file, load_schema(test::source_file("data/schemas/mnist.toml")));
  EXPECT_EQ(data.rows(), 10000);
  std::vector<std::int64_t> counts(10, 0);
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    ++counts[static_cast<std::size_t>(data.label(row))];
  }
  EXPECT_EQ(counts,
            (std::vector<std::int64_t>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
}

}  // namespace read_uniform_test
}  // namespace tacet::data
