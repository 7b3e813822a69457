#include "tacet/ledger/marks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tacet/base/error.h"
#include "tacet/base/progress.h"
#include "tests/support/denied_calls.h"
#include "tests/support/processes.h"
#include "tests/support/scratch_folder.h"

namespace tacet::ledger {
namespace marks_test {

TEST(Marks, WhatAKilledProcessLeftIsTakenAwayByTheNextWriter) {
  const test::ScratchFolder folder;
  for (const char* name :
       {"..tacet-ledgers.17-0.tmp", ".tacet-ledgers.17-0.tmp", ".people.csv.17-0.tmp"}) {
    std::ofstream(folder.path() / name) << "{";
  }
  add_mark(folder.path(), {"a.csv", "adult", "budget.ledger", "1", {7, "abc"}});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "..tacet-ledgers.17-0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / ".tacet-ledgers.17-0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / ".people.csv.17-0.tmp"));
  EXPECT_EQ(read_marks(folder.path()).size(), 1);
}

TEST(Marks, AreReadBackAndReplacedByFile) {
  const test::ScratchFolder folder;
  EXPECT_TRUE(read_marks(folder.path()).empty());
  const Mark first{"a.csv", "adult", "budget.ledger", "1", {7, "abc"}};
  const Mark second{"b \"x\".csv", "bank", "/elsewhere/budget.ledger", "2", {}};
  add_mark(folder.path(), first);
  add_mark(folder.path(), second);
  EXPECT_EQ(read_marks(folder.path()), (std::vector<Mark>{first, second}));
  auto changed = first;
  changed.data_set = "adult2";
  add_mark(folder.path(), changed);
  EXPECT_EQ(read_marks(folder.path()), (std::vector<Mark>{second, changed}));
  EXPECT_EQ(ledger_path(folder.path(), first), folder.path() / "budget.ledger");
  EXPECT_EQ(ledger_path(folder.path(), second), "/elsewhere/budget.ledger");
}

TEST(Marks, ALedgerInTheFolderIsNamedSoThatBothCanMove) {
  const test::ScratchFolder folder;
  std::ofstream(folder.path() / "budget.ledger").close();
  EXPECT_EQ(path_for_mark(folder.path(), folder.path() / "budget.ledger"), "budget.ledger");
  EXPECT_TRUE(path_for_mark(folder.path(), "/dev/null").is_absolute());
}

TEST(Marks, SeveralAtOnceAllGetTheirs) {
  const test::ScratchFolder folder;
  const test::Gate gate;
  std::vector<pid_t> children;
  for (int i = 0; i < 12; ++i) {
    children.push_back(test::in_child([&] {
      gate.pass();
      add_mark(folder.path(), {std::to_string(i) + ".csv", "adult", "budget.ledger", "1", {}});
      return 0;
    }));
  }
  gate.open();
  for (const auto child : children) EXPECT_EQ(test::exit_code_of(child), 0);
  EXPECT_EQ(read_marks(folder.path()).size(), 12U);
}

// What is marked is a chain of rows, not a file.
TEST(Marks, ACopyOfALedgerIsKnownByTheRowsThatItLacks) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  const auto copy = folder.path() / "copy.ledger";
  const auto data = folder.path() / "data";
  std::filesystem::create_directory(data);
  Ledger::create(path);
  const auto spend = [](const std::filesystem::path& from, double rho = 0.125) {
    Ledger ledger(from);
    constexpr auto add_remove = privacy::Adjacency::add_remove;
    static_cast<void>(ledger.reserve({.data_set = "adult",
                                      .command = "test",
                                      .event = privacy::Zcdp{rho, add_remove},
                                      .stated = {1, 1e-5, add_remove}}));
  };
  const auto check = [&](const std::filesystem::path& one) {
    Ledger ledger(one);
    check_continues(read_marks(data).at(0), ledger);
  };
  const auto advance = [&](const std::filesystem::path& one) {
    Ledger ledger(one);
    EXPECT_TRUE(advance_marks(data, ledger));
  };
  {
    Ledger ledger(path);
    ledger.enrol({.data_set = "adult",
                  .adjacency = privacy::Adjacency::add_remove,
                  .cap = {.currency = Currency::zcdp, .value = 1}});
    add_mark(data, {"a.csv", "adult", path, ledger.snapshot().ledger, ledger.position()});
  }
  std::filesystem::copy_file(path, copy);
  check(copy);  // nothing was spent since: either may go on
  spend(path);
  check(path);
  check(copy);  // not noted yet
  advance(path);
  check(path);
  EXPECT_THROW(check(copy), base::BudgetError);
  // A copy that has as many rows, but others.
  spend(copy, 0.25);
  EXPECT_THROW(check(copy), base::BudgetError);
  EXPECT_THROW(advance(copy), base::BudgetError);
  // A copy of all that was spent takes over, and the ledger that it was made from is the old one.
  std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
  spend(copy);
  advance(copy);
  check(copy);
  EXPECT_THROW(check(path), base::BudgetError);
}

