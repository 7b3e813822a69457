#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tacet/local/service/collector.h"
#include "tests/support/local_task.h"
#include "tests/support/scratch_folder.h"

/// For tests: the collector of a small task.
namespace tacet::test {

inline constexpr std::int64_t noon = 1'800'000'000'000;
inline constexpr std::int64_t second = 1000;
inline constexpr std::int64_t year = 365 * 86400 * second;

/// Slots for a minute, as many as a round has places.
inline const local::TaskTerms narrow_terms{.slot_seconds = 60, .slots = 4};

/// A state of the small task with forty tokens: ten rounds of four, four slots of a minute.
class CollectorCase : public testing::Test {
 protected:
  CollectorCase() { begin(small_task(narrow_terms)); }

  void begin(const local::Task& task) {
    collector_.reset();
    std::filesystem::remove(path_);
    EXPECT_TRUE(local::StateFile::make(path_, task));
    local::StateFile file(path_, ledger::Access::write);
    tokens_ = file.enrol(40);
    macs_.clear();
    for (const auto& token : tokens_) macs_.push_back(file.mac_of(token));
  }
  local::Collector& collector() {
    if (!collector_) collector_ = std::make_unique<local::Collector>(path_);
    return *collector_;
  }
  void restart() { collector_.reset(); }
  local::Slot slot_for(std::size_t device, std::int64_t now = noon) {
    auto asked = slot_of(macs_[device]);
    EXPECT_EQ(handle_one(collector(), asked, now), local::Reason::slot);
    return asked.slot.value_or(local::Slot{});
  }
  local::Reason send(std::size_t device, const std::string& bytes, std::int64_t now = noon) {
    auto sent = report_of(collector().task(), macs_[device], bytes);
    return handle_one(collector(), sent, now);
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "task.state";
  std::vector<std::string> tokens_;
  std::vector<local::TokenMac> macs_;
  std::unique_ptr<local::Collector> collector_;
};

}  // namespace tacet::test
