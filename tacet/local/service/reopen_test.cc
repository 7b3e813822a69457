#include "tacet/local/service/reopen.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/service/replay.h"
#include "tests/support/collector_case.h"

namespace tacet::local {
namespace reopen_test {

using test::any_report;
using test::noon;
using test::take_part;

class ReopenTest : public test::CollectorCase {
 protected:
  void report(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      EXPECT_EQ(take_part(collector(), macs_[i], i, noon), Reason::counted) << i;
    }
  }
  Reopened back_to(std::int64_t round) {
    restart();
    StateFile file(path_, ledger::Access::write);
    return reopen(file, round);
  }
  [[nodiscard]] std::string receipt() {
    restart();
    StateFile file(path_, ledger::Access::read);
    return model_of(file).receipt.parameters;
  }
  /// The model of the reports that teach something.
  std::vector<double> model() {
    restart();
    StateFile file(path_, ledger::Access::read);
    const auto again = replay(file, ReplayCheck::every_round);
    EXPECT_EQ(model_of(file).model.coefficients, again.model);
    return again.model;
  }
};

TEST_F(ReopenTest, TheModelIsThatOfTheReportsThatWereNotDropped) {
  for (const std::int64_t groups : {0, 2}) {
    begin(test::small_task({.robust_groups = groups}));
    report(0, 14);  // three rounds and a half
    const auto done = back_to(1);
    EXPECT_EQ(done.round, 1);
    EXPECT_EQ(done.dropped, 10);
    report(20, 32);
    const auto found = model();
    StateFile file(path_, ledger::Access::read);
    const auto now = overview(file);
    EXPECT_EQ(now.round, 4);
    EXPECT_EQ(now.reports, 26);
    EXPECT_EQ(now.dropped, 10);
    EXPECT_EQ(file.count("frames"), 26);  // all stay on record
    RoundLearner learner(file.task(), GroupOrder(file.group_key()));
    file.each_frame(1, [&](const StoredFrame& stored) {
      if (stored.sequence > 4 && stored.sequence <= 14) return;
      Frame frame;
      ASSERT_EQ(read_frame(stored.bytes, file.task().layout, frame), FrameFault::none);
      static_cast<void>(learner.add(frame.report));
    });
    EXPECT_EQ(learner.model(), found);
  }
}

TEST_F(ReopenTest, ATokenOfADroppedReportStaysUsed) {
  report(0, 6);
  static_cast<void>(back_to(0));
  EXPECT_EQ(take_part(collector(), macs_[0], 0, noon), Reason::used_token);
  EXPECT_EQ(take_part(collector(), macs_[5], 99, noon), Reason::used_token);
  report(6, 8);
  restart();  // and is passed over when a server begins in the middle of a round
  report(8, 11);
  static_cast<void>(model());
}

TEST_F(ReopenTest, AFinishedOrClosedTaskGoesOnAlsoSeveralTimes) {
  report(0, 40);
  EXPECT_TRUE(collector().published()->finished);
  static_cast<void>(back_to(9));
  EXPECT_FALSE(collector().published()->finished);
  restart();
  {
    StateFile file(path_, ledger::Access::write);
    EXPECT_EQ(static_cast<std::int64_t>(file.enrol(12).size()), 12);
    file.close("closed");
  }
  static_cast<void>(back_to(8));
  StateFile file(path_, ledger::Access::read);
  EXPECT_EQ(overview(file).closed, "");
  EXPECT_EQ(overview(file).round, 8);
  EXPECT_EQ(overview(file).dropped, 8);
  static_cast<void>(model());
}

TEST_F(ReopenTest, APlaceThatADroppedReportHadIsFreeAgain) {
  report(0, 40);  // all places of the task
  static_cast<void>(back_to(0));
  restart();
  std::vector<TokenMac> more;
  {
    StateFile file(path_, ledger::Access::write);
    for (const auto& token : file.enrol(40)) more.push_back(file.mac_of(token));
  }
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(take_part(collector(), more[i], 100 + i, noon), Reason::counted) << i;
  }
  EXPECT_TRUE(collector().published()->finished);
  static_cast<void>(model());
  StateFile file(path_, ledger::Access::read);
  const auto receipt = model_of(file).receipt;
  EXPECT_NE(receipt.parameters.find("\"reports_counted\":40,"), std::string::npos);
  EXPECT_NE(receipt.parameters.find("\"reports_dropped\":40,"), std::string::npos);
}

