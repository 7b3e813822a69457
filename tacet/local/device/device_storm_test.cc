// Many starters at once on one record, each with a folder and a token of its own.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/ledger.h"
#include "tacet/ledger/marks.h"
#include "tacet/local/device/client.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/service/service.h"
#include "tests/support/local_task.h"
#include "tests/support/processes.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace device_storm_test {

using std::chrono::milliseconds;

constexpr std::size_t starters = 50;

class DeviceStorm : public testing::Test {
 protected:
  DeviceStorm()
      : task_(test::small_task({.delay_seconds = 0},
                               {{"public-row-count", "100"}, {"batch-size", "2"}})) {
    EXPECT_TRUE(StateFile::make(state_, task_));
    tokens_ = StateFile(state_, ledger::Access::write).enrol(starters);
    std::filesystem::create_directory(home_);
    std::ofstream(record_) << "age,town,bought\n43,Bern,yes\n";
    service_ = std::make_unique<Service>(state_, ServiceOptions{.requests_per_second = 1e6});
    server_.start(*service_);
  }
  ~DeviceStorm() override { server_.stop(); }

  [[nodiscard]] std::filesystem::path folder_of(std::size_t starter) const {
    return folder_.path() / ("state" + std::to_string(starter));
  }

  /// 0: it took part; 1: it was refused, for the budget alone.
  int join(std::size_t starter) const {
    const auto source = random::SecureSource::create();
    const auto transport =
        http_client({.server = {"127.0.0.1", std::to_string(server_.port()), false}});
    try {
      const auto result =
          take_part({.task = task_,
                     .policy = policy_,
                     .record = record_,
                     .folder = folder_of(starter),
                     .token = tokens_.at(starter)},
                    {.transport = *transport, .source = *source, .wait = [](milliseconds) {}});
      return result.answer == "counted" ? 0 : 2;
    } catch (const base::BudgetError&) {
      return 1;
    } catch (const base::Error& error) {
      ADD_FAILURE() << error.what();
      return 3;
    }
  }

  /// All start at once, half of them processes, the others threads of this one. Every third process
  /// is killed at a moment of its own. How many took part to their end.
  int start_all(std::uint64_t seed, bool kills) {
    const test::Gate gate;
    std::vector<pid_t> children;
    for (std::size_t i = 0; i < starters / 2; ++i) {
      children.push_back(test::in_child([&, i] {
        gate.pass();
        return join(i);
      }));
    }
    std::vector<int> ends(starters, -1);
    gate.open();
    std::vector<std::thread> threads;
    for (std::size_t i = starters / 2; i < starters; ++i) {
      threads.emplace_back([this, i, &ends] { ends[i] = join(i); });
    }
    std::mt19937_64 draw(seed);
    for (std::size_t i = 0; kills && i < children.size(); i += 3) {
      std::this_thread::sleep_for(milliseconds(draw() % 20));
      ::kill(children[i], SIGKILL);
    }
    for (std::size_t i = 0; i < children.size(); ++i) ends[i] = test::exit_code_of(children[i]);
    for (auto& thread : threads) thread.join();
    for (const int end : ends) EXPECT_TRUE(end == 0 || end == 1 || end == -SIGKILL) << end;
    return static_cast<int>(std::ranges::count(ends, 0));
  }

  /// In all ledgers that there are.
  [[nodiscard]] double spent() const {
    double all = 0;
    const auto add = [&](const std::filesystem::path& path) {
      if (!std::filesystem::exists(path)) return;
      for (const auto& account : ledger::Ledger(path).snapshot().accounts) {
        all += account.counted.total().value;
      }
    };
    for (std::size_t i = 0; i < starters; ++i) add(folder_of(i) / "device.ledger");
    add(folder_.path() / "books" / "device.ledger");
    return all;
  }
  [[nodiscard]] std::int64_t counted() const { return service_->snapshot().reports; }

  /// Whom a kill stopped goes on; nobody else can.
  void finish_and_check() {
    EXPECT_LE(counted(), 1);
    EXPECT_LE(spent(), 4);
    int ended = 0;
    for (std::size_t i = 0; i < starters; ++i) ended += join(i) == 0 ? 1 : 0;
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(counted(), 1);
    EXPECT_EQ(spent(), 4);
  }

  test::ScratchFolder folder_;
  std::filesystem::path state_ = folder_.path() / "task.state";
  std::filesystem::path home_ = folder_.path() / "home";
  std::filesystem::path record_ = home_ / "record.csv";
  Policy policy_{.largest_epsilon = 4, .all_tasks_epsilon = 4, .mechanisms = {"privunit"}};
  Task task_;
  std::vector<std::string> tokens_;
  HttpServer server_{{.limits = {.connections_per_second = 1e6}}};
  std::unique_ptr<Service> service_;
};

TEST_F(DeviceStorm, FiftyStartersOnOneRecordSendOneReport) {
  EXPECT_EQ(start_all(1, false), 1);
  EXPECT_EQ(counted(), 1);
  EXPECT_EQ(spent(), 4);
}

TEST_F(DeviceStorm, WithKillsAmongThemTooOneReportAndOneBookingAreAllThereIs) {
  static_cast<void>(start_all(2, true));
  finish_and_check();
}

TEST_F(DeviceStorm, WithThePolicysBooksTheRecordsNameAndMarkDoNotMatter) {
  policy_.books = folder_.path() / "books";
  static_cast<void>(start_all(3, true));
  finish_and_check();
  // A renamed record, a new folder, and no mark.
  std::filesystem::remove(home_ / ledger::marks_file_name);
  std::filesystem::rename(record_, home_ / "other.csv");
  record_ = home_ / "other.csv";
  for (std::size_t i = 0; i < starters; ++i) std::filesystem::remove_all(folder_of(i));
  EXPECT_EQ(join(0), 1);
  EXPECT_EQ(counted(), 1);
  EXPECT_EQ(spent(), 4);
}

class DeviceStormLong : public DeviceStorm, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(DeviceStormLong, OneReportAndOneBookingAreAllThereIs) {
  if (GetParam() % 2 == 0) policy_.books = folder_.path() / "books";
  static_cast<void>(start_all(GetParam(), true));
  finish_and_check();
}

INSTANTIATE_TEST_SUITE_P(DeviceStormLong, DeviceStormLong,
                         testing::Range<std::uint64_t>(10, 210));  // 10^4 starters

}  // namespace device_storm_test
}  // namespace tacet::local
