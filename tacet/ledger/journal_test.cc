#include "tacet/ledger/journal.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tests/support/small_ledger.h"

namespace tacet::ledger {
namespace journal_test {

using test::zcdp;
using test::zcdp_booking;

constexpr auto add_remove = privacy::Adjacency::add_remove;

class JournalTest : public test::SmallLedger {};

// Changes rows behind a ledger's back.
void tamper(const std::filesystem::path& path, const std::string& sql) {
  test::change_file(path,
                    "DROP TRIGGER journal_is_written_once; DROP TRIGGER journal_is_kept;" + sql);
}

TEST_F(JournalTest, AnyEditedRowBreaksTheChain) {
  {
    enrol_with(zcdp(1));
    Ledger ledger(path_);
    for (int i = 0; i < 3; ++i) {
      const auto run = ledger.reserve(zcdp_booking(0.125));
      if (i < 2) ledger.commit({{run, privacy::Zcdp{0.125, add_remove}}}, output_);
    }
    ledger.set_cap("adult", zcdp(0.75), "");
  }
  const auto copy = folder_.path() / "copy.ledger";
  const auto rows = Ledger(path_).verify().rows;
  ASSERT_EQ(rows, 10);
  std::vector<std::string> changes{"DELETE FROM head",
                                   "UPDATE head SET rows = rows - 1",
                                   "UPDATE head SET hash = 'x'",
                                   "UPDATE head SET key = replace(key, substr(key, 1, 1), 'x')",
                                   "INSERT INTO journal(number, text, hash) VALUES(11, '{}', 'x')",
                                   "UPDATE journal SET number = 100 + number WHERE number = 10"};
  for (int row = 1; row <= rows; ++row) {
    const auto where = " WHERE number = " + std::to_string(row);
    changes.push_back("DELETE FROM journal" + where);
    changes.push_back("UPDATE journal SET text = replace(text, '20', '21')" + where);
    changes.push_back("UPDATE journal SET text = text || ' '" + where);
    changes.push_back("UPDATE journal SET hash = replace(hash, substr(hash, 9, 1), 'x')" + where);
  }
  for (const auto& change : changes) {
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    EXPECT_NO_THROW(Ledger(copy).verify());
    tamper(copy, change);
    EXPECT_THROW(Ledger(copy).verify(), base::DataError) << change;
    EXPECT_THROW(static_cast<void>(Ledger(copy).reserve(zcdp_booking(0.01))), base::DataError)
        << change;
  }
}

// A ledger that is open keeps what it has parsed; it must not trust it.
TEST_F(JournalTest, ARowEditedWhileTheLedgerIsOpenIsFoundToo) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  static_cast<void>(ledger.reserve(zcdp_booking(0.5)));
  tamper(path_, "UPDATE journal SET text = replace(text, '0x1p-1', '0x1p-9')");
  EXPECT_THROW(static_cast<void>(ledger.books()), base::DataError);
  EXPECT_THROW(static_cast<void>(ledger.reserve(zcdp_booking(0.01))), base::DataError);
}

TEST_F(JournalTest, RowsCannotBeChangedBySlip) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &connection), SQLITE_OK);
  EXPECT_NE(sqlite3_exec(connection, "UPDATE journal SET hash = 'x'", nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_NE(sqlite3_exec(connection, "DELETE FROM journal", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(connection);
}

TEST_F(JournalTest, AnotherFormatIsRefusedWithAdvice) {
  const auto set_version = [&](const std::string& version) {
    test::change_file(path_, "PRAGMA user_version=" + version);
  };
  for (const std::string version : {"0", "2", "1000000"}) {
    set_version(version);
    try {
      Ledger ledger(path_);
      FAIL() << "format " << version << " was taken for format 1";
    } catch (const base::DataError& error) {
      EXPECT_NE(std::string(error.what()).find("has format " + version), std::string::npos);
    }
  }
  set_version("1");
  EXPECT_EQ(Ledger(path_).verify().rows, 1);
}

TEST_F(JournalTest, EachRowsHashHoldsAllRowsBefore) {
  enrol_with(zcdp(1));
  Database database(path_, {});
  std::string hash = sha256("tacet ledger");
  EXPECT_EQ(internal::first_hash(), hash);
  auto rows = database.prepare("SELECT number, text, hash FROM journal ORDER BY number");
  std::int64_t number = 0;
  while (rows.step()) {
    ++number;
    EXPECT_EQ(rows.integer(0), number);
    hash = sha256(hash + "\n" + std::to_string(number) + "\n" + rows.text(1));
    EXPECT_EQ(rows.text(2), hash);
  }
  EXPECT_EQ(Ledger(path_).position(), (LedgerPosition{number, hash}));
}

TEST_F(JournalTest, KnowsTheRowsThatItHadAndNoOthers) {
  enrol_with(zcdp(1));
  Database database(path_, {});
  internal::Position seen;
  database.snapshot([&] { seen = internal::read_current(database).at; });
  EXPECT_TRUE(internal::has(database, seen));
  EXPECT_TRUE(internal::has(database, {}));
  EXPECT_FALSE(internal::has(database, {seen.rows + 1, seen.hash}));
  EXPECT_FALSE(internal::has(database, {seen.rows - 1, seen.hash}));
  EXPECT_FALSE(internal::has(database, {0, seen.hash}));
  static_cast<void>(Ledger(path_).reserve(zcdp_booking(0.5)));
  EXPECT_TRUE(internal::has(database, seen));
}

TEST_F(JournalTest, AnOpenBookingIsReadFromItsOwnRow) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  const auto run = ledger.reserve(zcdp_booking(0.5));
  const auto snapshot = ledger.snapshot();
  Database database(path_, {});
  EXPECT_EQ(internal::read_booking(database, snapshot, run).event,
            privacy::Event(privacy::Zcdp{0.5, add_remove}));
  tamper(path_, "UPDATE journal SET text = replace(text, '0x1p-1', '0x1p-9')");
  EXPECT_THROW(static_cast<void>(internal::read_booking(database, snapshot, run)), base::DataError);
  test::change_file(path_, "DELETE FROM journal WHERE number = " + std::to_string(run));
  EXPECT_THROW(static_cast<void>(internal::read_booking(database, snapshot, run)), base::DataError);
}

TEST_F(JournalTest, ADatabaseOfSomebodyElseIsNoLedger) {
  const auto other = folder_.path() / "other.db";
  test::change_file(other, "CREATE TABLE journal(a)");
  Database database(other, {});
  try {
    internal::check_version(database);
    FAIL() << "it was taken for a ledger";
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("is not a ledger of tacet"), std::string::npos);
  }
}

// A ledger's own objects are known by their text; others are named with what removes them.
TEST_F(JournalTest, ForeignObjectsAreNamedWithWhatRemovesThem) {
  test::change_file(path_, "CREATE VIEW \"a \"\"b\" AS SELECT 1");
  try {
    Ledger(path_).verify();
    FAIL() << "a foreign view was not seen";
  } catch (const base::DataError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("DROP VIEW \"a \"\"b\";"), std::string::npos) << text;
  }
  test::change_file(path_, "DROP VIEW \"a \"\"b\"");
  EXPECT_EQ(Ledger(path_).verify().rows, 1);
}

TEST_F(JournalTest, ARowTooLongForTheLedgerIsNotWritten) {
  enrol_with(zcdp(1));
  Database database(path_, {});
  const auto before = Ledger(path_).position();
  database.transaction("nothing was booked", [&] {
    auto current = internal::read_current(database);
    const auto entry =
        entry_now(RecordsSeen{"adult", {std::string(64, 'b')}, std::string(max_entry_bytes, 'x')});
    EXPECT_THROW(static_cast<void>(internal::append_row(database, current, entry)),
                 base::UsageError);
  });
  EXPECT_EQ(Ledger(path_).position(), before);
}

}  // namespace journal_test
}  // namespace tacet::ledger
