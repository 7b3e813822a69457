#include "tacet/ledger/ledger.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/ledger_budget.h"
#include "tests/support/scratch_folder.h"

namespace tacet::ledger {
namespace ledger_test {

using privacy::Adjacency;

constexpr auto add_remove = Adjacency::add_remove;
const std::string records_a(64, 'a');
const std::string records_b(64, 'b');
const Output output{sha256("model"), "model.json"};

Booking zcdp_booking(double rho) {
  return {.data_set = "adult",
          .command = "test",
          .event = privacy::Zcdp{rho, add_remove},
          .stated = {1, 1e-5, add_remove}};
}

Booking gaussian_booking(double multiplier, Adjacency adjacency = add_remove) {
  return {.data_set = "adult",
          .command = "test",
          .event = privacy::Gaussian{multiplier},
          .stated = {1, 1e-5, adjacency}};
}

class LedgerTest : public testing::Test {
 protected:
  LedgerTest() { Ledger::create(path_); }

  void enrol_with(const Cap& cap, Adjacency adjacency = add_remove) {
    Ledger ledger(path_);
    ledger.enrol({.data_set = "adult",
                  .adjacency = adjacency,
                  .cap = cap,
                  .fingerprint = records_a,
                  .file = "adult.csv"});
  }

  test::ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "budget.ledger";
};

Cap zcdp(double rho) { return {.currency = Currency::zcdp, .value = rho}; }

TEST_F(LedgerTest, BooksCommitsAndRemembers) {
  {
    enrol_with(zcdp(1));
    Ledger ledger(path_);
    const auto first = ledger.reserve(zcdp_booking(0.25));
    const auto second = ledger.reserve(zcdp_booking(0.5));
    ledger.commit({{first, privacy::Zcdp{0.25, add_remove}}}, output);
    EXPECT_EQ(ledger.books().run(second).state, RunState::reserved);
  }
  Ledger again(path_, {.access = Access::read});
  const auto books = again.books();
  const auto& account = books.account("adult");
  EXPECT_EQ(account.counted().total().value, 0.75);
  EXPECT_EQ(account.counted(RunState::committed).total().value, 0.25);
  EXPECT_EQ(account.runs[0].outcome->output_sha256, output.sha256);
  EXPECT_EQ(account.runs[0].booking.event, privacy::Event(privacy::Zcdp{0.25, add_remove}));
  EXPECT_EQ(again.verify().rows, 7);
}

TEST_F(LedgerTest, RefusesWhatDoesNotFitAndSaysHowMuchIsLeft) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  static_cast<void>(ledger.reserve(zcdp_booking(0.75)));
  try {
    static_cast<void>(ledger.reserve(zcdp_booking(0.5)));
    FAIL() << "more than the cap was booked";
  } catch (const privacy::BudgetExceeded& error) {
    EXPECT_NE(std::string(error.what()).find("requested rho 0.5, remaining rho 0.25, cap rho 1"),
              std::string::npos)
        << error.what();
    EXPECT_EQ(error.kind(), base::ErrorKind::budget);
    EXPECT_LT(error.remaining().epsilon, error.cap().epsilon);
  }
  EXPECT_EQ(ledger.books().account("adult").runs.size(), 1U);
  static_cast<void>(ledger.reserve(zcdp_booking(0.25)));
  EXPECT_THROW(static_cast<void>(ledger.reserve(zcdp_booking(5e-324))), privacy::BudgetExceeded);
}

TEST_F(LedgerTest, ExactlySixtyFourPartsFitInEveryCurrency) {
  struct Case {
    Cap cap;
    privacy::Event event;
  };
  const std::vector<Case> cases{
      {zcdp(1), privacy::Zcdp{1.0 / 64, add_remove}},
      {{.currency = Currency::gdp, .value = 1}, privacy::Gaussian{8}},
      {{.currency = Currency::pure, .value = 1}, privacy::PureDp{1.0 / 64, add_remove}},
      {{.currency = Currency::basic, .value = 1, .delta = 0},
       privacy::PureDp{1.0 / 64, add_remove}}};
  Ledger ledger(path_);
  int number = 0;
  for (const auto& one : cases) {
    const auto name = "set" + std::to_string(++number);
    ledger.enrol({.data_set = name, .adjacency = add_remove, .cap = one.cap});
    int admitted = 0;
    for (int i = 0; i < 66; ++i) {
      try {
        static_cast<void>(ledger.reserve({.data_set = name,
                                          .command = "test",
                                          .event = one.event,
                                          .stated = {1.0 / 64, 0, add_remove}}));
        ++admitted;
      } catch (const privacy::BudgetExceeded&) {
      }
    }
    EXPECT_EQ(admitted, 64) << to_string(one.cap.currency);
  }
}

TEST_F(LedgerTest, ARenyiAccountCountsAtItsOwnOrder) {
  enrol_with({.currency = Currency::rdp, .value = 1, .order = 4});
  Ledger ledger(path_);
  // alpha mu^2 / 2 = 0.5 each at z = 2.
  static_cast<void>(ledger.reserve(gaussian_booking(2.0001)));
  static_cast<void>(ledger.reserve(gaussian_booking(2.0001)));
  EXPECT_THROW(static_cast<void>(ledger.reserve(gaussian_booking(100))), privacy::BudgetExceeded);
}

TEST_F(LedgerTest, ACurrencyWithoutAProofIsAGuaranteeError) {
  enrol_with({.currency = Currency::pure, .value = 1});
  Ledger ledger(path_);
  EXPECT_THROW(static_cast<void>(ledger.reserve(gaussian_booking(10))), base::GuaranteeError);
}

TEST_F(LedgerTest, AdjacencyAndUnitMustFit) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  EXPECT_THROW(static_cast<void>(ledger.reserve(gaussian_booking(10, Adjacency::replace_one))),
               base::UsageError);
  auto booking = gaussian_booking(10);
  booking.privacy_unit = "patient";
  EXPECT_THROW(static_cast<void>(ledger.reserve(booking)), base::UsageError);
  EXPECT_THROW(static_cast<void>(ledger.books().account("nobody")), base::UsageError);
}

