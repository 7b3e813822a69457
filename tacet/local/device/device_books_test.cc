#include "tacet/local/device/device_books.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tests/support/device_case.h"

namespace tacet::local {
namespace device_books_test {

using test::usual_policy;

class DeviceBooksTest : public test::DeviceCase {};

// Killed between storing the report and ending the booking; then sent, then the file is lost.
TEST_F(DeviceBooksTest, ABookingIsNotGivenBackOnceItsReportMayHaveLeft) {
  book_and_die();
  store_report();
  transport_->before = [](const HttpRequest&) { throw base::IoError("nobody answers"); };
  patience_ = 0;
  EXPECT_THROW(static_cast<void>(join(0, usual_policy, true)), base::IoError);
  transport_->before = nullptr;
  EXPECT_EQ(states(), std::vector{ledger::RunState::committed});
  std::filesystem::remove(report_of(0));
  EXPECT_THROW(static_cast<void>(join()), base::BudgetError);
  EXPECT_THROW(static_cast<void>(join(0, usual_policy, true)), base::BudgetError);
  EXPECT_EQ(sent("/v1/slot"), 0);
  EXPECT_EQ(spent(), 4);
}

TEST_F(DeviceBooksTest, AReportIsPaidForBeforeItIsSentWhateverBecameOfItsBooking) {
  book_and_die();
  store_report();
  ledger::Ledger(folder_of(0) / "device.ledger").resolve(4, "nothing has left, which is so");
  EXPECT_EQ(spent(), 0);
  transport_->before = [&](const HttpRequest&) { EXPECT_EQ(spent(), 4); };
  EXPECT_EQ(join(0, usual_policy, true).answer, "counted");
  EXPECT_EQ(spent(), 4);
  EXPECT_EQ(states(), (std::vector{ledger::RunState::resolved, ledger::RunState::committed}));
}

TEST_F(DeviceBooksTest, AReportThatThePolicyNoLongerAllowsIsNotSent) {
  book_and_die();
  store_report();
  auto policy = usual_policy;
  policy.all_tasks_epsilon = 3;
  EXPECT_THROW(static_cast<void>(join(0, policy, true)), base::BudgetError);
  ledger::Ledger(folder_of(0) / "device.ledger").resolve(4, "nothing has left, which is so");
  EXPECT_THROW(static_cast<void>(join(0, policy, true)), base::BudgetError);
  EXPECT_TRUE(transport_->requests.empty());
}

TEST_F(DeviceBooksTest, OnlyTheReportThatWasBookedIsSent) {
  patience_ = 0;
  transport_->before = [](const HttpRequest& request) {
    if (request.path == "/v1/report") throw base::IoError("nobody answers");
  };
  EXPECT_THROW(static_cast<void>(join()), base::IoError);
  const auto others = transport_->requests.size();
  const auto right = base::read_file(report_of(0), 1000);
  const auto put = [&](const std::string& bytes) {
    std::filesystem::remove(report_of(0));
    base::write_file(report_of(0), bytes, base::Overwrite::refuse);
  };
  put("GET / HTTP/1.1\r\n");
  EXPECT_THROW(static_cast<void>(join()), base::DataError);
  put(right + "more");
  EXPECT_THROW(static_cast<void>(join()), base::IoError);
  put(test::any_report(task_, {task_.digest, 0, task_.digest, 60}, 1));  // of the task, not his
  EXPECT_THROW(static_cast<void>(join()), base::BudgetError);
  std::filesystem::remove(report_of(0));
  base::write_file(folder_.path() / "elsewhere", right, base::Overwrite::refuse);
  std::filesystem::create_symlink(folder_.path() / "elsewhere", report_of(0));
  EXPECT_THROW(static_cast<void>(join()), base::IoError);
  EXPECT_EQ(transport_->requests.size(), others);
  transport_->before = nullptr;
  put(right);
  EXPECT_EQ(join().answer, "counted");
}

TEST_F(DeviceBooksTest, AFolderWhereOthersWriteIsRefused) {
  std::filesystem::create_directory(folder_of(0));
  std::filesystem::permissions(folder_of(0), std::filesystem::perms::all);
  EXPECT_THROW(static_cast<void>(join()), base::IoError);
  EXPECT_TRUE(transport_->requests.empty());
}

TEST_F(DeviceBooksTest, AnotherOrOlderLedgerIsNoNewBudget) {
  const auto ledger = folder_of(0) / "device.ledger";
  const auto refused_now = [&] {
    const auto before = transport_->requests.size();
    EXPECT_THROW(static_cast<void>(join()), base::BudgetError);
    EXPECT_EQ(transport_->requests.size(), before);
  };
  transport_->before = [&](const HttpRequest& request) {
    if (request.path != "/v1/slot" || std::filesystem::exists(folder_.path() / "old")) return;
    std::filesystem::copy_file(ledger, folder_.path() / "old");
  };
  EXPECT_EQ(join().answer, "counted");
  std::filesystem::copy_file(ledger, folder_.path() / "new");
  const auto task = task_;
  task_ = test::small_task({.delay_seconds = 2});  // another one, of whose cost nothing is known
  const auto put = [&](const char* name) {
    std::filesystem::copy_file(folder_.path() / name, ledger,
                               std::filesystem::copy_options::overwrite_existing);
  };
  put("old");  // before its first booking
  refused_now();
  std::filesystem::remove(folder_.path() / ledger::marks_file_name);
  refused_now();  // the report of the first task is there
  std::filesystem::remove(ledger);
  refused_now();
  EXPECT_FALSE(std::filesystem::exists(ledger));
  put("new");
  task_ = task;
  EXPECT_EQ(join(0, usual_policy, true).answer, "counted");
}

TEST_F(DeviceBooksTest, AnAttemptThatFailedInThisProcessIsGivenBack) {
  // A file of that name that cannot be written to: the report cannot be stored.
  transport_->after = [&](const HttpRequest& request, HttpReply&) {
    if (request.path.starts_with("/v1/model/")) std::filesystem::create_directory(report_of(0));
  };
  EXPECT_THROW(static_cast<void>(join()), base::IoError);
  transport_->after = nullptr;
  std::filesystem::remove(report_of(0));
  EXPECT_EQ(spent(), 4);
  EXPECT_EQ(join().answer, "counted");
  EXPECT_EQ(spent(), 4);
  EXPECT_EQ(states(), (std::vector{ledger::RunState::cancelled, ledger::RunState::committed}));
}

TEST_F(DeviceBooksTest, AnAttemptThatDiedBeforeItsReportWasStoredIsGivenBack) {
  book_and_die();
  EXPECT_EQ(spent(), 4);
  EXPECT_EQ(join().answer, "counted");  // a second 4 would not fit
  EXPECT_EQ(spent(), 4);
}

TEST_F(DeviceBooksTest, AReportThatWasLostIsNeverDrawnAgain) {
  EXPECT_EQ(join().answer, "counted");
  std::filesystem::remove(report_of(0));
  std::filesystem::remove(folder_of(0) / (task_.digest + ".answer"));
  EXPECT_THROW(static_cast<void>(join()), base::BudgetError);
  EXPECT_EQ(sent("/v1/slot"), 1);
  EXPECT_EQ(sent("/v1/report"), 1);
  EXPECT_EQ(spent(), 4);
}

TEST_F(DeviceBooksTest, AnAccountOfAnotherKindIsNamed) {
  book_and_die();
  auto policy = usual_policy;
  policy.all_tasks_delta = 1e-6;
  EXPECT_THROW(static_cast<void>(join(0, policy)), base::BudgetError);
}

// Both begin with nothing spent, from one state; what the mark notes of one refuses the other.
TEST_F(DeviceBooksTest, ACopyOfTheFolderThatStartsMeanwhileIsRefused) {
  book_and_die();
  std::filesystem::copy(folder_of(0), folder_.path() / "copy");
  bool first = true;
  transport_->before = [&](const HttpRequest& request) {
    if (request.path != "/v1/slot" || !std::exchange(first, false)) return;
    std::filesystem::rename(folder_of(0), folder_.path() / "first");
    std::filesystem::rename(folder_.path() / "copy", folder_of(0));
    std::swap(tokens_[0], tokens_[1]);
    EXPECT_EQ(join().answer, "counted");  // the whole part of the copy, with a token of its own
    std::swap(tokens_[0], tokens_[1]);
    std::filesystem::rename(folder_of(0), folder_.path() / "copy");
    std::filesystem::rename(folder_.path() / "first", folder_of(0));
  };
  EXPECT_THROW(static_cast<void>(join()), base::BudgetError);
  EXPECT_EQ(counted(), 1);
  EXPECT_EQ(sent("/v1/report"), 1);
}

TEST_F(DeviceBooksTest, TheMarkIsLookedAtAgainBeforeTheRecordIsRead) {
  transport_->before = [&](const HttpRequest& request) {
    if (request.path == "/v1/slot") {
      std::filesystem::remove(folder_.path() / ledger::marks_file_name);
    }
  };
  EXPECT_THROW(static_cast<void>(join()), base::BudgetError);
  EXPECT_EQ(sent("/v1/report"), 0);
  EXPECT_EQ(spent(), 0);
}

TEST_F(DeviceBooksTest, ARecordWithASecondNameIsRefused) {
  std::ofstream(record_of(0)) << record_;
  std::filesystem::create_hard_link(record_of(0), folder_.path() / "second.csv");
  EXPECT_THROW(static_cast<void>(join()), base::BudgetError);
  EXPECT_TRUE(transport_->requests.empty());
}

TEST_F(DeviceBooksTest, ThePolicysBooksHoldWhateverFolderAndRecordAreNamed) {
  auto policy = usual_policy;
  policy.books = folder_.path() / "books";
  EXPECT_THROW(static_cast<void>(join(0, policy)), base::BudgetError);  // beside the record
  policy.books = folder_of(0) / "books";
  EXPECT_THROW(static_cast<void>(join(0, policy)), base::BudgetError);  // in the device's folder
  const test::ScratchFolder elsewhere;
  policy.books = elsewhere.path() / std::string(300, 'x');
  EXPECT_THROW(static_cast<void>(join(0, policy)), base::IoError);
  policy.books = elsewhere.path() / "loop";
  std::filesystem::create_symlink(policy.books, policy.books);
  EXPECT_THROW(static_cast<void>(join(0, policy)), base::IoError);
  EXPECT_TRUE(transport_->requests.empty());
  policy.books = elsewhere.path() / "books";
  EXPECT_EQ(join(0, policy).answer, "counted");
  EXPECT_FALSE(std::filesystem::exists(folder_of(0) / "device.ledger"));
  std::filesystem::remove(folder_.path() / ledger::marks_file_name);
  EXPECT_THROW(static_cast<void>(join(1, policy)), base::BudgetError);  // another record, folder
  EXPECT_EQ(join(0, policy, true).answer, "counted");
  // Books that were deleted are missed, as long as the mark is there.
  std::filesystem::remove_all(policy.books);
  EXPECT_THROW(static_cast<void>(join(0, policy, true)), base::BudgetError);
  EXPECT_EQ(counted(), 1);
}

TEST_F(DeviceBooksTest, ATokenThatWasUsedElsewhereIsCaught) {
  EXPECT_EQ(join().answer, "counted");
  std::filesystem::rename(folder_of(0), folder_.path() / "other");
  EXPECT_THROW(static_cast<void>(join()), base::BudgetError);  // what it has spent is not there
  std::filesystem::remove(folder_.path() / ledger::marks_file_name);
  EXPECT_THROW(static_cast<void>(join()), base::IoError);  // the server knows the token
  EXPECT_EQ(spent(), 0);
  EXPECT_EQ(counted(), 1);
}

}  // namespace device_books_test
}  // namespace tacet::local
