#include "tacet/ledger/store/database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "tacet/base/error.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_ledger.h"

namespace tacet::ledger {
namespace database_test {

namespace fs = std::filesystem;

/// A file with a table of numbers.
class DatabaseTest : public testing::Test {
 protected:
  DatabaseTest() { test::change_file(path_, "CREATE TABLE numbers(value INTEGER, word TEXT)"); }

  [[nodiscard]] std::string count() const {
    return Database(path_, {}).value("SELECT count(*) FROM numbers");
  }

  test::ScratchFolder folder_;
  fs::path path_ = folder_.path() / "numbers ?#%.db";  // signs with a meaning in addresses
};

/// Holds the file as another process would.
class Lock {
 public:
  explicit Lock(const fs::path& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &other_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(other_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { sqlite3_close(other_); }

 private:
  sqlite3* other_ = nullptr;
};

TEST_F(DatabaseTest, KeepsNumbersAndWordsAsTheyAre) {
  Database database(path_, {});
  const std::string word("a 'quoted' \0 word", 17);
  auto insert = database.prepare("INSERT INTO numbers(value, word) VALUES(?1, ?2)");
  insert.bind(1, std::int64_t{-1} << 62);
  insert.bind(2, word);
  insert.run();
  auto select = database.prepare("SELECT value, word, NULL FROM numbers");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.integer(0), std::int64_t{-1} << 62);
  EXPECT_EQ(select.text(1), word);
  EXPECT_EQ(select.text(2), "");
  EXPECT_FALSE(select.step());
  EXPECT_THROW(insert.bind(3, std::int64_t{1}), base::IoError);
}

TEST_F(DatabaseTest, ATransactionIsAllOrNothing) {
  Database database(path_, {});
  const auto insert = [&] { database.execute("INSERT INTO numbers VALUES(1, 'one')"); };
  EXPECT_THROW(database.transaction("nothing was booked",
                                    [&] {
                                      insert();
                                      throw std::runtime_error("half way");
                                    }),
               std::runtime_error);
  EXPECT_EQ(count(), "0");
  database.transaction("nothing was booked", [&] {
    insert();
    insert();
  });
  EXPECT_EQ(count(), "2");
}

TEST_F(DatabaseTest, WhatFailsSaysWhatItLeavesBehind) {
  Database database(path_, {});
  const auto text_of = [&](const std::string& consequence) {
    try {
      database.transaction(consequence, [&] { database.execute("INSERT INTO nowhere VALUES(1)"); });
    } catch (const base::DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(text_of("run 7 stays booked").find("run 7 stays booked"), std::string::npos);
  EXPECT_EQ(database.consequence(), "nothing was booked");
  EXPECT_NE(text_of("nothing was made").find(path_.string()), std::string::npos);
}

TEST_F(DatabaseTest, WhoOnlyReadsWritesNothing) {
  Database reader(path_, {.access = Access::read});
  EXPECT_EQ(reader.value("SELECT count(*) FROM numbers"), "0");
  EXPECT_THROW(reader.execute("INSERT INTO numbers VALUES(1, 'one')"), base::IoError);
  EXPECT_EQ(count(), "0");
}

TEST_F(DatabaseTest, ASnapshotDoesNotChangeWhileItIsRead) {
  Database reader(path_, {.access = Access::read});
  reader.snapshot([&] {
    EXPECT_EQ(reader.value("SELECT count(*) FROM numbers"), "0");
    Database writer(path_, {.busy_milliseconds = 10});
    EXPECT_THROW(writer.transaction("nothing was booked",
                                    [&] { writer.execute("INSERT INTO numbers VALUES(1, 'x')"); }),
                 base::IoError);
    EXPECT_EQ(reader.value("SELECT count(*) FROM numbers"), "0");
  });
}

// With a write-ahead log that is not there, nobody writes; who begins to meanwhile is no mixture of
// two states, and no fault.
TEST_F(DatabaseTest, WhatIsReadWithoutLocksIsReadAgainIfSomebodyWrote) {
  constexpr auto wal = Durability::wal;
  const auto write = [&] {
    Database(path_, {.durability = wal}).execute("INSERT INTO numbers VALUES(1, 'one')");
  };
  write();
  for (const bool fails : {false, true}) {
    Database reader(path_, {.access = Access::read, .durability = wal});
    const auto found = [&] { return reader.value("SELECT count(*) FROM numbers"); };
    const auto before = found();
    std::string first;
    std::string second;
    int times = 0;
    reader.snapshot([&] {
      first = found();
      if (++times == 1) {
        write();
        if (fails) throw std::runtime_error("two states do not fit");
      }
      second = found();
    });
    EXPECT_EQ(times, 2);
    EXPECT_EQ(first, second);
    EXPECT_NE(first, before);
    EXPECT_THROW(reader.execute("INSERT INTO numbers VALUES(1, 'one')"), base::IoError);
  }
}

TEST_F(DatabaseTest, ALockThatStaysIsNamed) {
  const Lock lock(path_);
  Database database(path_, {.busy_milliseconds = 20});
  try {
    database.transaction("nothing was booked", [] { FAIL() << "two writers at once"; });
    FAIL() << "two writers at once";
  } catch (const base::IoError& error) {
    EXPECT_NE(std::string(error.what()).find("locked by another process; nothing was booked"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(count(), "0");
}

TEST_F(DatabaseTest, AFileWithTwoNamesIsRefused) {
  Database database(path_, {});
  fs::create_hard_link(path_, folder_.path() / "second.db");
  EXPECT_THROW(database.transaction("nothing was booked", [] { FAIL(); }), base::IoError);
  EXPECT_THROW(Database(path_, {}), base::IoError);
  fs::remove(folder_.path() / "second.db");
  database.transaction("nothing was booked", [] {});
}

TEST_F(DatabaseTest, AFileThatIsNoneHasNoAnswer) {
  EXPECT_THROW(Database(folder_.path() / "none.db", {}), base::IoError);
  EXPECT_THROW(Database(folder_.path(), {}), base::IoError);
  Database database(path_, {});
  EXPECT_THROW((void)database.value("SELECT value FROM numbers"), base::DataError);
  EXPECT_THROW((void)database.prepare("SELECT nothing FROM numbers"), base::DataError);
}

TEST(LocalDisk, NetworkFileSystemsAreKnownByTheirNumbers) {
  // statfs(2).
  EXPECT_EQ(network_file_system(0x6969), "nfs");
  EXPECT_EQ(network_file_system(0xFF534D42), "cifs");
  EXPECT_EQ(network_file_system(0xEF53), "");      // ext4
  EXPECT_EQ(network_file_system(0x01021994), "");  // tmpfs
}

}  // namespace database_test
}  // namespace tacet::ledger
