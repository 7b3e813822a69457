#include "tacet/ledger/store/new_database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tacet/base/error.h"
#include "tests/support/scratch_folder.h"

namespace tacet::ledger {
namespace new_database_test {

const Wording box{.noun = "box", .nothing = "nothing was put in", .missing = "make one"};
const auto fill = [](Database& database) { database.execute("CREATE TABLE t(x)"); };

TEST(NewDatabase, AppearsWholeOrNotAtAll) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "a.box";
  EXPECT_THROW(
      (void)make_database(path, box, [](Database&) { throw std::runtime_error("half way"); }),
      std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(make_database(path, box, fill), 0);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(make_database(path, box, fill), EEXIST);
  EXPECT_EQ(Database(path, {.wording = box}).value("SELECT count(*) FROM t"), "0");
}

TEST(NewDatabase, MessagesSayWhatKindOfFileItIs) {
  const test::ScratchFolder folder;
  const auto text_of = [](const auto& body) {
    try {
      body();
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto none = folder.path() / "none.box";
  EXPECT_NE(text_of([&] { Database(none, {.wording = box}); }).find("there is no box"),
            std::string::npos);
  EXPECT_NE(text_of([&] {
              (void)make_database(folder.path() / "no" / "folder", box, fill);
            }).find("cannot make the box"),
            std::string::npos);
  EXPECT_NE(
      text_of([&] { cannot_make_database(none, box, EEXIST); }).find("a box is never overwritten"),
      std::string::npos);
  const auto path = folder.path() / "a.box";
  ASSERT_EQ(make_database(path, box, fill), 0);
  Database database(path, {.wording = box});
  EXPECT_EQ(database.consequence(), "nothing was put in");
  EXPECT_NE(text_of([&] { database.execute("SELECT y FROM t"); }).find("no box at all"),
            std::string::npos);
}

TEST(NewDatabase, AFullDiskIsSaidOfTheFileThatWasToBe) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "a.box";
  std::string said;
  try {
    (void)make_database(path, box, [](Database& database) {
      database.execute("PRAGMA max_page_count=2; CREATE TABLE t(x)");
      database.execute("INSERT INTO t VALUES(zeroblob(100000))");
    });
  } catch (const base::IoError& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("the box '" + path.string() + "' could not be written: the disk is full"),
            std::string::npos)
      << said;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(NewDatabase, AWriteAheadLogKeepsBytesAndForgetsWhatFailed) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "a.box";
  ASSERT_EQ(make_database(path, box, fill), 0);
  const std::string bytes("\0\xff one\0", 7);
  {
    Database database(path, {.durability = Durability::wal, .wording = box});
    auto insert = database.prepare("INSERT INTO t VALUES(?1)");
    database.transaction("nothing was put in", [&] {
      for (int i = 0; i < 2; ++i) {
        insert.bind(1, Blob{bytes});
        insert.run();
        insert.reset();
      }
    });
    EXPECT_THROW(database.transaction("nothing was put in",
                                      [&] {
                                        database.execute("DELETE FROM t");
                                        throw std::runtime_error("half way");
                                      }),
                 std::runtime_error);
    auto select = database.prepare("SELECT x, typeof(x) FROM t");
    ASSERT_TRUE(select.step());
    EXPECT_EQ(select.text(0), bytes);
    EXPECT_EQ(select.text(1), "blob");
    ASSERT_TRUE(select.step());
  }
  EXPECT_FALSE(std::filesystem::exists(path.string() + "-wal"));  // closed: one file again
}

}  // namespace new_database_test
}  // namespace tacet::ledger
