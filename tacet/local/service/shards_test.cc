#include "tacet/local/service/shards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/service/reopen.h"
#include "tacet/local/service/replay.h"
#include "tests/support/collector_case.h"
#include "tests/support/local_task.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_ledger.h"

namespace tacet::local {
namespace shards_test {

using test::noon;

Task one_round() { return test::small_task({}, {{"batch-size", "40"}}); }

class ShardsTest : public testing::Test {
 protected:
  ShardsTest() {
    make_shards(path_, task_, 4);
    tokens_ = enrol_in_shards(path_, 4, 40, 0);
  }

  [[nodiscard]] std::filesystem::path shard(std::size_t i) const {
    return shard_paths(path_, 4)[i];
  }
  /// Each device at its shard; returns the reports in the order in which a merge takes them.
  std::vector<std::string> report_all() {
    std::vector<std::string> reports;
    for (std::size_t i = 0; i < 4; ++i) {
      Collector server(shard(i));
      for (std::size_t device = 10 * i; device < 10 * i + 10; ++device) {
        const auto mac = server.mac_of(tokens_[device]);
        auto asked = test::slot_of(mac);
        EXPECT_EQ(test::handle_one(server, asked, noon), Reason::slot);
        reports.push_back(test::any_report(task_, asked.slot.value_or(Slot{}), device));
        auto sent = test::report_of(task_, mac, reports.back());
        EXPECT_EQ(test::handle_one(server, sent, noon), Reason::counted);
      }
    }
    return reports;
  }
  void close_all() {
    for (std::size_t i = 0; i < 4; ++i) StateFile(shard(i), ledger::Access::write).close("closed");
  }
  std::string refusal(const std::vector<std::filesystem::path>& states) {
    try {
      static_cast<void>(merge_shards(states, merged_));
      return "merged";
    } catch (const base::Error& error) {
      EXPECT_FALSE(std::filesystem::exists(merged_));
      return error.what();
    }
  }
  static bool says(const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  }

