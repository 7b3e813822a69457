#include "tacet/ledger/ledger.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/privacy/receipt.h"
#include "tests/support/small_ledger.h"

namespace tacet::ledger {
namespace ledger_test {

using privacy::Adjacency;

constexpr auto add_remove = Adjacency::add_remove;
const std::string records_a(64, 'a');
const std::string records_b(64, 'b');

using test::zcdp;
using test::zcdp_booking;

class LedgerTest : public test::SmallLedger {};

TEST_F(LedgerTest, BooksCommitsAndRemembers) {
  {
    enrol_with(zcdp(1));
    Ledger ledger(path_);
    const auto first = ledger.reserve(zcdp_booking(0.25));
    const auto second = ledger.reserve(zcdp_booking(0.5));
    ledger.commit({{first, privacy::Zcdp{0.25, add_remove}}}, output_);
    EXPECT_EQ(ledger.books().run(second).state, RunState::reserved);
  }
  Ledger again(path_, {.access = Access::read});
  const auto books = again.books();
  const auto& account = books.account("adult");
  EXPECT_EQ(account.counted().total().value, 0.75);
  EXPECT_EQ(account.counted(RunState::committed).total().value, 0.25);
  EXPECT_EQ(account.runs[0].outcome->output_sha256, output_.sha256);
  EXPECT_EQ(account.runs[0].booking.event, privacy::Event(privacy::Zcdp{0.25, add_remove}));
  EXPECT_EQ(again.verify().rows, 7);
}

TEST_F(LedgerTest, CapsFallFreelyAndRiseOnlyWithAReasonThatStays) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  static_cast<void>(ledger.reserve(zcdp_booking(0.75)));
  ledger.set_cap("adult", zcdp(0.5), "");
  EXPECT_THROW(static_cast<void>(ledger.reserve(zcdp_booking(0.125))), privacy::BudgetExceeded);
  EXPECT_THROW(ledger.set_cap("adult", zcdp(0.6), ""), base::BudgetError);
  EXPECT_THROW(ledger.set_cap("adult", zcdp(0.6), " "), base::UsageError);
  EXPECT_THROW(ledger.set_cap("adult", {.currency = Currency::gdp, .value = 0.1}, "why not"),
               base::UsageError);
  ledger.set_cap("adult", zcdp(2), "the ethics board agreed");
  static_cast<void>(ledger.reserve(zcdp_booking(0.125)));
  const auto caps = ledger.books().account("adult").caps;
  ASSERT_EQ(caps.size(), 3U);
  EXPECT_EQ(caps[2].set.reason, "the ethics board agreed");
  EXPECT_EQ(caps[1].set.cap.value, 0.5);
}

TEST_F(LedgerTest, TheSameRecordsHaveOneAccount) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  EXPECT_THROW(ledger.enrol({.data_set = "copy",
                             .adjacency = add_remove,
                             .cap = zcdp(1),
                             .fingerprints = {records_a}}),
               base::BudgetError);
  ledger.enrol({.data_set = "other", .adjacency = add_remove, .cap = zcdp(1)});
  EXPECT_THROW(ledger.enrol({.data_set = "other", .adjacency = add_remove, .cap = zcdp(1)}),
               base::UsageError);
  EXPECT_THROW(ledger.enrol({.data_set = "a b", .adjacency = add_remove, .cap = zcdp(1)}),
               base::UsageError);
  EXPECT_EQ(ledger.see_records("adult", std::vector<std::string>{records_a}, "adult.csv"),
            RecordMatch::given);
  EXPECT_THROW(
      static_cast<void>(ledger.see_records("other", std::vector<std::string>{records_a}, "x")),
      base::BudgetError);
  EXPECT_EQ(ledger.see_records("other", std::vector<std::string>{records_b}, "x"),
            RecordMatch::first);
  EXPECT_EQ(ledger.see_records("other", std::vector<std::string>{records_b}, "x"),
            RecordMatch::known);
  EXPECT_EQ(
      ledger.see_records("adult", std::vector<std::string>{std::string(64, 'c')}, "adult2.csv"),
      RecordMatch::changed);
  EXPECT_EQ(
      ledger.see_records("adult", std::vector<std::string>{std::string(64, 'c')}, "adult2.csv"),
      RecordMatch::given);
}

TEST_F(LedgerTest, CancellingGivesBackAndOnlyOnce) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  const auto run = ledger.reserve(zcdp_booking(1));
  ledger.cancel(run);
  EXPECT_EQ(ledger.books().account("adult").counted().total().value, 0);
  EXPECT_THROW(ledger.cancel(run), base::BudgetError);
  EXPECT_THROW(ledger.commit({{run, privacy::no_event()}}, output_), base::BudgetError);
  EXPECT_THROW(ledger.cancel(9999), base::UsageError);
  static_cast<void>(ledger.reserve(zcdp_booking(1)));
}

TEST_F(LedgerTest, ARunWhoseProcessLivesCannotBeResolved) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  const auto run = ledger.reserve(zcdp_booking(1));
  EXPECT_THROW(ledger.resolve(run, "nothing was written"), base::BudgetError);
  EXPECT_THROW(ledger.resolve(run, ""), base::UsageError);
}

TEST_F(LedgerTest, ARunThatWasTakenOverCanBeEnded) {
  enrol_with(zcdp(1));
  std::int64_t first = 0;
  std::int64_t second = 0;
  {
    Ledger gone(path_);
    first = gone.reserve(zcdp_booking(0.5));
    second = gone.reserve(zcdp_booking(0.5));
  }
  Ledger ledger(path_);
  EXPECT_THROW(ledger.cancel(first), base::InternalError);
  ledger.adopt(first);
  ledger.cancel(first);
  ledger.adopt(second);
  ledger.commit({{second, zcdp_booking(0.5).event}}, output_);
  EXPECT_EQ(ledger.books().account("adult").counted().total().value, 0.5);
  EXPECT_EQ(ledger.books().run(second).state, RunState::committed);
  EXPECT_THROW(ledger.adopt(first), base::BudgetError);
  EXPECT_THROW(ledger.adopt(9999), base::UsageError);
}

