#include "tacet/local/service/collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/service/replay.h"
#include "tests/support/collector_case.h"
#include "tests/support/local_task.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_ledger.h"

namespace tacet::local {
namespace collector_test {

using test::any_report;
using test::handle_one;
using test::report_of;
using test::slot_of;
using test::take_part;

using test::noon;
using test::second;
using test::year;

class CollectorTest : public test::CollectorCase {};

TEST_F(CollectorTest, CountsEachDeviceOnceAndFinishes) {
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(take_part(collector(), macs_[i], i, noon), Reason::counted) << i;
    EXPECT_EQ(collector().published()->round, static_cast<std::int64_t>(i + 1) / 4);
  }
  EXPECT_TRUE(collector().published()->finished);
  EXPECT_EQ(take_part(collector(), macs_[0], 0, noon), Reason::used_token);
  restart();
  StateFile file(path_, ledger::Access::read);
  const auto again = replay(file, ReplayCheck::every_round);
  EXPECT_EQ(again.reports, 40);
  EXPECT_EQ(again.rounds, 10);
  EXPECT_EQ(model_of(file).model.coefficients, again.model);
}

TEST_F(CollectorTest, TheModelIsThatOfTheLearnerFedWithTheSameReports) {
  const auto task = collector().task();
  RoundLearner learner(task, GroupOrder(""));
  for (std::size_t i = 0; i < 40; ++i) {
    const auto bytes = any_report(task, slot_for(i), i);
    EXPECT_EQ(send(i, bytes), Reason::counted);
    Frame frame;
    ASSERT_EQ(read_frame(bytes, task.layout, frame), FrameFault::none);
    static_cast<void>(learner.add(frame.report));
    if (i % 7 == 0) restart();
  }
  restart();
  StateFile file(path_, ledger::Access::read);
  EXPECT_EQ(file.learner(), learner.bytes());
}

TEST_F(CollectorTest, GivesNoMoreSlotsThanTheTaskHas) {
  for (std::size_t i = 0; i < 4; ++i) static_cast<void>(slot_for(i));
  auto fifth = slot_of(macs_[4]);
  EXPECT_EQ(handle_one(collector(), fifth, noon), Reason::round_full);
  EXPECT_GE(fifth.retry_seconds, 1);
  EXPECT_LE(fifth.retry_seconds, 5);
  static_cast<void>(slot_for(0));  // who has one keeps it
  restart();                       // and after a restart
  EXPECT_EQ(handle_one(collector(), fifth, noon + 59 * second), Reason::round_full);
  EXPECT_EQ(handle_one(collector(), fifth, noon + 60 * second), Reason::slot);
}

TEST_F(CollectorTest, WhoAsksAgainAndAgainHoldsNoPlaceForEver) {
  for (std::size_t i = 0; i < 4; ++i) static_cast<void>(slot_for(i));
  for (std::int64_t at = 0; at < 60; at += 10) {
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(slot_for(i, noon + at * second).seconds, 60 - at);
    }
  }
  // Their time is over, and the next one is not theirs at once.
  for (std::int64_t at = 60; at < 120; at += 10) {
    for (std::size_t i = 0; i < 4; ++i) {
      auto again = slot_of(macs_[i]);
      EXPECT_EQ(handle_one(collector(), again, noon + at * second), Reason::round_full);
    }
  }
  EXPECT_EQ(take_part(collector(), macs_[4], 4, noon + 119 * second), Reason::counted);
  static_cast<void>(slot_for(0, noon + 120 * second));
}

TEST_F(CollectorTest, WhoMissedSlotsWaitsAsLongAfterARestart) {
  static_cast<void>(slot_for(0));
  static_cast<void>(slot_for(0, noon + 120 * second));  // the first one ended at 60
  restart();
  auto again = slot_of(macs_[0]);
  // The second one ended at 180 while nobody served: two minutes from there.
  EXPECT_EQ(handle_one(collector(), again, noon + 181 * second), Reason::round_full);
  restart();
  EXPECT_EQ(handle_one(collector(), again, noon + 299 * second), Reason::round_full);
  collector().read_tokens();
  EXPECT_EQ(handle_one(collector(), again, noon + 299 * second), Reason::round_full);
  static_cast<void>(slot_for(0, noon + 300 * second));
}

