// A server that has a device come again for ever: a request a second, and few words.
#include "tacet/local/device/patience.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/device/client.h"
#include "tests/support/local_task.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace patience_test {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// Says the same for ever.
class Hostile : public Transport {
 public:
  using Say = std::function<HttpReply(const HttpRequest&)>;
  explicit Hostile(Say say) : say_(std::move(say)) {}
  HttpReply exchange(const HttpRequest& request) override {
    ++requests;
    return say_(request);
  }
  [[nodiscard]] bool confidential() const override { return true; }
  int requests = 0;

 private:
  Say say_;
};

struct Cost {
  int requests = 0;
  std::size_t bytes_said = 0;
  double seconds = 0;
};

/// What three seconds of patience cost.
Cost cost_of(const Hostile::Say& say) {
  const test::ScratchFolder folder;
  const auto task = test::small_task({.delay_seconds = 0});
  std::ofstream(folder.path() / "record.csv") << "age,town,bought\n43,Bern,yes\n";
  Hostile transport(say);
  const auto source = random::SecureSource::create();
  Cost cost;
  const auto begin = Clock::now();
  const Policy policy{.largest_epsilon = 4, .all_tasks_epsilon = 4, .mechanisms = {"privunit"}};
  EXPECT_THROW(static_cast<void>(take_part(
                   {.task = task,
                    .policy = policy,
                    .record = folder.path() / "record.csv",
                    .folder = folder.path() / "state",
                    .token = std::string(64, '0'),
                    .patience = std::chrono::seconds(3)},
                   {.transport = transport,
                    .source = *source,
                    .wait = [](milliseconds time) { std::this_thread::sleep_for(time); },
                    .say = [&](const std::string& text) { cost.bytes_said += text.size(); }})),
               base::IoError);
  cost.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  cost.requests = transport.requests;
  return cost;
}

TEST(PatienceTest, WhateverAServerAnswersItIsAskedOnceASecondAtMost) {
  const auto task = test::small_task({.delay_seconds = 0});
  const auto point = model_bytes(std::vector<double>(static_cast<std::size_t>(task.plan.columns)));
  const auto slots_of = [&](std::int64_t seconds) {
    return [=, digest = task.digest](const HttpRequest& request) -> HttpReply {
      if (request.path != "/v1/slot") return {200, point, 0};
      return {200, slot_json({digest, 0, ledger::sha256(point), seconds}), 0};
    };
  };
  const auto refuses = [](int status, std::string body, std::int64_t retry) {
    return [=](const HttpRequest&) -> HttpReply { return {status, body, retry}; };
  };
  const std::vector<Hostile::Say> kinds{
      slots_of(0),
      refuses(503, error_json(Reason::round_full), 0),
      refuses(503, error_json(Reason::round_full), -5),
      refuses(429, error_json(Reason::too_often), 0),
      refuses(500, "", 0),
      refuses(503, error_json(Reason::busy), std::numeric_limits<std::int64_t>::max()),
      [](const HttpRequest&) -> HttpReply { throw base::IoError("nobody answers"); },
  };
  std::vector<Cost> costs(kinds.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    threads.emplace_back([&, i] { costs[i] = cost_of(kinds[i]); });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_LE(costs[i].requests, 4 + costs[i].seconds) << i;  // four of them at once
    EXPECT_LT(costs[i].bytes_said, 500U) << i;
    EXPECT_LT(costs[i].seconds, 10) << i;
  }
}

/// Sums of what would have been waited: of an hour, of which no second passes here.
TEST(PatienceTest, PausesGrowAndNeverEndBeforeTheServersOwn) {
  std::vector<milliseconds> waits;
  Hostile transport([&](const HttpRequest&) -> HttpReply {
    if (waits.size() < 12) return {503, error_json(Reason::busy), waits.size() == 3 ? 90 : 0};
    return {200, "", 0};
  });
  const auto source = random::SecureSource::create();
  const DeviceContext context{.transport = transport,
                              .source = *source,
                              .wait = [&](milliseconds time) { waits.push_back(time); }};
  Patience patience(context, std::chrono::seconds(3600), 0);
  EXPECT_EQ(patience.persist({.path = "/v1/task"}, "").status, 200);
  ASSERT_GE(waits.size(), 12U);
  for (const auto wait : waits) EXPECT_GE(wait, milliseconds(1));
  EXPECT_GE(waits[0], milliseconds(1000));
  EXPECT_LE(waits[0], milliseconds(1500));
  EXPECT_GE(waits[1], milliseconds(2000));
  EXPECT_GE(waits[2], milliseconds(4000));
  EXPECT_GE(waits[3], milliseconds(90000));
}

TEST(PatienceTest, HasBounds) {
  Hostile transport([](const HttpRequest&) -> HttpReply { return {200, "", 0}; });
  const auto source = random::SecureSource::create();
  const DeviceContext context{
      .transport = transport, .source = *source, .wait = [](milliseconds) {}};
  EXPECT_NO_THROW(Patience(context, max_patience, 0));
  // More than the clock's own duration holds, too.
  for (const auto time : {std::chrono::seconds(-1), max_patience + std::chrono::seconds(1),
                          std::chrono::seconds::max()}) {
    EXPECT_THROW(Patience(context, time, 0), base::UsageError);
  }
}

TEST(PatienceTest, NoAttemptOutlastsPatienceByMoreThanAnAnswerTakes) {
  for (const std::int64_t seconds : {0, 3, 12, 3600}) {
    std::vector<milliseconds> times;
    Hostile transport([&](const HttpRequest& request) -> HttpReply {
      times.push_back(request.max_time);
      return {200, "", 0};
    });
    const auto source = random::SecureSource::create();
    const DeviceContext context{
        .transport = transport, .source = *source, .wait = [](milliseconds) {}};
    Patience patience(context, std::chrono::seconds(seconds), 0);
    EXPECT_EQ(patience.persist({.path = "/v1/task"}, "").status, 200);
    const auto most = std::clamp<std::int64_t>(seconds, 5, 30);
    EXPECT_LE(times.at(0), std::chrono::seconds(most)) << seconds;
    EXPECT_GT(times.at(0), std::chrono::seconds(most) - milliseconds(500)) << seconds;
  }
}

}  // namespace patience_test
}  // namespace tacet::local
