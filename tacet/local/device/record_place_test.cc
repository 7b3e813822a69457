// What becomes of the record's name, folder and mark while a device takes part.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tacet/base/error.h"
#include "tacet/local/device/device_books.h"
#include "tests/support/denied_calls.h"
#include "tests/support/device_case.h"

namespace tacet::local {
namespace record_place_test {

namespace fs = std::filesystem;
using test::usual_policy;

class RecordPlaceTest : public test::DeviceCase {
 protected:
  RecordPlaceTest() {
    for (const auto* name : {"a", "b"}) fs::create_directory(folder_.path() / name);
    write(a_, "age,town,bought\n43,Bern,yes\n");
    write(b_, "age,town,bought\n43,Bern,yes\n44,Basel,no\n");  // known by being two
  }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  /// Once, when the device has looked at its record and asks for a slot.
  void while_it_asks(const std::function<void()>& change) {
    transport_->before = [change, done = false](const HttpRequest& request) mutable {
      if (request.path != "/v1/slot" || done) return;
      done = true;
      change();
    };
  }
  void refused_with(const fs::path& record, const std::string& words) {
    try {
      static_cast<void>(join_with(record));
      ADD_FAILURE() << "not refused: " << words;
    } catch (const base::BudgetError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("spent nothing"), std::string::npos) << error.what();
    }
    EXPECT_EQ(sent("/v1/report"), 0);
    EXPECT_EQ(spent(), 0);
  }

  fs::path a_ = folder_.path() / "a" / "record.csv";
  fs::path b_ = folder_.path() / "b" / "record.csv";
  fs::path link_ = folder_.path() / "link";
};

TEST_F(RecordPlaceTest, WhatIsBookedIsReadThoughALinkToItsFolderIsChanged) {
  fs::create_directory_symlink(a_.parent_path(), link_);
  while_it_asks([&] {
    fs::remove(link_);
    fs::create_directory_symlink(b_.parent_path(), link_);
  });
  EXPECT_EQ(join_with(link_ / "record.csv").answer, "counted");
  EXPECT_EQ(spent(), 4);
  EXPECT_EQ(ledger::read_marks(a_.parent_path()).size(), 1U);
  EXPECT_TRUE(ledger::read_marks(b_.parent_path()).empty());
}

TEST_F(RecordPlaceTest, WhatIsBookedIsReadThoughALinkToTheRecordIsChanged) {
  fs::create_symlink(a_, link_);
  while_it_asks([&] {
    fs::remove(link_);
    fs::create_symlink(b_, link_);
  });
  EXPECT_EQ(join_with(link_).answer, "counted");
  EXPECT_EQ(ledger::read_marks(a_.parent_path()).size(), 1U);
}

TEST_F(RecordPlaceTest, AnotherRecordOfTheNameIsNotBookedForTheOne) {
  while_it_asks([&] {
    write(folder_.path() / "new", "age,town,bought\n44,Basel,no\n");
    fs::rename(folder_.path() / "new", a_);
  });
  refused_with(a_, "another file than when this device began");
}

TEST_F(RecordPlaceTest, AnotherFolderInThePlaceOfTheRecordsIsNotBooked) {
  while_it_asks([&] {
    fs::rename(a_.parent_path(), folder_.path() / "before");
    fs::copy(folder_.path() / "before", a_.parent_path());
  });
  refused_with(a_, "another file than when this device began");
}

TEST_F(RecordPlaceTest, ASecondNameThatItGetsMeanwhileIsSeen) {
  while_it_asks([&] { fs::create_hard_link(a_, folder_.path() / "second.csv"); });
  refused_with(a_, "2 names (hard links)");
}

TEST_F(RecordPlaceTest, AStreamIsNoRecord) {
  const auto pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& name : {fs::path("-"), fs::path("/dev/null"), pipe}) {
    try {
      static_cast<void>(join_with(name));
      ADD_FAILURE() << "took part with " << name;
    } catch (const base::UsageError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("a mark beside it says what was spent"), std::string::npos) << text;
    }
  }
  EXPECT_TRUE(transport_->requests.empty());
  EXPECT_FALSE(fs::exists(folder_of(0)));
}

