#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/spool.h"
#include "tacet/data/dataset.h"
#include "tacet/data/rewritten.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace spooled_records_test {

constexpr std::int64_t columns = 4;

/// Records with units, some of which have no target.
Dataset records(Storage storage, std::int64_t rows, std::shared_ptr<base::Spool> spool) {
  Dataset data({.columns = columns, .norm_bound = 8, .storage = storage}, std::move(spool));
  data.declare_units();
  EncodedRow row;
  for (std::int64_t k = 0; k < rows; ++k) {
    row.clear();
    row.labelled = k % 5 != 0;
    for (std::uint32_t j = 0; row.labelled && j < columns; ++j) {
      if ((k + j) % 3 == 0) continue;
      row.columns.push_back(j);
      row.values.push_back(static_cast<std::int16_t>(1 + (7 * k + j) % 997));
    }
    row.label = row.labelled && k % 2 == 0 ? 1 : -1;
    row.unit = k / 2;
    data.append(row);
  }
  return data;
}

void expect_same(const Dataset& one, const Dataset& other) {
  ASSERT_EQ(one.rows(), other.rows());
  ASSERT_EQ(one.unit_count(), other.unit_count());
  for (std::int64_t k = 0; k < one.rows(); ++k) {
    ASSERT_EQ(one.label(k), other.label(k));
    ASSERT_EQ(one.labelled(k), other.labelled(k));
    ASSERT_EQ(one.unit_of(k), other.unit_of(k));
    ASSERT_EQ(one.squared_norm(k), other.squared_norm(k));
    if (one.sparse()) {
      ASSERT_TRUE(std::ranges::equal(one.sparse_row(k).columns, other.sparse_row(k).columns));
      ASSERT_TRUE(std::ranges::equal(one.sparse_row(k).values, other.sparse_row(k).values));
    } else {
      ASSERT_TRUE(std::ranges::equal(one.dense_row(k), other.dense_row(k)));
    }
  }
}

Dataset shortened(Dataset&& all) {
  const auto shape = all.shape();
  return rewritten(
      std::move(all), shape, [](const Dataset& data, std::int64_t row, EncodedRow& out) {
        const auto value = data.sparse() ? data.sparse_row(row).values[0] : data.dense_row(row)[1];
        if (value == 0) return;
        out.columns = {3};
        out.values = {value};
      });
}

TEST(SpooledRecords, AreTheSame) {
  const test::TemporaryFolder folder;
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    const auto spool = base::Spool::in(folder.path());
    auto in_memory = records(storage, 200'000, nullptr);
    auto spooled = records(storage, 200'000, spool);
    expect_same(spooled, in_memory);
    EXPECT_EQ(spooled.spool(), spool);
    const auto anew = shortened(std::move(spooled));
    expect_same(anew, shortened(std::move(in_memory)));
    EXPECT_EQ(anew.spool(), spool) << "what is made of them lies where they did";
  }
}

TEST(SpooledRecords, OneOfEachUnitLiesThereToo) {
  const test::TemporaryFolder folder;
  const auto spool = base::Spool::in(folder.path());
  random::SeededSource source(3);
  const auto drawn = one_record_per_unit(records(Storage::dense, 1000, spool),
                                         source.claim(random::Purpose::sampling, 0, 0));
  EXPECT_EQ(drawn.spool(), spool);
  EXPECT_EQ(drawn.rows(), 500);
}

/// Writable private memory of this process, in bytes, as RLIMIT_DATA counts it.
std::int64_t private_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmData:") continue;
    std::int64_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes << 10;
  }
  return 0;
}

// Features, places, labels, squared norms and units take 16 MB and more each.
TEST(SpooledRecords, NothingThatGrowsWithThemIsInPrivateMemory) {
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    const test::TemporaryFolder folder;
    const auto child = ::fork();
    if (child == 0) {
      constexpr std::int64_t room = std::int64_t{5} << 20;
      const auto limit = static_cast<rlim_t>(private_memory() + room);
      const rlimit limits{limit, limit};
      if (::setrlimit(RLIMIT_DATA, &limits) != 0) ::_exit(2);
      try {
        const auto all = records(storage, 2'000'000, base::Spool::in(folder.path()));
        ::_exit(all.rows() == 2'000'000 ? 0 : 3);
      } catch (const std::exception&) {
        ::_exit(4);
      }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

}  // namespace spooled_records_test
}  // namespace tacet::data