TEST_F(LedgerTest, AnAddRemoveRunCostsAReplaceOneAccountTheDoubleDistance) {
  enrol_with({.currency = Currency::gdp, .value = 1}, Adjacency::replace_one);
  Ledger ledger(path_);
  const auto run = ledger.reserve(gaussian_booking(8));
  EXPECT_EQ(ledger.books().run(run).booking.cost.value, 4.0 / 64);
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
  EXPECT_THROW(
      ledger.enrol(
          {.data_set = "copy", .adjacency = add_remove, .cap = zcdp(1), .fingerprint = records_a}),
      base::BudgetError);
  ledger.enrol({.data_set = "other", .adjacency = add_remove, .cap = zcdp(1)});
  EXPECT_THROW(ledger.enrol({.data_set = "other", .adjacency = add_remove, .cap = zcdp(1)}),
               base::UsageError);
  EXPECT_THROW(ledger.enrol({.data_set = "a b", .adjacency = add_remove, .cap = zcdp(1)}),
               base::UsageError);
  EXPECT_EQ(ledger.see_records("adult", records_a, "adult.csv"), Records::known);
  EXPECT_THROW(static_cast<void>(ledger.see_records("other", records_a, "x")), base::BudgetError);
  EXPECT_EQ(ledger.see_records("other", records_b, "x"), Records::first);
  EXPECT_EQ(ledger.see_records("adult", std::string(64, 'c'), "adult2.csv"), Records::changed);
  EXPECT_EQ(ledger.see_records("adult", std::string(64, 'c'), "adult2.csv"), Records::known);
}

TEST_F(LedgerTest, CancellingGivesBackAndOnlyOnce) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  const auto run = ledger.reserve(zcdp_booking(1));
  ledger.cancel(run);
  EXPECT_EQ(ledger.books().account("adult").counted().total().value, 0);
  EXPECT_THROW(ledger.cancel(run), base::BudgetError);
  EXPECT_THROW(ledger.commit({{run, privacy::no_event()}}, output), base::BudgetError);
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

TEST_F(LedgerTest, SpendingWithoutProtectionIsRefusedOrBookedAsInfinite) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  auto booking = zcdp_booking(0.1);
  booking.unprotected_reason = "seeded noise";
  EXPECT_THROW(static_cast<void>(ledger.reserve(booking)), privacy::BudgetExceeded);
  booking.override_reason = "a demonstration on public data";
  const auto run = ledger.reserve(booking);
  EXPECT_TRUE(ledger.books().account("adult").counted().infinite());
  EXPECT_EQ(ledger.books().run(run).booking.override_reason, "a demonstration on public data");
  EXPECT_THROW(static_cast<void>(ledger.reserve(zcdp_booking(1e-9))), privacy::BudgetExceeded);
  EXPECT_EQ(ledger.verify().rows, 5);
}

TEST_F(LedgerTest, AnOverrideIsBookedBeyondTheCap) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  auto booking = zcdp_booking(3);
  booking.override_reason = "approved by the owner";
  static_cast<void>(ledger.reserve(booking));
  EXPECT_EQ(ledger.books().account("adult").counted().total().value, 3);
  booking.override_reason = "no";
  EXPECT_THROW(static_cast<void>(ledger.reserve(booking)), base::UsageError);
}