// As nobody, whom a folder without its mode for writing takes no files from.
TEST_F(RecordPlaceTest, AMarkThatCannotFollowTheLedgerIsRefusedUnlessTheBooksHaveAPlace) {
  fs::permissions(folder_.path(), fs::perms::all);
  const auto code = test::exit_code_of(test::in_child([&] {
    if (!test::be_nobody()) return 98;
    const auto make = [&](const char* name) {
      fs::create_directory(folder_.path() / name);
      write(folder_.path() / name / "record.csv", "age,town,bought\n43,Bern,yes\n");
      return folder_.path() / name / "record.csv";
    };
    const auto close = [](const fs::path& record) {
      fs::permissions(record.parent_path(), fs::perms::owner_read | fs::perms::owner_exec);
    };
    const auto end = [&](const fs::path& record, std::size_t device, const Policy& policy) {
      return end_without_server(record, device, policy, "cannot be written");
    };
    auto placed = usual_policy;
    placed.books = folder_.path() / "books";
    const auto one = make("one");
    if (end(one, 0, usual_policy) != 0) return 3;  // it is marked now
    close(one);
    if (end(one, 0, usual_policy) != 1) return 4;
    const auto two = make("two");
    if (end(two, 1, placed) != 0) return 5;
    close(two);
    if (end(two, 1, placed) != 0) return 6;
    const auto three = make("three");  // never marked
    close(three);
    if (end(three, 2, usual_policy) != 1) return 7;
    return end(three, 2, placed) == 0 ? 0 : 8;
  }));
  EXPECT_EQ(code, 0);
}

TEST_F(RecordPlaceTest, AFileThatIsMountedInASecondPlaceIsRefusedUnlessTheBooksHaveAPlace) {
  constexpr int not_allowed = 77;
  const int code = test::exit_code_of(test::in_child([&] {
    if (!test::mount_file(a_, b_)) return not_allowed;
    const auto end = [&](const fs::path& record, const Policy& policy) {
      return end_without_server(record, 0, policy, "is a mount point by itself");
    };
    if (end(b_, usual_policy) != 1) return 3;
    auto placed = usual_policy;
    placed.books = folder_.path() / "books";
    return end(b_, placed) == 0 ? 0 : 4;
  }));
  if (code == not_allowed) GTEST_SKIP() << "nothing may be mounted here";
  EXPECT_EQ(code, 0);
}

TEST_F(RecordPlaceTest, WhereNothingCanBeLockedNothingIsBooked) {
  EXPECT_EQ(test::exit_code_of(test::in_child([&] {
              const DeviceFolder folder(folder_of(0), nullptr);
              const RecordFile record(a_);
              test::NobodyAnswers nobody;
              const auto source = random::SecureSource::create();
              const Participation part{
                  .task = task_, .policy = usual_policy, .record = a_, .folder = folder_of(0)};
              if (!test::deny_call(SYS_flock, ENOLCK)) return 98;
              try {
                const DeviceBooks books(folder, part, record,
                                        {.transport = nobody, .source = *source});
                return 1;
              } catch (const base::IoError& error) {
                const std::string text = error.what();
                return text.find("cannot lock the marks") != std::string::npos ? 0 : 2;
              }
            })),
            0);
}

// Its epsilon is booked when the second look at the mark refuses to send what was drawn.
TEST_F(RecordPlaceTest, AfterABookingNothingSaysThatNothingWasSpent) {
  const DeviceFolder folder(folder_of(0), nullptr);
  const RecordFile record(a_);
  const auto source = random::SecureSource::create();
  const Participation part{
      .task = task_, .policy = usual_policy, .record = a_, .folder = folder_of(0)};
  const DeviceContext context{.transport = *transport_, .source = *source};
  DeviceBooks books(folder, part, record, context);
  books.resolve_attempts();
  const auto reservation = books.reserve();
  fs::remove(a_.parent_path() / ledger::marks_file_name);
  try {
    books.book_report("a report");
    ADD_FAILURE() << "booked";
  } catch (const base::BudgetError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("nothing was spent"), std::string::npos) << text;
    EXPECT_EQ(text.find("spent nothing"), std::string::npos) << text;
    EXPECT_NE(text.find("stays booked"), std::string::npos) << text;
  }
  EXPECT_EQ(spent(), 4);
}

// An attempt that died has booked; what this call says of itself is true all the same.
TEST_F(RecordPlaceTest, WhatACallSaysOfTheBudgetIsAboutItself) {
  book_and_die();
  const auto says = [&](const fs::path& record, const Policy& policy) {
    try {
      static_cast<void>(join_with(record, 0, policy));
      return std::string("took part");
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
  };
  auto narrow = usual_policy;
  narrow.largest_epsilon = 3;
  auto other = usual_policy;
  other.all_tasks_delta = 1e-6;
  for (const auto& text : {says(b_, usual_policy), says(a_, narrow), says(a_, other),
                           says(folder_.path() / "nowhere", usual_policy)}) {
    EXPECT_EQ(text.find("nothing was spent"), std::string::npos) << text;
    EXPECT_NE(text.find("this call has sent no report and spent nothing"), std::string::npos)
        << text;
  }
  EXPECT_EQ(spent(), 4);
}

}  // namespace record_place_test
}  // namespace tacet::local
