// A server that is killed before, inside or after each write and sync of its state, or whose disk
// is full there.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/local/service/replay.h"
#include "tests/support/fault_layer.h"
#include "tests/support/local_task.h"
#include "tests/support/processes.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace collector_faults_test {

namespace fs = std::filesystem;
namespace fault = test::fault;
using test::handle_one;

constexpr std::int64_t noon = 1'800'000'000'000;
constexpr std::size_t devices = 5;  // a round of four, and one more

class CollectorFaults : public testing::Test {
 protected:
  CollectorFaults() {
    EXPECT_TRUE(StateFile::make(first_, test::small_task()));
    StateFile file(first_, ledger::Access::write);
    for (const auto& token : file.enrol(devices)) macs_.push_back(file.mac_of(token));
  }

  void begin() {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path() != first_) fs::remove(entry.path());
    }
    fs::copy_file(first_, state_);
  }
  [[nodiscard]] fs::path kept(std::size_t device) const {
    return folder_.path() / ("device" + std::to_string(device));
  }
  [[nodiscard]] std::string answered() const { return (folder_.path() / "answered").string(); }

  /// What a device does: it keeps its report before it sends it, and sends no other one. A server
  /// that cannot store is asked again.
  void take_part(Collector& collector, std::size_t device) const {
    if (!fs::exists(kept(device))) {
      auto asked = test::slot_of(macs_[device]);
      for (int i = 0; i < 3 && handle_one(collector, asked, noon) == Reason::storage; ++i) {
      }
      ASSERT_EQ(asked.reason, Reason::slot) << device;
      base::write_file(kept(device),
                       test::any_report(collector.task(), asked.slot.value_or(Slot{}), device),
                       base::Overwrite::refuse);
    }
    auto sent =
        test::report_of(collector.task(), macs_[device], base::read_file(kept(device), 1000));
    for (int i = 0; i < 3 && handle_one(collector, sent, noon) == Reason::storage; ++i) {
    }
    ASSERT_EQ(sent.reason, Reason::counted) << device;
  }
  void serve(const test::Witness& witness) const {
    Collector collector(state_);
    for (std::size_t device = 0; device < devices; ++device) {
      take_part(collector, device);
      witness.see(static_cast<char>('a' + device));
    }
  }

  /// Whoever was answered counts; and all of them count once when they have sent the same again.
  void expect_exactly_once(const test::Witness& witness) const {
    {
      StateFile file(state_, ledger::Access::read);
      for (std::size_t device = 0; device < devices; ++device) {
        if (witness.count(static_cast<char>('a' + device)) == 0) continue;
        const auto stored = file.frame_of(macs_[device]);
        ASSERT_TRUE(stored) << device;
        EXPECT_EQ(stored->bytes, base::read_file(kept(device), 1000));
      }
    }
    {
      Collector collector(state_);
      for (std::size_t device = 0; device < devices; ++device) take_part(collector, device);
      EXPECT_EQ(collector.published()->reports, static_cast<std::int64_t>(devices));
    }
    StateFile file(state_, ledger::Access::read);
    RoundLearner learner(file.task(), GroupOrder(file.group_key()));
    file.each_frame(1, [&](const StoredFrame& stored) {
      Frame frame;
      ASSERT_EQ(read_frame(stored.bytes, file.task().layout, frame), FrameFault::none);
      static_cast<void>(learner.add(frame.report));
    });
    EXPECT_EQ(replay(file, ReplayCheck::every_round).rounds, 1);
    EXPECT_EQ(file.learner(), learner.bytes());
  }

  test::ScratchFolder folder_;
  fs::path first_ = folder_.path() / "first.state";
  fs::path state_ = folder_.path() / "task.state";
  std::vector<TokenMac> macs_;
};

TEST_F(CollectorFaults, AKillAtEachWriteAndSyncLosesNothingAndCountsNothingTwice) {
  int kills = 0;
  for (const auto mode :
       {fault::Mode::kill_before, fault::Mode::kill_inside, fault::Mode::kill_after}) {
    for (int when = 1;; ++when) {
      begin();
      const test::Witness witness(answered());
      const int code = test::exit_code_of(test::in_child([&] {
        const fault::Layer layer(mode, when);
        serve(witness);
        return testing::Test::HasFailure() ? 1 : 0;
      }));
      expect_exactly_once(witness);
      if (code == 0) break;  // there were fewer operations than that
      ASSERT_EQ(code, -SIGKILL) << when;
      ++kills;
    }
  }
  EXPECT_GT(kills, 30);
}

TEST_F(CollectorFaults, AFullDiskAtEachWriteIsSaidAndEndsByItself) {
  int full = 0;
  for (int when = 1;; ++when) {
    begin();
    const test::Witness witness(answered());
    {
      const fault::Layer layer(fault::Mode::full, when);
      try {
        serve(witness);
      } catch (const base::IoError&) {  // it did not even begin
      }
    }
    expect_exactly_once(witness);
    if (!fault::struck) break;
    ++full;
  }
  EXPECT_GT(full, 10);
}

}  // namespace collector_faults_test
}  // namespace tacet::local