TEST_F(CollectorTest, AReportWithoutASlotTakesNobodysPlaceAtTheEnd) {
  const auto task = collector().task();
  std::vector<std::string> late(40);
  for (std::size_t i = 36; i < 40; ++i) late[i] = any_report(task, slot_for(i), i);
  const auto now = noon + 61 * second;  // their slots have ended
  for (std::size_t i = 0; i < 34; ++i) {
    EXPECT_EQ(take_part(collector(), macs_[i], i, now), Reason::counted);
    // Those of the first round wait until their round is nearly too old.
    if (i == 31) {
      EXPECT_EQ(send(38, late[38], now), Reason::counted);
      EXPECT_EQ(send(39, late[39], now), Reason::counted);
    }
  }
  ASSERT_EQ(collector().published()->reports, 36);
  for (std::size_t i = 34; i < 36; ++i) static_cast<void>(slot_for(i, now));
  std::vector<std::string> reports(40);
  for (std::size_t i = 34; i < 36; ++i) reports[i] = any_report(task, slot_for(i, now), i);
  const auto fresh = slot_for(34, now);
  const auto other = any_report(task, fresh, 36);
  EXPECT_EQ(send(36, other, now), Reason::counted);  // two places beside those that are kept
  EXPECT_EQ(send(37, any_report(task, fresh, 37), now), Reason::counted);
  {
    StateFile file(path_, ledger::Access::write);
    macs_.push_back(file.mac_of(file.enrol(1).front()));
  }
  collector().read_tokens();
  EXPECT_EQ(send(40, any_report(task, fresh, 40), now), Reason::round_full);
  restart();
  EXPECT_EQ(send(40, any_report(task, fresh, 40), now), Reason::round_full);
  EXPECT_EQ(send(34, reports[34], now), Reason::counted);
  EXPECT_EQ(send(40, any_report(task, fresh, 40), now), Reason::round_full);
  EXPECT_EQ(send(40, any_report(task, fresh, 40), now + 61 * second), Reason::counted);
  EXPECT_TRUE(collector().published()->finished);
  EXPECT_EQ(send(35, reports[35], now + 61 * second), Reason::finished);
}

TEST_F(CollectorTest, ASlotPromisesThatItsReportCountsWhateverRoundsPass) {
  auto terms = test::narrow_terms;
  terms.staleness = 0;
  begin(test::small_task(terms));
  const auto task = collector().task();
  const auto slow = any_report(task, slot_for(0), 0);
  const auto old = any_report(task, slot_for(1), 1);
  EXPECT_EQ(send(1, old), Reason::counted);
  const auto never = any_report(task, slot_for(2), 2);
  for (std::size_t i = 3; i < 15; ++i) {
    EXPECT_EQ(take_part(collector(), macs_[i], i, noon), Reason::counted);
  }
  EXPECT_EQ(collector().published()->round, 3);
  restart();
  EXPECT_EQ(send(0, slow), Reason::counted);
  EXPECT_EQ(send(2, never, noon + 61 * second), Reason::too_late);
  restart();
  StateFile file(path_, ledger::Access::read);
  EXPECT_EQ(replay(file, ReplayCheck::every_round).reports, 14);
}

TEST_F(CollectorTest, WhoAsksAgainComputesAtTheModelOfNow) {
  const auto first = slot_for(0);
  for (std::size_t i = 1; i < 13; ++i) {
    EXPECT_EQ(take_part(collector(), macs_[i], i, noon), Reason::counted);
  }
  const auto again = slot_for(0, noon + second);
  EXPECT_EQ(again.round, 3U);
  EXPECT_NE(again.model, first.model);
  EXPECT_EQ(again.seconds, 59);
  restart();
  EXPECT_EQ(send(0, any_report(collector().task(), again, 0)), Reason::counted);
}

TEST_F(CollectorTest, AClockThatJumpsBackStopsNobody) {
  for (std::size_t i = 0; i < 4; ++i) static_cast<void>(slot_for(i, noon + year));
  auto fifth = slot_of(macs_[4]);
  EXPECT_EQ(handle_one(collector(), fifth, noon), Reason::round_full);
  EXPECT_LE(slot_for(0, noon).seconds, 60);
  EXPECT_EQ(handle_one(collector(), fifth, noon + 60 * second), Reason::slot);
}

TEST_F(CollectorTest, AWaitThatAClockAheadHasNotedIsNoLongerThanItIs) {
  static_cast<void>(slot_for(0, noon + year));
  static_cast<void>(slot_for(1, noon + year + 60 * second));  // the first one was missed
  auto again = slot_of(macs_[0]);
  for (int i = 0; i < 2; ++i) {
    restart();
    EXPECT_EQ(handle_one(collector(), again, noon), Reason::round_full);
  }
  EXPECT_EQ(handle_one(collector(), again, noon + 60 * second), Reason::slot);
}

