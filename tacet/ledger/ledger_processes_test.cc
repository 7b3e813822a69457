// What several processes spend from one ledger, and what those leave that are killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/ledger.h"
#include "tests/support/fault_layer.h"
#include "tests/support/processes.h"
#include "tests/support/small_ledger.h"

namespace tacet::ledger {
namespace ledger_processes_test {

namespace fs = std::filesystem;

constexpr auto add_remove = privacy::Adjacency::add_remove;
const OutputRecord output{sha256("model"), "model.json"};

namespace fault = test::fault;
using test::exit_code_of;
using test::in_child;
using test::make_ledger;
using test::Witness;

Booking part_of(std::int64_t parts) { return test::zcdp_booking(1.0 / static_cast<double>(parts)); }

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

// What a dead run has sent away nobody can take back on somebody's word.
TEST(LedgerProcesses, ARunThatDiedAfterItDisclosedSomethingIsNotGivenBack) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  make_ledger(path, 1);
  for (const bool discloses : {false, true}) {
    const auto child = in_child([&] {
      Ledger ledger(path);
      const auto run = ledger.reserve(part_of(4));
      if (discloses) ledger.disclose(run);
      return 0;
    });
    ASSERT_EQ(exit_code_of(child), 0);
    Ledger ledger(path);
    const auto run = ledger.books().account("adult").runs.back().number;
    if (discloses) {
      EXPECT_THROW(ledger.resolve(run, "nothing was written"), base::BudgetError);
      // In what is written down from time to time, too.
      EXPECT_TRUE(snapshot_from_text(to_text(ledger.snapshot())).disclosed.contains(run));
    } else {
      EXPECT_NO_THROW(ledger.resolve(run, "nothing was written"));
    }
  }
  EXPECT_EQ(Ledger(path).books().account("adult").counted().total().value, 0.25);
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
  constexpr int max_operations = 40;
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
      const int when = 1 + static_cast<int>(random() % max_operations);
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

TEST(LedgerProcesses, ARunOfAProcessThatLivesIsNotTakenOver) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "budget.ledger";
  make_ledger(path, 1);
  const test::Gate booked;
  const test::Gate seen;
  const auto child = in_child([&] {
    Ledger ledger(path);
    static_cast<void>(ledger.reserve(part_of(1)));
    booked.open();
    seen.pass();
    return 0;
  });
  booked.pass();
  Ledger ledger(path);
  const auto run = ledger.books().account("adult").runs.at(0).number;
  EXPECT_THROW(ledger.adopt(run), base::BudgetError);
  seen.open();
  EXPECT_EQ(exit_code_of(child), 0);
  ledger.adopt(run);
  EXPECT_THROW(ledger.cancel(run), base::InternalError);  // another process's
  ledger.commit({{run, part_of(1).event}}, {std::string(64, 'a'), "x"});
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

}  // namespace ledger_processes_test
}  // namespace tacet::ledger
