#include "tacet/ledger/snapshot.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/journal.h"
#include "tacet/ledger/ledger.h"
#include "tests/support/scratch_folder.h"

namespace tacet::ledger {
namespace snapshot_test {

constexpr auto add_remove = privacy::Adjacency::add_remove;
const OutputRecord output{sha256("model"), "model.json"};

Booking booking(double rho, const std::string& command = "test") {
  return {.data_set = "adult",
          .command = command,
          .event = privacy::Zcdp{rho, add_remove},
          .stated = {1, 1e-5, add_remove}};
}

class SnapshotTest : public testing::Test {
 protected:
  SnapshotTest() {
    Ledger::create(path_);
    Ledger(path_).enrol({.data_set = "adult",
                         .adjacency = add_remove,
                         .cap = {.currency = Currency::zcdp, .value = 1}});
  }

  /// Changes the file behind the ledger's back.
  void tamper(const std::string& sql) const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
  }

  test::ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "budget.ledger";
};

// Whatever happens, what is kept from row to row is what all rows come to.
TEST_F(SnapshotTest, IsWhatAllRowsComeTo) {
  Ledger ledger(path_);
  std::mt19937_64 random(21);
  std::vector<std::int64_t> open;
  for (int i = 0; i < 300; ++i) {
    if (open.empty() || random() % 2 == 0) {
      auto one = booking(std::ldexp(1.0, -static_cast<int>(10 + random() % 20)),
                         "command" + std::to_string(random() % 3));
      if (random() % 20 == 0) {
        one.unprotected_reason = "seeded noise";
        one.override_reason = "a test of the sums";
        one.for_ever = true;
      } else {
        one.override_reason = "a test of the sums";
      }
      open.push_back(ledger.reserve(one));
      continue;
    }
    const auto at = random() % open.size();
    const auto run = open[at];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
    if (random() % 2 == 0) {
      ledger.commit({{run, privacy::no_event()}}, output);
    } else {
      ledger.cancel(run);
    }
  }
  const auto snapshot = ledger.snapshot();
  const auto books = ledger.books();
  const auto& account = books.account("adult");
  EXPECT_EQ(snapshot.account("adult").counted, account.counted());
  EXPECT_EQ(snapshot.open.size(), open.size());
  std::map<std::string, std::int64_t> commands;
  for (const auto& run : account.runs) {
    if (run.state == RunState::reserved || run.state == RunState::committed) {
      ++commands[run.booking.command];
    }
  }
  EXPECT_EQ(snapshot.account("adult").commands, commands);
  EXPECT_EQ(to_text(snapshot_from_text(to_text(snapshot))), to_text(snapshot));
  EXPECT_EQ(ledger.verify().rows, ledger.position().rows);
}

TEST_F(SnapshotTest, RowsBeforeItDecideNothingAndVerifyFindsThem) {
  {
    Ledger ledger(path_);
    for (int i = 0; i < 100; ++i) static_cast<void>(ledger.reserve(booking(1.0 / 128)));
  }
  tamper(
      "DROP TRIGGER journal_is_written_once; UPDATE journal SET text = replace(text, '0x1p-7', "
      "'0x1p-9') WHERE number = 20; CREATE TRIGGER journal_is_written_once BEFORE UPDATE ON "
      "journal\n  BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never changed'); END");
  Ledger ledger(path_);
  EXPECT_EQ(ledger.snapshot().account("adult").counted.total().value, 100.0 / 128);
  EXPECT_THROW(static_cast<void>(ledger.reserve(booking(0.5))), privacy::BudgetExceeded);
  EXPECT_THROW(static_cast<void>(ledger.verify()), base::DataError);
  EXPECT_THROW(static_cast<void>(ledger.books()), base::DataError);
  // Nor does a run end on a reservation that was changed.
  EXPECT_THROW(ledger.commit({{20, privacy::no_event()}}, output), base::DataError);
}

TEST_F(SnapshotTest, OneThatWasChangedIsRefused) {
  {
    Ledger ledger(path_);
    for (int i = 0; i < 70; ++i) static_cast<void>(ledger.reserve(booking(1.0 / 128)));
  }
  const auto copy = folder_.path() / "copy.ledger";
  std::filesystem::copy_file(path_, copy);
  for (const std::string change :
       {"UPDATE snapshot SET text = replace(text, 'adult', 'other')",
        "UPDATE snapshot SET seal = 'x'", "UPDATE snapshot SET rows = rows - 1",
        "UPDATE snapshot SET hash = 'x'"}) {
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
    tamper(change);
    EXPECT_THROW(static_cast<void>(Ledger(path_).reserve(booking(1e-9))), base::DataError)
        << change;
    EXPECT_THROW(Ledger(path_).verify(), base::DataError) << change;
  }
  // Without one everything is read.
  std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  tamper("DELETE FROM snapshot");
  static_cast<void>(Ledger(path_).reserve(booking(1.0 / 128)));
  EXPECT_EQ(Ledger(path_).snapshot().account("adult").counted.total().value, 71.0 / 128);
}

TEST_F(SnapshotTest, ForeignTriggersViewsAndTablesAreAFault) {
  const auto copy = folder_.path() / "copy.ledger";
  std::filesystem::copy_file(path_, copy);
  for (const std::string what :
       {"TRIGGER evil AFTER INSERT ON journal BEGIN UPDATE head SET rows = rows; END",
        "VIEW evil AS SELECT 1", "TABLE evil(a)", "INDEX evil ON journal(text)"}) {
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
    tamper("CREATE " + what);
    try {
      Ledger(path_).verify();
      FAIL() << what;
    } catch (const base::DataError& error) {
      EXPECT_NE(std::string(error.what()).find("'evil' is none of tacet's"), std::string::npos)
          << error.what();
    }
    EXPECT_THROW(static_cast<void>(Ledger(path_).reserve(booking(1e-9))), base::DataError) << what;
  }
}

/// Rows that are written without their ledger's help: a hundred thousand bookings in a second.
void fill(const std::filesystem::path& path, std::int64_t rows) {
  Database database(path, {});
  database.transaction("", [&] {
    auto current = internal::read_current(database);
    while (current.at.rows < rows) {
      Reserved reserved{.data_set = "adult",
                        .command = "test",
                        .software = "test",
                        .calibration = "tight",
                        .event = privacy::Zcdp{1e-9, add_remove},
                        .stated = {1, 1e-5, add_remove},
                        .cost = {1e-9, 0},
                        .process = {}};
      const auto run = internal::append_row(database, current, entry_now(std::move(reserved)));
      internal::append_row(
          database, current,
          entry_now(
              Committed{run, privacy::Zcdp{1e-9, add_remove}, {1e-9, 0}, output.sha256, "x"}));
    }
  });
}

double seconds_of_a_spend(const std::filesystem::path& path) {
  const auto start = std::chrono::steady_clock::now();
  Ledger ledger(path);
  const auto run = ledger.reserve(booking(1e-9));
  ledger.commit({{run, privacy::Zcdp{1e-9, add_remove}}}, output);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST_F(SnapshotTest, ASpendReadsFewRowsHoweverManyThereAre) {
  fill(path_, 5000);
  Database database(path_, {});
  EXPECT_LT(internal::read_current(database).at.rows - internal::read_current(database).checkpoint,
            64);
}

TEST(SnapshotLong, ASpendInAHundredThousandRowsTakesLessThanFiftyMilliseconds) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  Ledger::create(path);
  Ledger(path).enrol({.data_set = "adult",
                      .adjacency = add_remove,
                      .cap = {.currency = Currency::zcdp, .value = 1}});
  fill(path, 100000);
  double least = 1;
  for (int i = 0; i < 20; ++i) least = std::min(least, seconds_of_a_spend(path));
  RecordProperty("seconds", std::to_string(least));
  std::printf("a spend in 10^5 rows: %.1f ms\n", 1e3 * least);
  EXPECT_LT(least, 0.05);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_GE(Ledger(path).verify().rows, 100000);
  std::printf("verify: %.1f s\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

// The kept text of a snapshot, cut or edited anywhere, is never taken for another snapshot.
TEST_F(SnapshotTest, ADamagedTextIsRefused) {
  Ledger ledger(path_);
  static_cast<void>(ledger.reserve(booking(0.25)));
  const auto text = to_text(ledger.snapshot());
  EXPECT_EQ(to_text(snapshot_from_text(text)), text);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_THROW(static_cast<void>(snapshot_from_text(text.substr(0, length))), base::DataError)
        << length;
  }
  const auto with = [&](const std::string& old, const std::string& put) {
    auto changed = text;
    const auto place = changed.find(old);
    EXPECT_NE(place, std::string::npos) << old;
    return changed.replace(place, old.size(), put);
  };
  for (const auto& damaged :
       {with("\"accounts\"", "\"account\""), with("\"open\":\"", "\"open\":\"x"),
        with("\\n\"", "\\n7\""), with("\\n\"", "x\"")}) {
    EXPECT_THROW(static_cast<void>(snapshot_from_text(damaged)), base::DataError) << damaged;
  }
}

}  // namespace snapshot_test
}  // namespace tacet::ledger
