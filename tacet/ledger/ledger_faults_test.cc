// What a ledger does when disks, processes and files fail.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/ledger.h"
#include "tests/support/fault_layer.h"
#include "tests/support/processes.h"
#include "tests/support/scratch_folder.h"

namespace tacet::ledger {
namespace ledger_faults_test {

namespace fs = std::filesystem;

constexpr auto add_remove = privacy::Adjacency::add_remove;
const Output output{sha256("model"), "model.json"};

namespace fault = test::fault;
using test::exit_code_of;
using test::in_child;
using test::Witness;

Booking part_of(std::int64_t parts) {
  return {.data_set = "adult",
          .command = "test",
          .event = privacy::Zcdp{1.0 / static_cast<double>(parts), add_remove},
          .stated = {1, 1e-5, add_remove}};
}

void make_ledger(const fs::path& path, double rho) {
  Ledger::create(path);
  Ledger(path).enrol({.data_set = "adult",
                      .adjacency = add_remove,
                      .cap = {.currency = Currency::zcdp, .value = rho}});
}

double spent(const fs::path& path) {
  Ledger ledger(path);
  ledger.verify();
  return ledger.books().account("adult").counted().total().value;
}

constexpr std::int64_t parts = 1024;

/// Reserves, works, commits and releases again and again; each release is witnessed.
int spend(const fs::path& path, const Witness& witness, int runs) {
  Ledger ledger(path);
  for (int i = 0; i < runs; ++i) {
    const auto run = ledger.reserve(part_of(parts));
    witness.see('b');
    ledger.commit({{run, privacy::Zcdp{1.0 / parts, add_remove}}}, output);
    witness.see('r');
  }
  return 0;
}

void expect_nothing_unbooked(const fs::path& path, const Witness& witness) {
  Ledger ledger(path);
  ledger.verify();
  const auto books = ledger.books();
  const auto& account = books.account("adult");
  std::int64_t committed = 0;
  for (const auto& run : account.runs) committed += run.state == RunState::committed ? 1 : 0;
  EXPECT_GE(committed, witness.count('r'));
  EXPECT_GE(static_cast<std::int64_t>(account.runs.size()), witness.count('b'));
  EXPECT_EQ(account.counted().total().value,
            static_cast<double>(account.runs.size()) / static_cast<double>(parts));
}

/// A cap of 32.5 times the cost of an event, and the event.
struct Spent {
  Cap cap;
  privacy::Event event;
};

std::vector<Spent> one_in_each_currency() {
  const privacy::Event gaussian = privacy::Gaussian{3};
  const privacy::Event pure = privacy::PureDp{0.1, add_remove};
  std::vector<Spent> all{{{.currency = Currency::zcdp}, gaussian},
                         {{.currency = Currency::gdp}, gaussian},
                         {{.currency = Currency::rdp, .order = 8}, gaussian},
                         {{.currency = Currency::pure}, pure},
                         {{.currency = Currency::basic, .delta = 0.5}, gaussian}};
  for (auto& one : all) {
    const double cost = cost_of(one.event, add_remove, one.cap, {1, 1e-5, add_remove}).value;
    one.cap.value = one.cap.currency == Currency::gdp ? std::sqrt(32.5 * cost) : 32.5 * cost;
  }
  return all;
}

/// Of `processes` that ask at once for a part of a cap of 32.5 parts, 32 succeed.
void race_in_each_currency(int processes) {
  for (const auto& one : one_in_each_currency()) {
    const test::ScratchFolder folder;
    const auto path = folder.path() / "budget.ledger";
    Ledger::create(path);
    Ledger(path).enrol({.data_set = "adult", .adjacency = add_remove, .cap = one.cap});
    const test::Gate gate;
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) {
      children.push_back(in_child([&] {
        gate.pass();
        try {
          Ledger ledger(path, {.busy_milliseconds = 300000});
          const auto run = ledger.reserve({.data_set = "adult",
                                           .command = "test",
                                           .event = one.event,
                                           .stated = {1, 1e-5, add_remove}});
          ledger.commit({{run, one.event}}, output);
        } catch (const privacy::BudgetExceeded&) {
          return 4;
        }
        return 0;
      }));
    }
    gate.open();
    int succeeded = 0;
    int refused = 0;
    for (const auto child : children) {
      const int code = exit_code_of(child);
      succeeded += code == 0 ? 1 : 0;
      refused += code == 4 ? 1 : 0;
    }
    EXPECT_EQ(succeeded, 32) << to_string(one.cap.currency);
    EXPECT_EQ(refused, processes - 32) << to_string(one.cap.currency);
    Ledger ledger(path);
    ledger.verify();
    const auto books = ledger.books();
    EXPECT_EQ(books.account("adult").runs.size(), 32U);
    EXPECT_TRUE(books.account("adult").counted().within(one.cap));
  }
}

TEST(LedgerProcesses, OfThirtySixInEachCurrencyExactlyThoseSucceedThatFit) {
  race_in_each_currency(36);
}

TEST(LedgerProcessesLong, OfSixtyFourInEachCurrencyExactlyThoseSucceedThatFit) {
  race_in_each_currency(64);
}

TEST(LedgerProcesses, TwelveThatMakeOneLedgerAtOnceAllGetTheirAccount) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  const test::Gate gate;
  std::vector<pid_t> children;
  for (int i = 0; i < 12; ++i) {
    children.push_back(in_child([&] {
      gate.pass();
      Ledger::ensure(path);
      Ledger ledger(path);
      ledger.enrol({.data_set = "set" + std::to_string(i),
                    .adjacency = add_remove,
                    .cap = {.currency = Currency::zcdp, .value = 1}});
      return 0;
    }));
  }
  gate.open();
  for (const auto child : children) EXPECT_EQ(exit_code_of(child), 0);
  EXPECT_EQ(Ledger(path).books().accounts.size(), 12U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(LedgerProcesses, AKillAtEachOperationNeverLeavesMoreReleasedThanBooked) {
  const test::ScratchFolder folder;
  int kills = 0;
  for (const auto mode :
       {fault::Mode::kill_before, fault::Mode::kill_inside, fault::Mode::kill_after}) {
    for (int when = 1;; ++when) {
      const auto name = std::to_string(static_cast<int>(mode)) + "-" + std::to_string(when);
      const auto path = folder.path() / (name + ".ledger");
      const Witness witness(folder.path() / (name + ".seen"));
      make_ledger(path, 1);
      const int code = exit_code_of(in_child([&] {
        const fault::Layer layer(mode, when);
        return spend(path, witness, 1);
      }));
      expect_nothing_unbooked(path, witness);
      if (code == 0) break;  // there were fewer operations than that
      ASSERT_EQ(code, -SIGKILL);
      ++kills;
      for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry.path());
    }
  }
  EXPECT_GT(kills, 30);
}

/// Pairs of processes that spend from one ledger, each killed at a random operation.
void kill_at_random(int rounds) {
  constexpr int rounds_per_ledger = 10;
  constexpr int most_operations = 40;
  std::mt19937_64 random(20260101);
  const test::ScratchFolder folder;
  int kills = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto name = std::to_string(round / rounds_per_ledger);
    const auto path = folder.path() / (name + ".ledger");
    const Witness witness(folder.path() / (name + ".seen"));
    if (round % rounds_per_ledger == 0) make_ledger(path, 100);
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i) {
      const auto mode = static_cast<fault::Mode>(2 + random() % 3);
      const int when = 1 + static_cast<int>(random() % most_operations);
      children.push_back(in_child([&] {
        const fault::Layer layer(mode, when);
        return spend(path, witness, 100);
      }));
    }
    for (const auto child : children) kills += exit_code_of(child) == -SIGKILL ? 1 : 0;
    expect_nothing_unbooked(path, witness);
  }
  EXPECT_EQ(kills, 2 * rounds);
}

