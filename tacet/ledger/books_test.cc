#include "tacet/ledger/books.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::ledger {
namespace books_test {

constexpr auto add_remove = privacy::Adjacency::add_remove;
const std::string digest(64, '7');

/// Rows of a minute each.
class Rows {
 public:
  /// The number of the row.
  std::int64_t add(Entry::Content content) {
    const auto minute = std::to_string(10 + entries_.size());
    entries_.push_back({"2026-01-31T12:" + minute + ":00Z", 1000, std::move(content)});
    return static_cast<std::int64_t>(entries_.size());
  }
  void open(const std::string& name, double rho) {
    add(Enrolled{name, add_remove, "record"});
    add(CapSet{name, {.currency = Currency::zcdp, .value = rho}, {}});
  }
  std::int64_t reserve(const std::string& name, double rho) {
    return add(Reserved{.data_set = name,
                        .command = "train",
                        .software = "0.1.0",
                        .calibration = "tight",
                        .event = privacy::Zcdp{rho, add_remove},
                        .stated = {1, 1e-5, add_remove},
                        .cost = {rho},
                        .process = {12, 34, "boot"},
                        .override_reason = {},
                        .unprotected_reason = {}});
  }
  std::int64_t commit(std::int64_t run, double rho) {
    return add(Committed{run, privacy::Zcdp{rho, add_remove}, {rho}, digest, "model.json"});
  }
  [[nodiscard]] Books books() const { return books_of(entries_); }

 private:
  std::vector<Entry> entries_{{"2026-01-31T12:00:00Z", 1000, Created{digest, digest, "0.1.0"}}};
};

TEST(Books, CountWhatIsReservedOrCommitted) {
  Rows rows;
  rows.open("adult", 10);
  const auto whole = rows.reserve("adult", 4);
  const auto early = rows.reserve("adult", 2);
  const auto given_back = rows.reserve("adult", 1);
  const auto died = rows.reserve("adult", 0.5);
  rows.commit(early, 0.25);
  rows.add(Cancelled{given_back});
  rows.add(Resolved{died, "nothing left"});
  const auto books = rows.books();
  const auto& account = books.account("adult");
  EXPECT_EQ(account.counted().total().value, 4.25);
  EXPECT_EQ(account.counted(RunState::reserved).total().value, 4);
  EXPECT_EQ(account.counted(RunState::committed).total().value, 0.25);
  EXPECT_EQ(account.counted(RunState::cancelled).total().value, 0);
  EXPECT_EQ(books.run(whole).state, RunState::reserved);
  EXPECT_EQ(books.run(early).state, RunState::committed);
  EXPECT_EQ(books.run(given_back).state, RunState::cancelled);
  EXPECT_EQ(books.run(died).attestation, "nothing left");
  EXPECT_TRUE(books.run(whole).end_time.empty());
  EXPECT_GT(books.run(early).end_time, books.run(early).time);
}

TEST(Books, ARunThatDisclosedSomethingStaysSpentUntilItEnds) {
  Rows rows;
  rows.open("adult", 10);
  const auto open = rows.reserve("adult", 4);
  const auto ended = rows.reserve("adult", 2);
  rows.add(Disclosed{open});
  rows.add(Disclosed{ended});
  rows.commit(ended, 1);
  const auto books = rows.books();
  EXPECT_EQ(books.account("adult").counted().total().value, 5);
  EXPECT_TRUE(books.run(open).disclosed);
  EXPECT_EQ(books.run(open).state, RunState::reserved);
  EXPECT_EQ(books.run(ended).state, RunState::committed);
}

TEST(Books, KnowAnAccountByAllItsNames) {
  Rows rows;
  rows.open("adult", 1);
  rows.open("census", 2);
  rows.add(Aliased{"adult_1994", "adult"});
  rows.add(RecordsSeen{"adult", {digest}, "adult.csv"});
  rows.add(CapSet{"adult", {.currency = Currency::zcdp, .value = 0.5}, "less"});
  const auto books = rows.books();
  EXPECT_EQ(books.account("adult_1994").name(), "adult");
  EXPECT_EQ(books.account("adult").cap().value, 0.5);
  EXPECT_EQ(books.account("adult").caps.size(), 2U);
  EXPECT_EQ(books.account("adult").records.front().file, "adult.csv");
  EXPECT_EQ(books.find("nobody"), nullptr);
  try {
    static_cast<void>(books.account("nobody"));
    FAIL() << "there is no such account";
  } catch (const base::UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("it has adult, census"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(static_cast<void>(books.run(1)), base::UsageError);
}

TEST(Books, RowsThatContradictEachOtherAreNoBooks) {
  const auto broken = [](const auto& add) {
    Rows rows;
    rows.open("adult", 1);
    const auto run = rows.reserve("adult", 0.5);
    add(rows, run);
    EXPECT_THROW(static_cast<void>(rows.books()), base::DataError);
  };
  broken([](Rows& rows, std::int64_t run) {
    rows.add(Cancelled{run});
    rows.commit(run, 0.5);
  });
  broken([](Rows& rows, std::int64_t run) { rows.commit(run + 7, 0.5); });
  broken([](Rows& rows, std::int64_t run) {
    rows.add(Disclosed{run});
    rows.add(Resolved{run, "nothing left"});
  });
  broken([](Rows& rows, std::int64_t run) {
    rows.add(Disclosed{run});
    rows.add(Cancelled{run});
  });
  broken([](Rows& rows, std::int64_t run) { rows.add(Disclosed{run + 7}); });
  broken([](Rows& rows, std::int64_t) { rows.reserve("nobody", 0.5); });
  broken([](Rows& rows, std::int64_t) { rows.open("adult", 1); });
  broken([](Rows& rows, std::int64_t) { rows.add(Created{digest, digest, "0.1.0"}); });
  broken([](Rows& rows, std::int64_t) { rows.add(Enrolled{"capless", add_remove, "record"}); });
}

TEST(Books, StatesHaveNames) {
  EXPECT_EQ(to_string(RunState::reserved), "reserved");
  EXPECT_EQ(to_string(RunState::committed), "committed");
  EXPECT_EQ(to_string(RunState::cancelled), "cancelled");
  EXPECT_EQ(to_string(RunState::resolved), "resolved");
}

}  // namespace books_test
}  // namespace tacet::ledger