// A full disk is no folder that takes no files: a row that is not noted makes a copy look whole.
TEST(Marks, AreNotLeftBehindWhereTheyCannotBeWritten) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  Ledger::create(path);
  Ledger ledger(path);
  ledger.enrol({.data_set = "adult",
                .adjacency = privacy::Adjacency::add_remove,
                .cap = {.currency = Currency::zcdp, .value = 1}});
  EXPECT_EQ(test::exit_code_of(test::in_child([&] {
              add_mark(folder.path(), {"a.csv", "adult", path, ledger.snapshot().ledger, {}});
              const auto before = read_marks(folder.path());
              // As on a full disk: no file may grow.
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit none{0, 0};
              if (::setrlimit(RLIMIT_FSIZE, &none) != 0) return 1;
              try {
                static_cast<void>(advance_marks(folder.path(), ledger));
                return 2;
              } catch (const base::IoError&) {
                return read_marks(folder.path()) == before ? 0 : 3;
              }
            })),
            0);
}

// Who spends must know it: a state of the ledger from before the booking passes for the ledger.
TEST(Marks, SayWhereTheyDoNotFollowTheLedger) {
  const test::ScratchFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  EXPECT_EQ(test::exit_code_of(test::in_child([&] {
              if (!test::be_nobody()) return 98;
              const auto data = folder.path() / "data";
              std::filesystem::create_directory(data);
              const auto path = folder.path() / "budget.ledger";
              Ledger::create(path);
              Ledger ledger(path);
              const Enrolment account{.data_set = "adult",
                                      .adjacency = privacy::Adjacency::add_remove,
                                      .cap = {.currency = Currency::zcdp, .value = 1}};
              add_mark(data, {"a.csv", "adult", path, ledger.snapshot().ledger, {}});
              if (!advance_marks(data, ledger)) return 1;
              std::filesystem::permissions(
                  data, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
              if (!advance_marks(data, ledger)) return 2;  // they say all that there is to say
              ledger.enrol(account);
              if (advance_marks(data, ledger)) return 3;
              try {
                HeldMarks(data).rewrite();
                return 4;
              } catch (const base::IoError&) {
              }
              std::filesystem::permissions(data, std::filesystem::perms::owner_all);
              HeldMarks(data).rewrite();
              return read_marks(data).size() == 1 && advance_marks(data, ledger) ? 0 : 5;
            })),
            0);
}

TEST(Marks, AreNotHeldWhereNothingCanBeLocked) {
  const test::ScratchFolder folder;
  EXPECT_EQ(test::exit_code_of(test::in_child([&] {
              if (!test::deny_call(SYS_flock, ENOLCK)) return 98;
              try {
                add_mark(folder.path(), {"a.csv", "adult", "budget.ledger", "1", {}});
                return 1;
              } catch (const base::IoError& error) {
                const std::string text = error.what();
                return text.find("cannot lock the marks") != std::string::npos ? 0 : 2;
              }
            })),
            0);
  EXPECT_TRUE(read_marks(folder.path()).empty());
}

TEST(Marks, KnowTheFolderThatTheyAreHeldInFromOneThatTookItsPlace) {
  const test::ScratchFolder folder;
  const auto place = folder.path() / "data";
  std::filesystem::create_directory(place);
  std::ofstream(place / "a.csv") << "a";
  const int opened = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int file = ::open((place / "a.csv").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(opened, 0);
  ASSERT_GE(file, 0);
  {
    const HeldMarks marks(place);
    EXPECT_TRUE(marks.is_of(opened));
    EXPECT_TRUE(marks.names("a.csv", file));
    EXPECT_FALSE(marks.names("b.csv", file));
    std::filesystem::rename(place / "a.csv", place / "b.csv");
    std::filesystem::create_symlink("b.csv", place / "a.csv");
    EXPECT_FALSE(marks.names("a.csv", file));
    std::filesystem::rename(place, folder.path() / "before");
    EXPECT_FALSE(marks.is_of(opened));
    std::filesystem::create_directory(place);
    EXPECT_FALSE(marks.is_of(opened));
  }
  EXPECT_FALSE(HeldMarks(place).is_of(opened));
  ::close(file);
  ::close(opened);
}

TEST(Marks, WhatCannotBeUnderstoodIsNotTakenForNone) {
  const test::ScratchFolder folder;
  for (const auto* text : {"", "{}", "[]", "{\"marks\":[{}]}", "{\"marks\":[{\"file\":1}]}"}) {
    std::ofstream(folder.path() / marks_file_name) << text;
    EXPECT_THROW(static_cast<void>(read_marks(folder.path())), base::DataError) << text;
  }
}

// Somebody else holds the folder: who waits gets it afterwards, or can be interrupted.
TEST(Marks, WaitForOthersUntilTheyAreDoneOrAnInterrupt) {
  const test::ScratchFolder folder;
  const Mark mark{"a.csv", "adult", "budget.ledger", "1", {7, "abc"}};
  const int other = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(other, 0);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  base::CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(add_mark(folder.path(), mark, &cancel), base::Interrupted);
  EXPECT_TRUE(read_marks(folder.path()).empty());
  std::thread leaves([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ::close(other);
  });
  add_mark(folder.path(), mark);
  leaves.join();
  EXPECT_EQ(read_marks(folder.path()), std::vector<Mark>{mark});
}

TEST(Marks, AFolderThatIsNotThereIsAnErrorOfItsOwn) {
  const test::ScratchFolder folder;
  EXPECT_THROW(add_mark(folder.path() / "nowhere", {"a.csv", "adult", "budget.ledger", "1", {}}),
               base::IoError);
}

}  // namespace marks_test
}  // namespace tacet::ledger
