// What a ledger does when disks, locks and files fail.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/ledger.h"
#include "tests/support/fault_layer.h"
#include "tests/support/processes.h"
#include "tests/support/small_ledger.h"

namespace tacet::ledger {
namespace ledger_faults_test {

namespace fs = std::filesystem;

constexpr auto add_remove = privacy::Adjacency::add_remove;
const OutputRecord output{sha256("model"), "model.json"};

namespace fault = test::fault;
using test::exit_code_of;
using test::in_child;
using test::make_ledger;

Booking part_of(std::int64_t parts) { return test::zcdp_booking(1.0 / static_cast<double>(parts)); }

double spent(const fs::path& path) {
  Ledger ledger(path);
  ledger.verify();
  return ledger.books().account("adult").counted().total().value;
}

TEST(LedgerFaults, AFullDiskAtAnyWriteSpendsNothingAndLosesNothing) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  make_ledger(path, 1000);
  static_cast<void>(Ledger(path).reserve(part_of(1)));
  double booked = 1;
  int faults = 0;
  for (int when = 1;; ++when) {
    bool refused = false;
    {
      const fault::Layer layer(fault::Mode::full, when);
      try {
        Ledger ledger(path);
        static_cast<void>(ledger.reserve(part_of(1)));
        booked += 1;
      } catch (const base::IoError& error) {
        refused = true;
        EXPECT_NE(std::string(error.what()).find("the disk is full; nothing was booked"),
                  std::string::npos)
            << error.what();
      }
    }
    EXPECT_EQ(spent(path), booked) << when;
    if (refused) ++faults;
    if (!fault::struck) break;
  }
  EXPECT_GT(faults, 2);
}

TEST(LedgerFaults, ALockedLedgerSaysSoAndCanStillBeRead) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  make_ledger(path, 1);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Ledger ledger(path, {.busy_milliseconds = 20});
  try {
    static_cast<void>(ledger.reserve(part_of(2)));
    FAIL() << "two writers at once";
  } catch (const base::IoError& error) {
    EXPECT_NE(std::string(error.what()).find("locked by another process; nothing was booked"),
              std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(Ledger(path, {.access = Access::read}).books().account("adult").runs.empty());
  sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  static_cast<void>(ledger.reserve(part_of(2)));
}

/// What is thrown when the end of a run cannot be written.
template <typename Hinder>
std::string text_of_failed_commit(const fs::path& path, const Hinder& hinder) {
  Ledger ledger(path, {.busy_milliseconds = 20});
  const auto run = ledger.reserve(part_of(1));
  EXPECT_EQ(run, 4);
  std::string text;
  {
    const auto hindrance = hinder();
    try {
      ledger.commit({{run, privacy::Zcdp{1, add_remove}}}, output);
    } catch (const base::Error& error) {
      text = error.what();
    }
  }
  EXPECT_EQ(ledger.books().run(run).state, RunState::reserved);
  return text;
}

constexpr std::string_view stays_spent =
    "run 4 stays booked as spent, and its output does not appear. If nothing of it left, "
    "`ledger.resolve` ";

TEST(LedgerFaults, AnEndThatCannotBeWrittenSaysThatTheReservationStays) {
  const test::ScratchFolder folder;
  const auto locked = folder.path() / "locked.ledger";
  make_ledger(locked, 1);
  struct Lock {
    explicit Lock(const fs::path& path) {
      EXPECT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
      EXPECT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    ~Lock() { sqlite3_close(other); }
    sqlite3* other = nullptr;
  };
  auto text = text_of_failed_commit(locked, [&] { return Lock(locked); });
  EXPECT_NE(text.find("is locked by another process; " + std::string(stays_spent)),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("nothing was booked"), std::string::npos) << text;
  // The layer of faults must be below the connection from its beginning.
  const auto full = folder.path() / "full.ledger";
  make_ledger(full, 1);
  const fault::Layer layer(fault::Mode::none, 0);
  struct Full {
    Full() {
      fault::mode = fault::Mode::full;
      fault::countdown = 1;
    }
    ~Full() { fault::mode = fault::Mode::none; }
  };
  text = text_of_failed_commit(full, [] { return Full(); });
  EXPECT_NE(text.find("the disk is full; " + std::string(stays_spent)), std::string::npos) << text;
}

TEST(LedgerFaults, AnOutputThatAppearsAllTheSameIsNotCalledUnreleased) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "full.ledger";
  make_ledger(path, 1);
  const fault::Layer layer(fault::Mode::none, 0);
  Ledger ledger(path);
  const auto run = ledger.reserve(part_of(1));
  fault::mode = fault::Mode::full;
  fault::countdown = 1;
  try {
    ledger.commit({{run, privacy::Zcdp{1, add_remove}}},
                  {std::string(64, 'a'), "report", "the report is sent later"});
    ADD_FAILURE() << "not refused";
  } catch (const base::IoError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("run 4 stays booked as spent, and the report is sent later"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("resolve"), std::string::npos) << text;
  }
  fault::mode = fault::Mode::none;
}

TEST(LedgerFaults, AnInterruptEndsTheWaitForALock) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  make_ledger(path, 1);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  base::CancelToken cancel;
  Ledger ledger(path, {.busy_milliseconds = 300000, .cancel = &cancel});
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel.cancel();
  });
  EXPECT_THROW(static_cast<void>(ledger.reserve(part_of(2))), base::Interrupted);
  user.join();
  sqlite3_close(other);
  EXPECT_EQ(spent(path), 0);
}

