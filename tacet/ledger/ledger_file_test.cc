#include "tacet/ledger/ledger_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/fault_layer.h"
#include "tests/support/small_ledger.h"

namespace tacet::ledger {
namespace ledger_file_test {

namespace fs = std::filesystem;
namespace fault = test::fault;

class LedgerFile : public test::SmallLedger {};

std::size_t files_in(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) count += entry.exists() ? 1U : 0U;
  return count;
}

TEST_F(LedgerFile, AFileIsNeverOverwritten) {
  EXPECT_THROW(Ledger::create(path_), base::IoError);
  EXPECT_THROW(Ledger::create(folder_.path() / "no" / "such.ledger"), base::IoError);
}

TEST_F(LedgerFile, OnlyTheOwnerCanReadTheFile) {
  using std::filesystem::perms;
  const auto permissions = std::filesystem::status(path_).permissions();
  EXPECT_EQ(permissions & (perms::group_all | perms::others_all), perms::none);
}

TEST(LedgerFileFaults, AFullDiskWhenTheLedgerIsMadeLeavesNoFile) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  for (int when = 1;; ++when) {
    const fault::Layer layer(fault::Mode::full, when);
    try {
      Ledger::create(path);
    } catch (const base::IoError&) {
      EXPECT_TRUE(fs::is_empty(folder.path()));
    }
    if (!fault::struck) break;
    fs::remove(path);
  }
}

TEST_F(LedgerFile, SaysWhereThereIsOneAlready) {
  const auto before = Ledger(path_).verify();
  EXPECT_EQ(internal::make_ledger(path_), EEXIST);
  EXPECT_EQ(Ledger(path_).verify(), before);
  EXPECT_EQ(files_in(folder_.path()), 1U);
}

TEST_F(LedgerFile, IsCompleteAndAloneWhenItHasItsName) {
  const auto other = folder_.path() / "other.ledger";
  EXPECT_EQ(internal::make_ledger(other), 0);
  EXPECT_EQ(Ledger(other).verify().rows, 1);
  // No draft stays behind, and no two ledgers have one name or key.
  EXPECT_EQ(files_in(folder_.path()), 2U);
  EXPECT_NE(Ledger(other).books().ledger, Ledger(path_).books().ledger);
}

TEST_F(LedgerFile, OfSeveralAtOnceOneMakesIt) {
  const auto shared = folder_.path() / "shared.ledger";
  std::atomic<int> made{0};
  std::vector<std::thread> makers;
  for (int i = 0; i < 6; ++i) {
    makers.emplace_back([&] { made += internal::make_ledger(shared) == 0 ? 1 : 0; });
  }
  for (auto& maker : makers) maker.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(Ledger(shared).verify().rows, 1);
  EXPECT_EQ(files_in(folder_.path()), 2U);
}

TEST_F(LedgerFile, ErrorsNameTheFileAndTheReason) {
  try {
    internal::cannot_make_ledger(path_, EEXIST);
    FAIL() << "it returned";
  } catch (const base::IoError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(path_.string()), std::string::npos) << text;
    EXPECT_NE(text.find("never overwritten"), std::string::npos) << text;
  }
}

}  // namespace ledger_file_test
}  // namespace tacet::ledger
