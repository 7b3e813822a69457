// Slots among many devices, on a clock of the tests' own: who gets one, and how fast a task goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tacet/local/service/collector.h"
#include "tests/support/collector_case.h"
#include "tests/support/local_task.h"

namespace tacet::local {
namespace slots_test {

using test::noon;
using test::second;

class SlotsTest : public test::CollectorCase {
 protected:
  /// A task of so many reports, and as many tokens.
  void begin_with(std::int64_t reports, std::int64_t batch, const TaskTerms& terms = {}) {
    begin(test::small_task(terms, {{"public-row-count", std::to_string(reports)},
                                   {"batch-size", std::to_string(batch)}}));
    StateFile file(path_, ledger::Access::write);
    for (const auto& token : file.enrol(reports - 40)) macs_.push_back(file.mac_of(token));
  }

  struct Device {
    std::size_t number = 0;
    std::int64_t sends_at = 0;  // 0: it has no slot
    std::string report;
    bool done = false;
  };
  /// All that have nothing to send ask for a slot, in one group; those who get one send later.
  void ask(std::vector<Device*> devices, std::int64_t now, const auto& delay) {
    std::vector<Application> asks;
    for (const auto* device : devices) asks.push_back(test::slot_of(macs_[device->number]));
    std::vector<Application*> group;
    for (auto& one : asks) group.push_back(&one);
    ASSERT_TRUE(collector().handle(group, now));
    for (std::size_t i = 0; i < asks.size(); ++i) {
      if (asks[i].reason != Reason::slot) continue;
      devices[i]->report = test::any_report(collector().task(), *asks[i].slot, devices[i]->number);
      devices[i]->sends_at = now + delay();
    }
  }
  void send_due(std::vector<Device>& devices, std::int64_t now) {
    for (auto& device : devices) {
      if (device.done || device.sends_at == 0 || device.sends_at > now) continue;
      EXPECT_EQ(send(device.number, device.report, now), Reason::counted) << device.number;
      device.done = true;
    }
  }
};

TEST_F(SlotsTest, ADeviceThatTakesASlotAndVanishesStopsNobody) {
  begin_with(200, 1);
  static_cast<void>(slot_for(0));
  for (std::size_t i = 1; i < 100; ++i) {
    EXPECT_EQ(test::take_part(collector(), macs_[i], i, noon), Reason::counted) << i;
  }
}

TEST_F(SlotsTest, SixtyThatHoardSlotsDelayTwentyHonestDevicesAndKeepNoneOut) {
  struct Case {
    std::int64_t reports;
    std::int64_t batch;
    std::int64_t max_seconds;
  };
  // The defaults are 64 slots for the first two tasks and 20 for the last one, a third of the
  // hoarders.
  for (const auto& [reports, batch, max_seconds] :
       {Case{6400, 1, 30}, Case{6400, 8, 30}, Case{2000, 1, 290}}) {
    begin_with(reports, batch);
    std::vector<Device> hoarders(60);
    std::vector<Device> honest(20);
    for (std::size_t i = 0; i < 60; ++i) hoarders[i].number = i;
    for (std::size_t i = 0; i < 20; ++i) honest[i].number = 100 + i;
    std::int64_t now = noon;
    // Hoarders ask ten times as often, and never send.
    for (int step = 0; step < 3000; ++step, now += second / 10) {
      std::vector<Device*> waiting;
      for (auto& one : hoarders) waiting.push_back(&one);
      for (auto& one : honest) {
        if (!one.done && one.sends_at == 0 && step % 10 == 0) waiting.push_back(&one);
      }
      ask(waiting, now, [] { return 2500; });
      send_due(honest, now);
      if (std::ranges::all_of(honest, &Device::done)) break;
    }
    EXPECT_TRUE(std::ranges::all_of(honest, &Device::done)) << reports << " " << batch;
    EXPECT_LE(now - noon, max_seconds * second) << reports << " " << batch;
  }
}

TEST_F(SlotsTest, ATaskTakesAsLongAsItIsSaidTo) {
  begin_with(240, 4, {.slots = 8});
  const auto& task = collector().task();
  std::vector<Device> devices(240);
  std::uint64_t state = 7;
  const auto delay = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto share = static_cast<double>(state >> 11) * 0x1p-53;
    return 200 + static_cast<std::int64_t>(1000 * task.terms.delay_seconds * share);
  };
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i].number = i;
  std::int64_t now = noon;
  for (; !collector().published()->finished && now < noon + 1000 * second; now += second / 10) {
    send_due(devices, now);
    std::vector<Device*> waiting;
    for (auto& one : devices) {
      if (!one.done && one.sends_at == 0 && waiting.size() < 20) waiting.push_back(&one);
    }
    ask(waiting, now, delay);
  }
  const auto expected = expected_seconds(task.plan, task.terms);
  EXPECT_NEAR(static_cast<double>(now - noon) / 1000, expected, 0.15 * expected);
}

TEST_F(SlotsTest, WhoWaitsGetsASlotWhenOneIsFree) {
  begin(test::small_task(test::narrow_terms));
  for (std::size_t i = 0; i < 4; ++i) static_cast<void>(slot_for(i));
  auto waits = test::slot_of(macs_[4]);
  auto twice = test::slot_of(macs_[4]);
  EXPECT_EQ(test::handle_one(collector(), waits, noon), Reason::round_full);
  EXPECT_TRUE(waits.waits);
  std::vector<Application*> waiting{&waits, &twice};
  const auto report = test::any_report(collector().task(), slot_for(0), 0);
  auto sent = test::report_of(collector().task(), macs_[0], report);
  Application* one = &sent;
  ASSERT_TRUE(collector().handle({&one, 1}, noon, waiting));
  EXPECT_EQ(waits.reason, Reason::slot);  // one lot and one slot for a token, however often it asks
  EXPECT_EQ(twice.reason, Reason::slot);
  auto fifth = test::slot_of(macs_[5]);
  EXPECT_EQ(test::handle_one(collector(), fifth, noon), Reason::round_full);
}

TEST_F(SlotsTest, WhoWaitsIsToldWhenTheTaskEnds) {
  begin(test::small_task(test::narrow_terms));
  for (std::size_t i = 0; i < 4; ++i) static_cast<void>(slot_for(i));
  auto waits = test::slot_of(macs_[4]);
  EXPECT_EQ(test::handle_one(collector(), waits, noon), Reason::round_full);
  StateFile(path_, ledger::Access::write).close("closed");
  Application* one = &waits;
  ASSERT_TRUE(collector().handle({}, noon, {&one, 1}));
  EXPECT_EQ(waits.reason, Reason::finished);
  EXPECT_FALSE(waits.waits);
}

TEST_F(SlotsTest, SlotsThatEndUnusedAreCounted) {
  for (std::size_t i = 0; i < 3; ++i) static_cast<void>(slot_for(i));
  EXPECT_EQ(collector().lapsed(), 0);
  static_cast<void>(slot_for(5, noon + 61 * second));
  EXPECT_EQ(collector().lapsed(), 3);
}

}  // namespace slots_test
}  // namespace tacet::local
