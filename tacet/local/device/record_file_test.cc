#include "tacet/local/device/record_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/denied_calls.h"
#include "tests/support/npy_file.h"
#include "tests/support/processes.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace record_file_test {

namespace fs = std::filesystem;

data::Schema schema() {
  return data::schema_from_toml(
      "[target]\ncolumn='y'\npositive='1'\n"
      "[[column]]\nname='x'\nkind='numeric'\nlower=0\nupper=1\n",
      "s.toml");
}

class RecordFileTest : public testing::Test {
 protected:
  RecordFileTest() {
    fs::create_directory(home_);
    write(record_, "x,y\n1,1\n");
  }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  [[nodiscard]] static std::int64_t rows(const RecordFile& file) {
    return file.read(schema(), nullptr).rows();
  }

  test::ScratchFolder folder_;
  fs::path home_ = folder_.path() / "home";
  fs::path record_ = home_ / "record.csv";
};

TEST_F(RecordFileTest, ReadsTheFileThatWasOpenedWhateverItsNameLeadsToNow) {
  fs::create_directory_symlink(home_, folder_.path() / "link");
  const RecordFile file(folder_.path() / "link" / "record.csv");
  EXPECT_EQ(file.path(), fs::canonical(record_));
  EXPECT_EQ(rows(file), 1);
  EXPECT_EQ(rows(file), 1);  // from its first byte on, each time
  const auto other = folder_.path() / "other";
  fs::create_directory(other);
  write(other / "record.csv", "x,y\n1,1\n0,0\n");
  fs::remove(folder_.path() / "link");
  fs::create_directory_symlink(other, folder_.path() / "link");
  EXPECT_EQ(rows(file), 1);
  fs::rename(other / "record.csv", record_);
  EXPECT_EQ(rows(file), 1);
  fs::remove_all(home_);
  EXPECT_EQ(rows(file), 1);
}

TEST_F(RecordFileTest, OfArraysTheFolderIsTheOneThatWasOpened) {
  const auto arrays = data::schema_from_toml(
      "[target]\npositive='1'\n[features]\ncount=2\nlower=0\nupper=1\n[format]\nkind='npy'\n",
      "s.toml");
  const auto put = [](const fs::path& folder, std::size_t rows) {
    const auto number = std::to_string(rows);
    write(folder / "r.npy",
          test::npy_text("<f8", "(" + number + ", 2)", std::vector<double>(2 * rows, 0.5)));
    write(folder / "r.labels.npy",
          test::npy_text("<f8", "(" + number + ",)", std::vector<double>(rows, 1)));
  };
  put(home_, 1);
  const auto other = folder_.path() / "other";
  fs::create_directory(other);
  put(other, 2);
  const RecordFile file(home_ / "r.npy");
  fs::rename(home_, folder_.path() / "before");
  fs::rename(other, home_);
  EXPECT_EQ(file.read(arrays, nullptr).rows(), 1);
}

TEST_F(RecordFileTest, KnowsWhetherItIsStillInThePlaceWhereItWasOpened) {
  const RecordFile file(record_);
  EXPECT_TRUE(file.stands_in(ledger::HeldMarks(home_)));
  write(home_ / "new", "x,y\n1,1\n");
  fs::rename(home_ / "new", record_);
  EXPECT_FALSE(file.stands_in(ledger::HeldMarks(home_)));
  const RecordFile again(record_);
  fs::rename(home_, folder_.path() / "before");
  fs::create_directory(home_);
  fs::create_hard_link(folder_.path() / "before" / "record.csv", record_);
  EXPECT_FALSE(again.stands_in(ledger::HeldMarks(home_)));  // another folder, with other marks
  EXPECT_EQ(again.names(), 2U);
}

TEST_F(RecordFileTest, WhatIsNoRegularFileIsRefusedAndNotWaitedFor) {
  const auto pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto link = folder_.path() / "link.csv";
  fs::create_symlink("/dev/null", link);
  for (const fs::path& name : {fs::path("-"), pipe, fs::path("/dev/null"), link}) {
    EXPECT_THROW(RecordFile::refuse_stream(name), base::UsageError) << name;
    EXPECT_THROW(RecordFile{name}, base::UsageError) << name;
  }
  EXPECT_THROW(RecordFile::refuse_stream(home_), base::IoError);
  EXPECT_NO_THROW(RecordFile::refuse_stream(folder_.path() / "nowhere"));
  EXPECT_THROW(RecordFile{folder_.path() / "nowhere"}, base::IoError);
}

TEST_F(RecordFileTest, KnowsAFileThatIsAMountPoint) {
  EXPECT_FALSE(RecordFile(record_).may_be_mounted());
  const auto second = folder_.path() / "a second place.csv";
  write(second, "");
  constexpr int not_allowed = 77;
  const int code = test::exit_code_of(test::in_child([&] {
    if (!test::mount_file(record_, second)) return not_allowed;
    if (RecordFile(record_).may_be_mounted()) return 1;
    return RecordFile(second).may_be_mounted() ? 0 : 2;
  }));
  if (code == not_allowed) GTEST_SKIP() << "nothing may be mounted here";
  EXPECT_EQ(code, 0);
}

}  // namespace record_file_test
}  // namespace tacet::local