TEST_F(CollectorTest, ACertificateThatIsRefusedLeavesNoTrace) {
  const auto tokens = [&] {
    restart();
    return StateFile(path_, ledger::Access::read).count("tokens");
  };
  for (std::size_t i = 0; i < 4; ++i) static_cast<void>(slot_for(i));
  auto guest = slot_of(TokenMac{1});
  guest.certified = true;
  EXPECT_EQ(handle_one(collector(), guest, noon), Reason::round_full);
  EXPECT_EQ(tokens(), 40);
  EXPECT_EQ(handle_one(collector(), guest, noon + 61 * second), Reason::slot);
  EXPECT_EQ(tokens(), 41);
}

TEST_F(CollectorTest, AReportAfterItsSlotStillCounts) {
  const auto slot = slot_for(0);
  EXPECT_EQ(send(0, any_report(collector().task(), slot, 0), noon + 3600 * second),
            Reason::counted);
}

TEST_F(CollectorTest, AReportCountsSomeRoundsLaterAndThenNoMore) {
  begin(test::small_task({.staleness = 2, .slot_seconds = 60, .slots = 4}));
  const auto task = collector().task();
  const auto first = slot_for(0);
  const auto second_one = slot_for(1);
  std::size_t device = 2;
  const auto fill = [&](std::int64_t round) {
    while (collector().published()->round < round) {
      const auto later = noon + static_cast<std::int64_t>(device) * 61 * second;
      EXPECT_EQ(take_part(collector(), macs_[device], device, later), Reason::counted);
      ++device;
    }
  };
  fill(2);
  EXPECT_EQ(send(0, any_report(task, first, 0)), Reason::counted);
  fill(3);
  EXPECT_EQ(send(1, any_report(task, second_one, 1)), Reason::too_late);
  Slot coming{task.digest, 4, first.model, 60};
  EXPECT_EQ(send(1, any_report(task, coming, 1)), Reason::wrong_round);
  coming.round = 3;
  EXPECT_EQ(send(1, any_report(task, coming, 1)), Reason::wrong_model);
}

TEST_F(CollectorTest, TheSameReportAgainIsAnsweredAgainAndAnotherIsNot) {
  const auto task = collector().task();
  const auto slot = slot_for(0);
  const auto bytes = any_report(task, slot, 0);
  EXPECT_EQ(send(0, bytes), Reason::counted);
  EXPECT_EQ(send(0, bytes), Reason::counted);
  restart();
  EXPECT_EQ(send(0, bytes), Reason::counted);
  EXPECT_EQ(send(0, any_report(task, slot, 1)), Reason::used_token);
  EXPECT_EQ(send(1, bytes), Reason::repeated_report);  // somebody else's
  EXPECT_EQ(collector().published()->reports, 1);
  auto stranger = slot_of(TokenMac{});
  EXPECT_EQ(handle_one(collector(), stranger, noon), Reason::unknown_token);
}

TEST_F(CollectorTest, WhatIsRefusedChangesNothing) {
  const auto task = collector().task();
  const auto slot = slot_for(0);
  EXPECT_EQ(send(0, any_report(task, slot, 0)), Reason::counted);
  const auto content = [&] {
    restart();  // a state that nobody has open is one file
    std::ifstream file(path_, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const auto refuse_all = [&] {
    EXPECT_EQ(send(0, any_report(task, slot, 5)), Reason::used_token);
    EXPECT_EQ(send(1, any_report(task, slot, 0)), Reason::repeated_report);
    EXPECT_EQ(send(1, any_report(task, {task.digest, 3, slot.model, 60}, 7)), Reason::wrong_round);
    EXPECT_EQ(send(0, any_report(task, slot, 0)), Reason::counted);  // again
  };
  // Who serves is noted, so that both are states of a server that came and went.
  const auto before = content();
  static_cast<void>(collector());
  const auto idle = content();
  refuse_all();
  const auto after = content();
  EXPECT_EQ(before.size(), after.size());
  const auto differing = [](const std::string& a, const std::string& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1U : 0U;
    return count;
  };
  // Counters of transactions at the head of the file, and nothing else.
  EXPECT_LE(differing(idle, after), 16U);
}

TEST_F(CollectorTest, AGroupIsDecidedInItsOrder) {
  const auto slot = slot_for(0);
  const auto task = collector().task();
  std::vector<Application> applications;
  for (std::size_t i = 0; i < 6; ++i) {
    applications.push_back(report_of(task, macs_[i % 3], any_report(task, slot, i)));
  }
  std::vector<Application*> group;
  for (auto& one : applications) group.push_back(&one);
  ASSERT_TRUE(collector().handle(group, noon));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(applications[i].reason, i < 3 ? Reason::counted : Reason::used_token);
  }
}

TEST_F(CollectorTest, AClosedTaskTakesNothing) {
  const auto slot = slot_for(0);
  StateFile(path_, ledger::Access::write).close("closed");
  EXPECT_EQ(send(0, any_report(collector().task(), slot, 0)), Reason::finished);
  EXPECT_EQ(take_part(collector(), macs_[1], 1, noon), Reason::finished);
  EXPECT_TRUE(collector().published()->finished);
  StateFile(path_, ledger::Access::write).close("again");  // why it ended stays
  EXPECT_EQ(StateFile(path_, ledger::Access::read).closed(), "closed");
}

TEST_F(CollectorTest, AReplayBesideAServerSeesOneState) {
  const auto report = [this](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      EXPECT_EQ(take_part(collector(), macs_[i], i, noon), Reason::counted);
    }
  };
  report(0, 10);
  struct Meanwhile : base::Progress {
    std::function<void()> write;
    void advance(std::string_view /*phase*/, std::int64_t done, std::int64_t /*total*/) override {
      if (done == 1) write();
    }
  } meanwhile;
  meanwhile.write = [&] { report(10, 20); };
  StateFile file(path_, ledger::Access::read);
  EXPECT_EQ(replay(file, ReplayCheck::every_round, {.progress = &meanwhile}).reports, 10);
  EXPECT_EQ(replay(file, ReplayCheck::every_round).reports, 20);
}