  test::ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "task.state";
  std::filesystem::path merged_ = folder_.path() / "merged.state";
  Task task_ = one_round();
  std::vector<std::string> tokens_;
};

TEST_F(ShardsTest, ATokenIsValidAtTheShardOfItsFirstDigitAlone) {
  ASSERT_EQ(tokens_.size(), 40U);
  for (std::size_t i = 0; i < 4; ++i) {
    Collector server(shard(i));
    for (std::size_t device = 0; device < 40; ++device) {
      const bool own = device / 10 == i;
      EXPECT_EQ(server.knows(server.mac_of(tokens_[device])), own) << device;
      const auto digit = std::stoul(tokens_[device].substr(0, 1), nullptr, 16);
      EXPECT_EQ(digit / 4 == i, own);
    }
  }
}

TEST_F(ShardsTest, AMergeIsWhatOneServerWouldHaveMade) {
  const auto reports = report_all();
  close_all();
  auto states = shard_paths(path_, 4);
  std::ranges::reverse(states);  // whatever order they are named in
  const auto merged = merge_shards(states, merged_);
  EXPECT_EQ(merged.reports, 40);
  EXPECT_EQ(merged.left_out, 0);
  const auto alone = folder_.path() / "alone.state";
  ASSERT_TRUE(StateFile::make(alone, task_));
  std::vector<std::string> tokens = StateFile(alone, ledger::Access::write).enrol(40);
  {
    Collector server(alone);
    for (std::size_t place = 0; place < 40; ++place) {
      const auto i = place * 7 % 40;  // in another order
      auto sent = test::report_of(task_, server.mac_of(tokens[i]), reports[i]);
      EXPECT_EQ(test::handle_one(server, sent, noon), Reason::counted);
    }
  }
  StateFile one(alone, ledger::Access::read);
  StateFile many(merged_, ledger::Access::read);
  EXPECT_EQ(many.learner(), one.learner());
  EXPECT_EQ(model_of(many).model.coefficients, model_of(one).model.coefficients);
  EXPECT_EQ(replay(many, ReplayCheck::every_round).rounds, 1);
  // A device that sends again is known.
  Collector server(merged_);
  auto again = test::report_of(task_, server.mac_of(tokens_[7]), reports[7]);
  EXPECT_EQ(test::handle_one(server, again, noon), Reason::counted);
}

TEST_F(ShardsTest, WhatIsNoWholeTaskIsRefused) {
  static_cast<void>(report_all());
  EXPECT_TRUE(says(refusal(shard_paths(path_, 4)), "is open"));
  close_all();
  auto states = shard_paths(path_, 4);
  EXPECT_TRUE(says(refusal({states[0], states[1]}), "one of 4 shards, but 2 states"));
  EXPECT_TRUE(
      says(refusal({states[0], states[1], states[2], states[2]}), "two states are of shard 2"));
  const auto others = folder_.path() / "others.state";
  make_shards(others, task_, 4);
  StateFile(shard_paths(others, 4)[3], ledger::Access::write).close("closed");
  EXPECT_TRUE(says(refusal({states[0], states[1], states[2], shard_paths(others, 4)[3]}),
                   "not made together"));
  std::filesystem::copy_file(states[0], merged_);
  EXPECT_THROW(static_cast<void>(merge_shards(states, merged_)), base::UsageError);
  EXPECT_TRUE(std::filesystem::exists(merged_));
}

TEST_F(ShardsTest, RoundsAreDroppedAfterTheMergeAlone) {
  static_cast<void>(report_all());
  {
    StateFile one(shard(2), ledger::Access::write);
    EXPECT_THROW(static_cast<void>(reopen(one, 0)), base::UsageError);
  }
  close_all();
  static_cast<void>(merge_shards(shard_paths(path_, 4), merged_));
  StateFile file(merged_, ledger::Access::write);
  EXPECT_EQ(reopen(file, 0).dropped, 40);
  EXPECT_EQ(overview(file).round, 0);
  file.transaction([&] { file.close("closed"); });
  // A merge that leaves dropped reports out would be the state of no server.
  EXPECT_THROW(static_cast<void>(merge_shards({merged_}, folder_.path() / "again.state")),
               base::UsageError);
}

TEST_F(ShardsTest, AReportThatCameToTwoShardsCountsOnce) {
  // A liar with two tokens sends one report under both; no shard sees the other one.
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
    Collector server(shard(i));
    const auto mac = server.mac_of(tokens_[10 * i]);
    auto asked = test::slot_of(mac);
    EXPECT_EQ(test::handle_one(server, asked, noon), Reason::slot);
    auto sent =
        test::report_of(task_, mac, test::any_report(task_, asked.slot.value_or(Slot{}), 1));
    EXPECT_EQ(test::handle_one(server, sent, noon), Reason::counted);
  }
  close_all();
  const auto merged = merge_shards(shard_paths(path_, 4), merged_);
  EXPECT_EQ(merged.reports, 1);
  EXPECT_EQ(merged.left_out, 1);
  EXPECT_EQ(StateFile(merged_, ledger::Access::read).closed(), "closed");
}

TEST_F(ShardsTest, ALostDeviceIsReplacedAndTheRoundIsFull) {
  const auto lost = tokens_[39];
  tokens_.pop_back();
  StateFile(shard(3), ledger::Access::write).revoke({lost});
  tokens_.insert(tokens_.begin(), enrol_in_shards(path_, 4, 1, 0).front());
  EXPECT_THROW(static_cast<void>(enrol_in_shards(path_, 4, 1, 0)), base::UsageError);
  for (std::size_t device = 0; device < 40; ++device) {
    const auto digit = std::stoul(tokens_[device].substr(0, 1), nullptr, 16);
    Collector server(shard(digit / 4));
    const auto mac = server.mac_of(tokens_[device]);
    auto asked = test::slot_of(mac);
    ASSERT_EQ(test::handle_one(server, asked, noon), Reason::slot) << device;
    auto sent =
        test::report_of(task_, mac, test::any_report(task_, asked.slot.value_or(Slot{}), device));
    EXPECT_EQ(test::handle_one(server, sent, noon), Reason::counted);
  }
  // One that was revoked after its report keeps its place.
  StateFile(shard(0), ledger::Access::write).revoke({tokens_.front()});
  EXPECT_THROW(static_cast<void>(enrol_in_shards(path_, 4, 1, 0)), base::UsageError);
  close_all();
  EXPECT_EQ(merge_shards(shard_paths(path_, 4), merged_).left_out, 0);
  StateFile file(merged_, ledger::Access::read);
  EXPECT_TRUE(overview(file).finished(task_));
}

TEST_F(ShardsTest, OnlyTasksOfOneRoundHaveShards) {
  const auto other = folder_.path() / "other.state";
  EXPECT_THROW(make_shards(other, test::small_task(), 4), base::UsageError);
  EXPECT_THROW(
      make_shards(other, test::small_task({.robust_groups = 4}, {{"batch-size", "40"}}), 4),
      base::UsageError);
  EXPECT_THROW(make_shards(other, task_, 3), base::UsageError);
  EXPECT_FALSE(std::filesystem::exists(shard_paths(other, 1)[0]));
  EXPECT_THROW(static_cast<void>(enrol_in_shards(path_, 4, 1, 0)), base::UsageError);  // 41 for 40
  std::filesystem::remove(shard(2));
  EXPECT_THROW(make_shards(path_, task_, 4), base::UsageError);
}

}  // namespace shards_test
}  // namespace tacet::local