// Errata A27: (epsilon, delta) groups are not interleaved with other adaptive runs.
TEST_F(LedgerTest, AnInteractiveRunHasABasicAccountToItself) {
  enrol_with({.currency = Currency::basic, .value = 10, .delta = 1e-3});
  Ledger ledger(path_);
  auto interactive = gaussian_booking(10);
  interactive.interactive = true;
  const auto plain = ledger.reserve(gaussian_booking(10));
  EXPECT_THROW(static_cast<void>(ledger.reserve(interactive)), base::BudgetError);
  ledger.commit({{plain, privacy::Gaussian{10}}}, output);
  const auto alone = ledger.reserve(interactive);
  EXPECT_THROW(static_cast<void>(ledger.reserve(gaussian_booking(10))), base::BudgetError);
  ledger.commit({{alone, privacy::Gaussian{10}}}, output);
  static_cast<void>(ledger.reserve(gaussian_booking(10)));
}

TEST_F(LedgerTest, RenyiLikeAccountsNeedNoLock) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  auto interactive = gaussian_booking(10);
  interactive.interactive = true;
  static_cast<void>(ledger.reserve(interactive));
  static_cast<void>(ledger.reserve(interactive));
}

TEST_F(LedgerTest, EarlyStoppingIsRefundedOnlyWhereAFilterAllowsIt) {
  enrol_with({.currency = Currency::gdp, .value = 1});
  Ledger ledger(path_);
  const privacy::Event planned = privacy::Repeated{16, privacy::Gaussian{8}};
  const privacy::Event done = privacy::Repeated{4, privacy::Gaussian{8}};
  auto booking = gaussian_booking(8);
  booking.event = planned;
  const auto first = ledger.reserve(booking);
  const auto second = ledger.reserve(booking);
  ledger.commit({{first, done, Stopping::by_released_values}, {second, done, Stopping::unknown}},
                output);
  EXPECT_EQ(ledger.books().run(first).counted().value, 4.0 / 64);
  EXPECT_EQ(ledger.books().run(second).counted().value, 16.0 / 64);
  ledger.enrol({.data_set = "summed",
                .adjacency = add_remove,
                .cap = {.currency = Currency::basic, .value = 10, .delta = 1e-3}});
  booking.data_set = "summed";
  const auto third = ledger.reserve(booking);
  ledger.commit({{third, done, Stopping::by_released_values}}, output);
  EXPECT_EQ(ledger.books().run(third).counted(), ledger.books().run(third).booking.cost);
}

TEST_F(LedgerTest, TheBudgetReleasesOnlyAfterTheLedgerHasTheHash) {
  enrol_with({.currency = Currency::gdp, .value = 1});
  Ledger ledger(path_);
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "train"});
  const privacy::Event planned = privacy::Repeated{2, privacy::Gaussian{8}};
  auto reservation = budget.reserve(planned, {1, 1e-5, add_remove});
  EXPECT_THROW(budget.release("model", "model.json"), base::InternalError);
  reservation.debit(privacy::Gaussian{8});
  reservation.debit(privacy::Gaussian{8});
  EXPECT_THROW(reservation.debit(privacy::Gaussian{8}), base::BudgetError);
  reservation.commit();
  EXPECT_EQ(ledger.books().account("adult").runs[0].state, RunState::reserved);
  budget.release("model", "model.json");
  const auto run = ledger.books().account("adult").runs[0];
  EXPECT_EQ(run.state, RunState::committed);
  EXPECT_EQ(run.outcome->output_sha256, sha256("model"));
  EXPECT_EQ(run.outcome->output, "model.json");
}

TEST_F(LedgerTest, ACancelledReservationIsGivenBack) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "train"});
  auto reservation = budget.reserve(privacy::Zcdp{1, add_remove}, {1, 1e-5, add_remove});
  reservation.cancel();
  EXPECT_EQ(ledger.books().account("adult").counted().total().value, 0);
}

TEST_F(LedgerTest, AFileIsNeverOverwritten) {
  EXPECT_THROW(Ledger::create(path_), base::IoError);
  EXPECT_THROW(Ledger::create(folder_.path() / "no" / "such.ledger"), base::IoError);
}

TEST_F(LedgerTest, OnlyTheOwnerCanReadTheFile) {
  using std::filesystem::perms;
  const auto permissions = std::filesystem::status(path_).permissions();
  EXPECT_EQ(permissions & (perms::group_all | perms::others_all), perms::none);
}

