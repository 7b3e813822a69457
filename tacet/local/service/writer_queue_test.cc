// What the one writer notes for the operator, and whom it lets wait for a slot.
#include "tacet/local/service/writer_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/collector_case.h"
#include "tests/support/local_task.h"

namespace tacet::local {
namespace writer_queue_test {

using std::chrono::milliseconds;

class WriterQueueTest : public test::CollectorCase {
 protected:
  void open(milliseconds slot_wait) {
    queue_.emplace(collector(), counters_, QueueOptions{.slot_wait = slot_wait, .log = &log_});
  }
  Application ask(Application application) {
    std::promise<Application> answered;
    EXPECT_TRUE(queue_->submit(std::move(application),
                               [&](const Application& decided) { answered.set_value(decided); }));
    return answered.get_future().get();
  }
  Application take_part(std::size_t device) {
    const auto asked = ask(test::slot_of(macs_[device]));
    EXPECT_EQ(asked.reason, Reason::slot);
    return ask(
        test::report_of(collector().task(), macs_[device],
                        test::any_report(collector().task(), asked.slot.value_or(Slot{}), device)));
  }
  std::vector<std::string> events() {
    const std::scoped_lock lock(mutex_);
    return events_;
  }

  std::mutex mutex_;
  std::vector<std::string> events_;
  EventLog log_{LogFormat::json, [this](LogLevel, std::string_view line) {
                  const std::scoped_lock lock(mutex_);
                  events_.push_back(nlohmann::json::parse(line)["event"].get<std::string>());
                  return true;
                }};
  ServiceCounters counters_;
  std::optional<WriterQueue> queue_;
};

TEST_F(WriterQueueTest, AStateThatCannotBeWrittenIsNotedOnceAndThatItCanAgain) {
  open(milliseconds(0));
  EXPECT_EQ(take_part(0).reason, Reason::counted);
  EXPECT_TRUE(events().empty());
  const auto away = folder_.path() / "away.state";
  std::filesystem::rename(path_, away);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(test::slot_of(macs_[1])).reason, Reason::storage);
  }
  EXPECT_FALSE(queue_->ready());
  EXPECT_EQ(events(), std::vector<std::string>{"storage_failed"});
  std::filesystem::rename(away, path_);
  EXPECT_EQ(take_part(1).reason, Reason::counted);
  EXPECT_EQ(events(), (std::vector<std::string>{"storage_failed", "storage_back"}));
}

TEST_F(WriterQueueTest, TheEndOfATaskIsNotedOnce) {
  open(milliseconds(0));
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(take_part(i).reason, Reason::counted);
  EXPECT_EQ(ask(test::slot_of(macs_[0])).reason, Reason::used_token);
  EXPECT_EQ(events(), std::vector<std::string>{"task_ended"});
}

TEST_F(WriterQueueTest, RoundsThatMetABoundAreNotedAtOnceAndAtTheEndNotEachTime) {
  auto terms = test::narrow_terms;
  terms.largest_norm = 30;
  begin(test::small_task(terms, {{"learner", "local-sgd"}, {"step-size", "1000"}}));
  open(milliseconds(0));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(take_part(i).reason, Reason::counted);
  EXPECT_EQ(events(), (std::vector<std::string>{"rounds_bounded", "diverged"}));
  for (std::size_t i = 4; i < 39; ++i) EXPECT_EQ(take_part(i).reason, Reason::counted);
  EXPECT_EQ(std::ssize(events()), 2);
  EXPECT_EQ(take_part(39).reason, Reason::counted) << "no device ends a task";
  EXPECT_EQ(events(), (std::vector<std::string>{"rounds_bounded", "diverged", "rounds_bounded",
                                                "task_ended"}));
}

TEST_F(WriterQueueTest, WhoFindsNoSlotWaitsForOneAndIsThenToldToComeAgain) {
  open(milliseconds(150));
  for (std::size_t i = 0; i < 4; ++i) static_cast<void>(ask(test::slot_of(macs_[i])));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(test::slot_of(macs_[4])).reason, Reason::round_full);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(150));
  queue_.reset();  // an end answers those that wait
  open(std::chrono::seconds(1000));
  std::promise<Reason> answered;
  EXPECT_TRUE(queue_->submit(test::slot_of(macs_[4]), [&](const Application& decided) {
    answered.set_value(decided.reason);
  }));
  while (queue_->waiting() == 0) std::this_thread::sleep_for(milliseconds(1));
  queue_.reset();
  EXPECT_EQ(answered.get_future().get(), Reason::round_full);
}

}  // namespace writer_queue_test
}  // namespace tacet::local