TEST(LedgerProcesses, AHundredRandomKillsNeverLeaveMoreReleasedThanBooked) { kill_at_random(50); }

TEST(LedgerProcessesLong, AThousandRandomKillsNeverLeaveMoreReleasedThanBooked) {
  kill_at_random(500);
}

TEST(LedgerProcesses, ACrashCountsAsSpentUntilAPersonAttestsThatNothingLeft) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  make_ledger(path, 1);
  const auto child = in_child([&]() -> int {
    Ledger ledger(path);
    static_cast<void>(ledger.reserve(part_of(1)));
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  EXPECT_EQ(exit_code_of(child), -SIGKILL);
  Ledger ledger(path);
  EXPECT_THROW(static_cast<void>(ledger.reserve(part_of(1024))), privacy::BudgetExceeded);
  const auto run = ledger.books().account("adult").runs.at(0);
  EXPECT_EQ(run.state, RunState::reserved);
  EXPECT_FALSE(running(run.booking.process));
  EXPECT_THROW(ledger.cancel(run.number), base::InternalError);
  ledger.resolve(run.number, "killed by hand, no file was written");
  EXPECT_THROW(ledger.resolve(run.number, "killed by hand, no file was written"),
               base::BudgetError);
  EXPECT_EQ(ledger.books().run(run.number).attestation, "killed by hand, no file was written");
  static_cast<void>(ledger.reserve(part_of(1)));
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

TEST(LedgerFaults, AFullDiskWhenTheLedgerIsMadeLeavesNoFile) {
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
    "run 4 stays booked as spent, and its output does not appear. If nothing of it left, `tacet "
    "ledger resolve ";

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

TEST(LedgerFaults, AnotherFormatIsRefusedWithAdvice) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  make_ledger(path, 1);
  const auto set_version = [&](const std::string& version) {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
    sqlite3_exec(other, ("PRAGMA user_version=" + version).c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(other);
  };
  for (const std::string version : {"0", "2", "1000000"}) {
    set_version(version);
    try {
      Ledger ledger(path);
      FAIL() << "format " << version << " was taken for format 1";
    } catch (const base::DataError& error) {
      EXPECT_NE(std::string(error.what()).find("has format " + version), std::string::npos);
    }
  }
  set_version("1");
  EXPECT_EQ(spent(path), 0);
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

TEST(LedgerFaults, NetworkFileSystemsAreKnownByTheirNumbers) {
  // statfs(2).
  EXPECT_EQ(internal::network_file_system(0x6969), "nfs");
  EXPECT_EQ(internal::network_file_system(0xFF534D42), "cifs");
  EXPECT_EQ(internal::network_file_system(0xEF53), "");      // ext4
  EXPECT_EQ(internal::network_file_system(0x01021994), "");  // tmpfs
}

}  // namespace ledger_faults_test
}  // namespace tacet::ledger