TEST_F(ReopenTest, LateReportsOfRoundsThatStayAreTakenAsBefore) {
  restart();
  const auto first = StateFile(path_, ledger::Access::read).last_round().model;  // of round 0
  const auto late = any_report(collector().task(), {collector().task().digest, 0, first, 60}, 39);
  report(0, 24);
  static_cast<void>(back_to(5));
  EXPECT_EQ(send(39, late), Reason::counted);
  static_cast<void>(model());
}

// Liars alone, of a mechanism whose reports may have any length.
TEST_F(ReopenTest, ATaskOfLiarsIsNotEndedAndItsModelSaysWhatWasBounded) {
  report(0, 4);
  EXPECT_EQ(receipt().find("rounds_refused"), std::string::npos);
  begin(test::small_task({}, {{"mechanism", "l2_laplace"}, {"batch-size", "1"}}));
  for (std::size_t i = 0; i < 40; ++i) {
    const auto slot = slot_for(i);
    Frame frame{
        .round = slot.round, .model = model_mark(slot.model), .report_id = i + 1, .report = {}};
    frame.report.coordinates.assign(collector().task().layout.coordinates, 2147483647);
    EXPECT_EQ(send(i, frame_bytes(frame, collector().task().layout)), Reason::counted) << i;
  }
  const auto published = collector().published();
  EXPECT_TRUE(published->finished);
  EXPECT_GT(published->bounded.refused, 5);
  EXPECT_EQ(published->bounded.cut, 40);
  EXPECT_NE(receipt().find("\"rounds_refused\":"), std::string::npos);
  EXPECT_NE(receipt().find("\"diverged\":"), std::string::npos);
  EXPECT_NE(receipt().find("\"task_state\":\"finished\""), std::string::npos);
  static_cast<void>(model());
}

TEST_F(ReopenTest, AReplayNamesTheRoundsThatMetABound) {
  begin(test::small_task({}, {{"mechanism", "l2_laplace"}, {"batch-size", "4"}}));
  const auto tell = [&](std::size_t from, std::size_t to) {
    for (auto i = from; i < to; ++i) {
      const auto slot = slot_for(i);
      Frame frame{
          .round = slot.round, .model = model_mark(slot.model), .report_id = i + 1, .report = {}};
      const bool lie = i == 9 || i == 16;
      frame.report.coordinates.assign(collector().task().layout.coordinates, lie ? 2147483647 : 1);
      EXPECT_EQ(send(i, frame_bytes(frame, collector().task().layout)), Reason::counted) << i;
    }
  };
  tell(0, 20);
  const auto bounded = [&] {
    restart();
    StateFile file(path_, ledger::Access::read);
    return replay(file, ReplayCheck::every_round).bounded;
  };
  EXPECT_EQ(bounded(), (std::vector<std::int64_t>{2, 4}));
  static_cast<void>(back_to(bounded().front()));
  EXPECT_TRUE(bounded().empty());
  tell(20, 28);
  EXPECT_TRUE(bounded().empty());
}

TEST_F(ReopenTest, WhatCannotBeGoneBackToIsRefusedAndChangesNothing) {
  report(0, 6);
  restart();
  const auto refuse = [&](std::int64_t round) {
    StateFile file(path_, ledger::Access::write);
    EXPECT_THROW(static_cast<void>(reopen(file, round)), base::UsageError);
  };
  refuse(2);
  refuse(-1);
  static_cast<void>(collector());
  {
    StateFile file(path_, ledger::Access::write);
    EXPECT_THROW(static_cast<void>(reopen(file, 0)), base::IoError);  // a server has it
  }
  restart();
  StateFile file(path_, ledger::Access::read);
  EXPECT_EQ(overview(file).round, 1);
  EXPECT_EQ(overview(file).dropped, 0);
}

}  // namespace reopen_test
}  // namespace tacet::local