TEST(LedgerFaults, AReadOnlyLedgerCanBeReadAndNotSpentFrom) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  make_ledger(path, 1);
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  constexpr uid_t nobody = 65534;
  const auto child = in_child([&] {
    if (::getuid() == 0 && ::setuid(nobody) != 0) return 98;
    if (!Ledger(path, {.access = Access::read}).books().account("adult").runs.empty()) return 1;
    try {
      Ledger ledger(path);
      static_cast<void>(ledger.reserve(part_of(2)));
      return 2;
    } catch (const base::IoError& error) {
      const std::string text = error.what();
      if (text.find("nothing was booked") == std::string::npos) return 3;
    }
    try {
      Ledger::create(path.parent_path() / "other.ledger");
      return 4;
    } catch (const base::IoError&) {
    }
    return 0;
  });
  EXPECT_EQ(exit_code_of(child), 0);
  EXPECT_EQ(spent(path), 0);
}

TEST(LedgerFaults, WhatIsNoLedgerIsRefused) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  EXPECT_THROW(Ledger{path}, base::IoError);
  EXPECT_THROW(Ledger{folder.path()}, base::IoError);
  std::ofstream(path).close();
  EXPECT_THROW(Ledger{path}, base::DataError);
  std::ofstream(path) << "rho,0.5\n" << std::string(5000, 'x');
  EXPECT_THROW(Ledger{path}, base::DataError);
  fs::remove(path);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "CREATE TABLE journal(a)", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_THROW(Ledger{path}, base::DataError);
}

TEST(LedgerFaults, ADamagedByteIsFoundOrChangesNothing) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  const auto copy = folder.path() / "copy.ledger";
  make_ledger(path, 1);
  static_cast<void>(Ledger(path).reserve(part_of(4)));
  const auto size = static_cast<std::int64_t>(fs::file_size(path));
  std::mt19937_64 random(3);
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    const auto place = i < 100 ? i : static_cast<std::int64_t>(random() % std::uint64_t(size));
    {
      std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(place);
      const int byte = file.get();
      file.seekp(place);
      file.put(static_cast<char>(byte ^ (1 << (random() % 8))));
    }
    try {
      EXPECT_EQ(spent(copy), 0.25) << place;
    } catch (const base::Error& error) {
      EXPECT_TRUE(error.kind() == base::ErrorKind::data || error.kind() == base::ErrorKind::io)
          << error.what();
      ++found;
    }
  }
  EXPECT_GT(found, 50);
  for (std::int64_t length = 0; length < size; length += size / 16) {
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    fs::resize_file(copy, static_cast<std::uintmax_t>(length));
    EXPECT_THROW(spent(copy), base::Error) << length;
  }
}

}  // namespace ledger_faults_test
}  // namespace tacet::ledger