TEST_F(LedgerTest, ARefusedBookingLeavesTheOpenLedgerAsItWas) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  Ledger other(path_);
  static_cast<void>(ledger.reserve(zcdp_booking(0.25)));
  EXPECT_THROW(ledger.commit({{5, privacy::no_event()}, {99, privacy::no_event()}}, output_),
               base::UsageError);
  EXPECT_EQ(ledger.books().run(5).state, RunState::reserved);
  static_cast<void>(other.reserve(zcdp_booking(0.25)));
  static_cast<void>(ledger.reserve(zcdp_booking(0.5)));
  EXPECT_EQ(other.books().account("adult").counted().total().value, 1);
  EXPECT_EQ(other.verify().rows, 7);
}

// A second name must not double a budget, and must not hide what the first has spent.
TEST(Ledger, AFurtherNameSharesTheAccount) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "alias.ledger";
  Ledger::create(path);
  Ledger ledger(path);
  const std::string records(64, 'a');
  ledger.enrol({.data_set = "adult",
                .adjacency = privacy::Adjacency::add_remove,
                .cap = {.currency = Currency::pure, .value = 1},
                .fingerprints = {records},
                .file = "adult.csv"});
  EXPECT_THROW(ledger.enrol({.data_set = "census",
                             .adjacency = privacy::Adjacency::add_remove,
                             .cap = {.currency = Currency::pure, .value = 1},
                             .fingerprints = {records},
                             .file = "census.csv"}),
               base::BudgetError);
  ledger.add_alias("census", "adult");
  EXPECT_THROW(ledger.add_alias("census", "adult"), base::UsageError);
  EXPECT_THROW(ledger.add_alias("adult", "adult"), base::UsageError);
  EXPECT_THROW(ledger.add_alias("other", "nobody"), base::UsageError);
  EXPECT_THROW(ledger.add_alias("no blanks", "adult"), base::UsageError);
  const auto book = [&](const std::string& name, double epsilon) {
    return ledger.reserve({.data_set = name,
                           .command = "quantile",
                           .event = privacy::PureDp{epsilon, privacy::Adjacency::add_remove},
                           .stated = {epsilon, 0, privacy::Adjacency::add_remove}});
  };
  static_cast<void>(book("census", 0.75));
  EXPECT_THROW(static_cast<void>(book("adult", 0.5)), privacy::BudgetExceeded);
  const auto books = ledger.books();
  ASSERT_EQ(books.accounts.size(), 1u);
  EXPECT_EQ(books.account("census").name(), "adult");
  EXPECT_EQ(books.account("adult").runs.size(), 1u);
  EXPECT_EQ(ledger.see_records("census", std::vector<std::string>{records}, "census.csv"),
            RecordMatch::given);
}

// An owner's look costs nothing, stays with who, why and when, and what is booked later knows it.
TEST_F(LedgerTest, AnAttestedLookStaysAndIsAConditionOfWhatFollows) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "test"});
  const privacy::Event event = privacy::Zcdp{0.1, add_remove};
  const privacy::Guarantee cost{1, 1e-5, add_remove};
  const auto before = budget.reserve(event, cost);
  EXPECT_EQ(before.noted({}).condition, "");
  const std::string schema(64, '5');
  EXPECT_THROW(ledger.attest_look({"adult", "schema check", "no", schema}), base::UsageError);
  EXPECT_THROW(ledger.attest_look({"nobody", "schema check", "a typing error", schema}),
               base::UsageError);
  ledger.attest_look({"adult", "schema check", "a typing error", schema});
  const auto books = ledger.books();
  ASSERT_EQ(books.account("adult").looks.size(), 1U);
  EXPECT_EQ(books.account("adult").looks[0].what.reason, "a typing error");
  EXPECT_EQ(books.account("adult").looks[0].user, static_cast<std::int64_t>(::getuid()));
  EXPECT_EQ(books.account("adult").counted().total().value, 0.1);
  const auto after = budget.reserve(event, cost);
  const auto condition = after.noted({.schema_sha256 = schema}).condition;
  EXPECT_FALSE(condition.empty());
  EXPECT_EQ(condition.find("another schema"), std::string::npos);
  EXPECT_NE(after.noted({.schema_sha256 = std::string(64, '7')}).condition.find("another schema"),
            std::string::npos);
  // In what is written down from time to time, too.
  const auto snapshot = snapshot_from_text(to_text(ledger.snapshot()));
  ASSERT_EQ(snapshot.account("adult").looks.size(), 1U);
  EXPECT_EQ(to_text(snapshot), to_text(ledger.snapshot()));
}

TEST_F(LedgerTest, ASecondAccountElsewhereIsKeptInWords) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  OtherLedger other{"adult", std::string(64, '6'), "/two.ledger", false, "no"};
  EXPECT_THROW(ledger.note_elsewhere(other), base::UsageError);
  other.reason = "approved by the board";
  ledger.note_elsewhere(other);
  const auto books = ledger.books();
  ASSERT_EQ(books.account("adult").elsewhere.size(), 1U);
  EXPECT_EQ(books.account("adult").elsewhere[0].other.path, "/two.ledger");
  EXPECT_EQ(ledger.verify().rows, 5);
}

}  // namespace ledger_test
}  // namespace tacet::ledger