// Changes a ledger behind its back.
void tamper(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  const auto whole = "DROP TRIGGER journal_is_written_once; DROP TRIGGER journal_is_kept;" + sql;
  EXPECT_EQ(sqlite3_exec(connection, whole.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(connection);
  sqlite3_close(connection);
}

TEST_F(LedgerTest, AnyEditedRowBreaksTheChain) {
  {
    enrol_with(zcdp(1));
    Ledger ledger(path_);
    for (int i = 0; i < 3; ++i) {
      const auto run = ledger.reserve(zcdp_booking(0.125));
      if (i < 2) ledger.commit({{run, privacy::Zcdp{0.125, add_remove}}}, output);
    }
    ledger.set_cap("adult", zcdp(0.75), "");
  }
  const auto copy = folder_.path() / "copy.ledger";
  const auto rows = Ledger(path_).verify().rows;
  ASSERT_EQ(rows, 10);
  std::vector<std::string> changes{"DELETE FROM head",
                                   "UPDATE head SET rows = rows - 1",
                                   "UPDATE head SET hash = 'x'",
                                   "UPDATE head SET key = replace(key, substr(key, 1, 1), 'x')",
                                   "INSERT INTO journal(number, text, hash) VALUES(11, '{}', 'x')",
                                   "UPDATE journal SET number = 100 + number WHERE number = 10"};
  for (int row = 1; row <= rows; ++row) {
    const auto where = " WHERE number = " + std::to_string(row);
    changes.push_back("DELETE FROM journal" + where);
    changes.push_back("UPDATE journal SET text = replace(text, '20', '21')" + where);
    changes.push_back("UPDATE journal SET text = text || ' '" + where);
    changes.push_back("UPDATE journal SET hash = replace(hash, substr(hash, 9, 1), 'x')" + where);
  }
  for (const auto& change : changes) {
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    EXPECT_NO_THROW(Ledger(copy).verify());
    tamper(copy, change);
    EXPECT_THROW(Ledger(copy).verify(), base::DataError) << change;
    EXPECT_THROW(static_cast<void>(Ledger(copy).reserve(zcdp_booking(0.01))), base::DataError)
        << change;
  }
}

// A ledger that is open keeps what it has parsed; it must not trust it.
TEST_F(LedgerTest, ARowEditedWhileTheLedgerIsOpenIsFoundToo) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  static_cast<void>(ledger.reserve(zcdp_booking(0.5)));
  tamper(path_, "UPDATE journal SET text = replace(text, '0x1p-1', '0x1p-9')");
  EXPECT_THROW(static_cast<void>(ledger.books()), base::DataError);
  EXPECT_THROW(static_cast<void>(ledger.reserve(zcdp_booking(0.01))), base::DataError);
}

TEST_F(LedgerTest, ARefusedBookingLeavesTheOpenLedgerAsItWas) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  Ledger other(path_);
  static_cast<void>(ledger.reserve(zcdp_booking(0.25)));
  EXPECT_THROW(ledger.commit({{5, privacy::no_event()}, {99, privacy::no_event()}}, output),
               base::UsageError);
  EXPECT_EQ(ledger.books().run(5).state, RunState::reserved);
  static_cast<void>(other.reserve(zcdp_booking(0.25)));
  static_cast<void>(ledger.reserve(zcdp_booking(0.5)));
  EXPECT_EQ(other.books().account("adult").counted().total().value, 1);
  EXPECT_EQ(other.verify().rows, 7);
}

TEST_F(LedgerTest, RowsCannotBeChangedBySlip) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &connection), SQLITE_OK);
  EXPECT_NE(sqlite3_exec(connection, "UPDATE journal SET hash = 'x'", nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_NE(sqlite3_exec(connection, "DELETE FROM journal", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(connection);
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
                .fingerprint = records,
                .file = "adult.csv"});
  EXPECT_THROW(ledger.enrol({.data_set = "census",
                             .adjacency = privacy::Adjacency::add_remove,
                             .cap = {.currency = Currency::pure, .value = 1},
                             .fingerprint = records,
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
  EXPECT_EQ(ledger.see_records("census", records, "census.csv"), Records::known);
}

TEST(Ledger, KeepsTheCiphersTermOfAnOutput) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "cipher.ledger";
  Ledger::create(path);
  Ledger ledger(path);
  ledger.enrol({.data_set = "adult",
                .adjacency = privacy::Adjacency::add_remove,
                .cap = {.currency = Currency::pure, .value = 1},
                .fingerprint = {},
                .file = {}});
  LedgerBudget budget(ledger, {.data_set = "adult", .command = "quantile"});
  const privacy::Event event = privacy::PureDp{0.5, privacy::Adjacency::add_remove};
  auto reservation = budget.reserve(event, {0.5, 0, privacy::Adjacency::add_remove});
  reservation.debit(event);
  reservation.commit();
  budget.release("12", "standard output", 3e-20);
  EXPECT_EQ(ledger.books().account("adult").runs.front().outcome->cipher_delta, 3e-20);
}

}  // namespace ledger_test
}  // namespace tacet::ledger
