#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/ledger/ledger.h"
#include "tacet/ledger/marks.h"
#include "tacet/local/device/client.h"
#include "tests/support/local_task.h"
#include "tests/support/processes.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/service_transport.h"

namespace tacet::test {

inline const local::Policy usual_policy{
    .largest_epsilon = 4, .all_tasks_epsilon = 4, .mechanisms = {"privunit"}};

/// For processes in which no service runs: what a device refuses for itself it refuses earlier.
class NobodyAnswers : public local::Transport {
 public:
  [[nodiscard]] local::HttpReply exchange(const local::HttpRequest& /*request*/) override {
    throw base::IoError("nobody answers");
  }
  [[nodiscard]] bool confidential() const override { return true; }
};

/// A service with forty tokens, and a device with one of them.
class DeviceCase : public testing::Test {
 protected:
  DeviceCase() : task_(small_task({.delay_seconds = 3})) {
    EXPECT_TRUE(local::StateFile::make(state_, task_));
    {
      local::StateFile file(state_, ledger::Access::write);
      tokens_ = file.enrol(40);
      model_ = file.last_round().model;
    }
    service_ =
        std::make_unique<local::Service>(state_, local::ServiceOptions{.requests_per_second = 1e6});
    transport_ = std::make_unique<ServiceTransport>(*service_);
    device_transport_ = transport_.get();
    record("age,town,bought\n43,Bern,yes\n");
  }

  void record(const std::string& text) { record_ = text; }

  local::ParticipationResult join(std::size_t device = 0,
                                  const local::Policy& policy = usual_policy,
                                  bool only_resume = false) {
    std::ofstream(record_of(device)) << record_;
    return join_with(record_of(device), device, policy, only_resume);
  }
  /// With a record that is there, as it is named.
  local::ParticipationResult join_with(const std::filesystem::path& record, std::size_t device = 0,
                                       const local::Policy& policy = usual_policy,
                                       bool only_resume = false) {
    const auto source = random::SecureSource::create();
    return local::take_part(
        {.task = task_,
         .policy = policy,
         .record = record,
         .folder = folder_of(device),
         .token = tokens_[device],
         .only_resume = only_resume,
         .patience = std::chrono::seconds(patience_)},
        {.transport = *device_transport_,
         .source = *source,
         .wait = [this](std::chrono::milliseconds time) { waits_.push_back(time); }});
  }
  [[nodiscard]] std::filesystem::path folder_of(std::size_t device) const {
    return folder_.path() / ("device" + std::to_string(device));
  }
  [[nodiscard]] std::filesystem::path record_of(std::size_t device) const {
    return folder_.path() / ("record" + std::to_string(device) + ".csv");
  }
  [[nodiscard]] std::filesystem::path report_of(std::size_t device) const {
    return folder_of(device) / (task_.digest + ".report");
  }
  [[nodiscard]] double spent(std::size_t device = 0) const {
    const auto ledger = folder_of(device) / "device.ledger";
    if (!std::filesystem::exists(ledger)) return 0;
    const auto snapshot = ledger::Ledger(ledger).snapshot();
    return snapshot.accounts.empty() ? 0 : snapshot.accounts.front().counted.total().value;
  }
  [[nodiscard]] std::int64_t sent(const std::string& path) const {
    return std::ranges::count(transport_->requests, path, &local::HttpRequest::path);
  }
  [[nodiscard]] std::int64_t counted() const { return service_->snapshot().reports; }

  /// An attempt that ends when it has booked.
  void book_and_die() {
    const auto died = in_child([&] {
      std::filesystem::create_directory(folder_of(0));
      ledger::Ledger::create(folder_of(0) / "device.ledger");
      ledger::Ledger books(folder_of(0) / "device.ledger");
      books.enrol({.data_set = "record",
                   .adjacency = privacy::Adjacency::replace_one,
                   .cap = {.currency = ledger::Currency::pure, .value = 4}});
      static_cast<void>(books.reserve({.data_set = "record",
                                       .command = "join " + task_.digest,
                                       .event = task_.randomizer().event(),
                                       .stated = task_.plan.guarantee}));
      return 0;
    });
    ASSERT_EQ(exit_code_of(died), 0);
  }

  /// What stands in its folder when it has drawn a report and died.
  void store_report() const {
    base::write_file(report_of(0), any_report(task_, {task_.digest, 0, model_, 60}, 7),
                     base::Overwrite::refuse);
  }
  [[nodiscard]] std::vector<ledger::RunState> states() const {
    std::vector<ledger::RunState> all;
    ledger::Ledger ledger(folder_of(0) / "device.ledger");
    const auto books = ledger.books();
    for (const auto& run : books.account("record").runs) all.push_back(run.state);
    return all;
  }

  /// How a child ends whose device finds no server: 0, or 1 for a refusal with the words, 2 for
  /// another one.
  int end_without_server(const std::filesystem::path& record, std::size_t device,
                         const local::Policy& policy, const std::string& words) {
    NobodyAnswers nobody;
    device_transport_ = &nobody;
    patience_ = 0;
    try {
      static_cast<void>(join_with(record, device, policy));
    } catch (const base::BudgetError& error) {
      return std::string(error.what()).find(words) != std::string::npos ? 1 : 2;
    } catch (const base::IoError& error) {
      return std::string(error.what()).find("nobody answers") != std::string::npos ? 0 : 2;
    }
    return 2;
  }

  template <typename Error>
  void refused(const std::string& reason, const local::Policy& policy = usual_policy) {
    try {
      static_cast<void>(join(0, policy));
      ADD_FAILURE() << "not refused: " << reason;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
    EXPECT_EQ(spent(), 0);
    EXPECT_EQ(sent("/v1/report"), 0);
    EXPECT_FALSE(std::filesystem::exists(report_of(0)));
  }

  ScratchFolder folder_;
  std::filesystem::path state_ = folder_.path() / "task.state";
  std::string record_;
  local::Task task_;
  std::vector<std::string> tokens_;
  std::unique_ptr<local::Service> service_;
  std::unique_ptr<ServiceTransport> transport_;
  local::Transport* device_transport_ = nullptr;  ///< another one for processes without the service
  std::string model_;
  std::vector<std::chrono::milliseconds> waits_;
  std::int64_t patience_ = 3600;
};

}  // namespace tacet::test
