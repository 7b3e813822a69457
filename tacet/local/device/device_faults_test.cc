// A device that is killed before, inside or after anything that it writes, makes durable or sends.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "tacet/base/atomic_file.h"
#include "tacet/ledger/ledger.h"
#include "tacet/local/device/client.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/service/service.h"
#include "tests/support/local_task.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/system_calls.h"

namespace tacet::local {
namespace device_faults_test {

using std::chrono::milliseconds;

/// A service that notes which reports came under each token, whole ones only.
class Watcher : public HttpHandler {
 public:
  explicit Watcher(Service& service) : service_(service) {}
  std::optional<HttpAnswer> admit(RequestHead& head) override { return service_.admit(head); }
  void answer(const RequestHead& head, std::string body,
              std::function<void(HttpAnswer)> done) override {
    if (!body.empty()) {
      const std::scoped_lock lock(mutex_);
      reports_[head.token].insert(body);
    }
    service_.answer(head, std::move(body), std::move(done));
  }
  HttpAnswer not_understood() override { return service_.not_understood(); }
  HttpAnswer overloaded() override { return service_.overloaded(); }
  [[nodiscard]] std::set<std::string> reports(const std::string& token) {
    const std::scoped_lock lock(mutex_);
    return reports_[token];
  }

 private:
  Service& service_;
  std::mutex mutex_;
  std::map<std::string, std::set<std::string>> reports_;
};

constexpr std::int64_t max_devices = 4000;
constexpr std::int64_t max_report_bytes = 1000;

class DeviceFaults : public testing::Test {
 protected:
  DeviceFaults()
      : task_(test::small_task({.delay_seconds = 0},
                               {{"public-row-count", std::to_string(max_devices)}})) {
    EXPECT_TRUE(StateFile::make(state_, task_));
    tokens_ = StateFile(state_, ledger::Access::write).enrol(max_devices);
    service_ = std::make_unique<Service>(state_, ServiceOptions{.requests_per_second = 1e6});
    watcher_ = std::make_unique<Watcher>(*service_);
    server_.start(*watcher_);
  }
  ~DeviceFaults() override { server_.stop(); }

  [[nodiscard]] std::filesystem::path folder_of(std::size_t device) const {
    return folder_.path() / std::to_string(device) / "state";
  }
  [[nodiscard]] std::string token(std::size_t device) const { return tokens_.at(device); }

  int join(std::size_t device) const {
    const auto source = random::SecureSource::create();
    const auto transport =
        http_client({.server = {"127.0.0.1", std::to_string(server_.port()), false}});
    const Policy policy{.largest_epsilon = 4, .all_tasks_epsilon = 4, .mechanisms = {"privunit"}};
    const auto result =
        take_part({.task = task_,
                   .policy = policy,
                   .record = folder_of(device).parent_path() / "record.csv",
                   .folder = folder_of(device),
                   .token = token(device)},
                  {.transport = *transport, .source = *source, .wait = [](milliseconds) {}});
    return result.answer == "counted" ? 0 : 1;
  }

  /// What has left is booked, whatever moment ended the device.
  void expect_paid_for(std::size_t device) {
    const auto sent = watcher_->reports(token(device));
    ASSERT_LE(sent.size(), 1U);
    if (sent.empty()) return;
    EXPECT_EQ(spent(device), 4);
    const auto kept =
        base::read_file(folder_of(device) / (task_.digest + ".report"), max_report_bytes);
    EXPECT_EQ(*sent.begin(), kept);
  }
  void expect_exactly_once(std::size_t device) {
    expect_paid_for(device);
    EXPECT_EQ(watcher_->reports(token(device)).size(), 1U);
    StateFile file(state_, ledger::Access::read);
    const auto counted = file.frame_of(file.mac_of(token(device)));
    ASSERT_TRUE(counted);
    EXPECT_EQ(counted->bytes, *watcher_->reports(token(device)).begin());
    std::int64_t committed = 0;
    ledger::Ledger ledger(folder_of(device) / "device.ledger");
    const auto books = ledger.books();
    for (const auto& run : books.account("record").runs) {
      EXPECT_NE(run.state, ledger::RunState::reserved);
      committed += run.state == ledger::RunState::committed ? 1 : 0;
    }
    EXPECT_EQ(committed, 1);
    EXPECT_EQ(spent(device), 4);
  }
  [[nodiscard]] double spent(std::size_t device) const {
    const auto snapshot = ledger::Ledger(folder_of(device) / "device.ledger").snapshot();
    return snapshot.account("record").counted.total().value;
  }

  /// Kills at every `stride`-th call, `first` being the first one.
  void kill_devices(int first, int stride) {
    if (!test::tracing_is_allowed()) GTEST_SKIP() << "no process may be traced here";
    std::size_t device = 0;
    int kills = 0;
    for (const auto moment :
         {test::KillMoment::before, test::KillMoment::inside, test::KillMoment::after}) {
      bool killed = true;
      for (int when = first; killed && !HasFailure(); when += stride) {
        ++device;
        std::filesystem::create_directories(folder_of(device).parent_path());
        std::ofstream(folder_of(device).parent_path() / "record.csv")
            << "age,town,bought\n43,Bern,yes\n";
        killed = test::killed_at_call(moment, when, [&] { return join(device); });
        expect_paid_for(device);
        if (killed) {
          EXPECT_EQ(join(device), 0) << when;
        }
        expect_exactly_once(device);
        kills += killed ? 1 : 0;
        if (HasFailure()) ADD_FAILURE() << "killed at call " << when;
      }
    }
    EXPECT_GT(kills, 300 / stride);
    EXPECT_EQ(service_->snapshot().reports, static_cast<std::int64_t>(device));
  }

  test::ScratchFolder folder_;
  std::filesystem::path state_ = folder_.path() / "task.state";
  Task task_;
  std::vector<std::string> tokens_;
  HttpServer server_{{.limits = {.connections_per_second = 1e6}}};
  std::unique_ptr<Service> service_;
  std::unique_ptr<Watcher> watcher_;
};

TEST_F(DeviceFaults, AKillAtSomeOfWhatItWritesSendsOneReportAndBooksItOnce) { kill_devices(3, 16); }

using DeviceFaultsLong = DeviceFaults;
TEST_F(DeviceFaultsLong, AKillAtAllThatItWritesSendsOneReportAndBooksItOnce) { kill_devices(1, 1); }

}  // namespace device_faults_test
}  // namespace tacet::local