TEST_F(CollectorTest, TokensThatWereEnrolledLaterAreTakenUp) {
  static_cast<void>(slot_for(0));
  StateFile file(path_, ledger::Access::write);
  const auto late = file.mac_of(file.enrol(1).front());
  EXPECT_FALSE(collector().knows(late));
  collector().read_tokens();
  EXPECT_TRUE(collector().knows(late));
  EXPECT_EQ(take_part(collector(), late, 99, noon), Reason::counted);
}

TEST_F(CollectorTest, AStateThatWasChangedIsRefused) {
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(take_part(collector(), macs_[i], i, noon), Reason::counted);
  }
  restart();
  const auto refused = [&](const std::string& sql) {
    const auto copy = folder_.path() / "copy.state";
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    test::change_file(copy, sql);
    EXPECT_THROW(Collector{copy}, base::DataError) << sql;
  };
  refused("UPDATE frames SET frame = zeroblob(length(frame)) WHERE sequence = 2");
  refused("DELETE FROM frames WHERE sequence = 3");
  refused("DELETE FROM rounds WHERE round = 2");
  refused("UPDATE meta SET value = '{}' WHERE key = 'task'");
  refused("UPDATE meta SET value = substr(value, 1, 100) WHERE key = 'learner'");
  refused("UPDATE rounds SET point = zeroblob(8) WHERE round = 1");
  refused("PRAGMA user_version = 2");
  refused("PRAGMA application_id = 2");
  refused("DROP TABLE rounds");
  // What only a replay can see.
  const auto copy = folder_.path() / "swapped.state";
  std::filesystem::copy_file(path_, copy);
  test::change_file(copy,
                    "UPDATE frames SET frame = (SELECT frame FROM frames WHERE sequence = 5) "
                    "WHERE sequence = 1");
  StateFile file(copy, ledger::Access::read);
  EXPECT_THROW((void)replay(file, ReplayCheck::last_round), base::DataError);
}

TEST_F(CollectorTest, AnotherTaskOrAnotherServerIsNamed) {
  static_cast<void>(collector());
  StateFile file(path_, ledger::Access::read);
  EXPECT_THROW(file.expect(test::small_task({.staleness = 3})), base::UsageError);
  EXPECT_NO_THROW(file.expect(test::small_task(test::narrow_terms)));
  EXPECT_FALSE(StateFile::make(path_, test::small_task(test::narrow_terms)));
  EXPECT_THROW(Collector{path_}, base::IoError);
  // A server that nobody here can see, in a container of its own.
  restart();
  const auto serving = HeldFile::hold(path_.string() + ".serving");
  ASSERT_TRUE(serving);
  EXPECT_THROW(Collector{path_}, base::IoError);
}

TEST_F(CollectorTest, ALockGoesWithItsServer) {
  static_cast<void>(collector());
  const auto lock = path_.string() + ".serving";
  EXPECT_TRUE(std::filesystem::exists(lock));
  EXPECT_FALSE(HeldFile::hold(lock));
  restart();
  EXPECT_FALSE(std::filesystem::exists(lock));
  std::ofstream(lock) << "left by one that was killed";
  static_cast<void>(collector());
}

}  // namespace collector_test
}  // namespace tacet::local
