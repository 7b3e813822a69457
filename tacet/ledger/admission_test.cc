#include "tacet/ledger/admission.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/small_ledger.h"

namespace tacet::ledger {
namespace admission_test {

using privacy::Adjacency;
using test::gaussian_booking;
using test::zcdp;
using test::zcdp_booking;

constexpr auto add_remove = Adjacency::add_remove;

class Admission : public test::SmallLedger {};

TEST_F(Admission, RefusesWhatDoesNotFitAndSaysHowMuchIsLeft) {
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

TEST_F(Admission, ExactlySixtyFourPartsFitInEveryCurrency) {
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

TEST_F(Admission, ARenyiAccountCountsAtItsOwnOrder) {
  enrol_with({.currency = Currency::rdp, .value = 1, .order = 4});
  Ledger ledger(path_);
  // alpha mu^2 / 2 = 0.5 each at z = 2.
  static_cast<void>(ledger.reserve(gaussian_booking(2.0001)));
  static_cast<void>(ledger.reserve(gaussian_booking(2.0001)));
  EXPECT_THROW(static_cast<void>(ledger.reserve(gaussian_booking(100))), privacy::BudgetExceeded);
}

TEST_F(Admission, ACurrencyWithoutAProofIsAGuaranteeError) {
  enrol_with({.currency = Currency::pure, .value = 1});
  Ledger ledger(path_);
  EXPECT_THROW(static_cast<void>(ledger.reserve(gaussian_booking(10))), base::GuaranteeError);
}

TEST_F(Admission, AdjacencyAndUnitMustFit) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  EXPECT_THROW(static_cast<void>(ledger.reserve(gaussian_booking(10, Adjacency::replace_one))),
               base::UsageError);
  auto booking = gaussian_booking(10);
  booking.privacy_unit = "patient";
  EXPECT_THROW(static_cast<void>(ledger.reserve(booking)), base::UsageError);
  EXPECT_THROW(static_cast<void>(ledger.books().account("nobody")), base::UsageError);
}

TEST_F(Admission, AnAddRemoveRunCostsAReplaceOneAccountTheDoubleDistance) {
  enrol_with({.currency = Currency::gdp, .value = 1}, Adjacency::replace_one);
  Ledger ledger(path_);
  const auto run = ledger.reserve(gaussian_booking(8));
  EXPECT_EQ(ledger.books().run(run).booking.cost.value, 4.0 / 64);
}

TEST_F(Admission, SpendingWithoutProtectionIsRefusedOrBookedAsInfinite) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  auto booking = zcdp_booking(0.1);
  booking.unprotected_reason = "seeded noise";
  EXPECT_THROW(static_cast<void>(ledger.reserve(booking)), privacy::BudgetExceeded);
  booking.override_reason = "a demonstration on public data";
  // An account that ends for ever is not ended by one word.
  EXPECT_THROW(static_cast<void>(ledger.reserve(booking)), base::UsageError);
  EXPECT_TRUE(ledger.books().account("adult").runs.empty());
  booking.for_ever = true;
  const auto run = ledger.reserve(booking);
  EXPECT_TRUE(ledger.books().account("adult").counted().infinite());
  EXPECT_EQ(ledger.books().run(run).booking.override_reason, "a demonstration on public data");
  EXPECT_THROW(static_cast<void>(ledger.reserve(zcdp_booking(1e-9))), privacy::BudgetExceeded);
  EXPECT_EQ(ledger.verify().rows, 5);
}

TEST_F(Admission, AnOverrideIsBookedBeyondTheCap) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  auto booking = zcdp_booking(3);
  booking.override_reason = "approved by the owner";
  static_cast<void>(ledger.reserve(booking));
  EXPECT_EQ(ledger.books().account("adult").counted().total().value, 3);
  booking.override_reason = "no";
  EXPECT_THROW(static_cast<void>(ledger.reserve(booking)), base::UsageError);
}

// (epsilon, delta) groups are not interleaved with other adaptive runs.
TEST_F(Admission, AnInteractiveRunHasABasicAccountToItself) {
  enrol_with({.currency = Currency::basic, .value = 10, .delta = 1e-3});
  Ledger ledger(path_);
  auto interactive = gaussian_booking(10);
  interactive.interactive = true;
  const auto plain = ledger.reserve(gaussian_booking(10));
  EXPECT_THROW(static_cast<void>(ledger.reserve(interactive)), base::BudgetError);
  ledger.commit({{plain, privacy::Gaussian{10}}}, output_);
  const auto alone = ledger.reserve(interactive);
  EXPECT_THROW(static_cast<void>(ledger.reserve(gaussian_booking(10))), base::BudgetError);
  ledger.commit({{alone, privacy::Gaussian{10}}}, output_);
  static_cast<void>(ledger.reserve(gaussian_booking(10)));
}

TEST_F(Admission, RenyiLikeAccountsNeedNoLock) {
  enrol_with(zcdp(1));
  Ledger ledger(path_);
  auto interactive = gaussian_booking(10);
  interactive.interactive = true;
  static_cast<void>(ledger.reserve(interactive));
  static_cast<void>(ledger.reserve(interactive));
}

TEST_F(Admission, EarlyStoppingIsRefundedOnlyWhereAFilterAllowsIt) {
  enrol_with({.currency = Currency::gdp, .value = 1});
  Ledger ledger(path_);
  const privacy::Event planned = privacy::Repeated{16, privacy::Gaussian{8}};
  const privacy::Event done = privacy::Repeated{4, privacy::Gaussian{8}};
  auto booking = gaussian_booking(8);
  booking.event = planned;
  const auto first = ledger.reserve(booking);
  const auto second = ledger.reserve(booking);
  ledger.commit({{first, done, Stopping::by_released_values}, {second, done, Stopping::unknown}},
                output_);
  EXPECT_EQ(ledger.books().run(first).counted().value, 4.0 / 64);
  EXPECT_EQ(ledger.books().run(second).counted().value, 16.0 / 64);
  ledger.enrol({.data_set = "summed",
                .adjacency = add_remove,
                .cap = {.currency = Currency::basic, .value = 10, .delta = 1e-3}});
  booking.data_set = "summed";
  const auto third = ledger.reserve(booking);
  ledger.commit({{third, done, Stopping::by_released_values}}, output_);
  EXPECT_EQ(ledger.books().run(third).counted(), ledger.books().run(third).booking.cost);
}

// What a run that has ended costs is never more than what it had booked, whatever it says.
TEST_F(Admission, AnOutcomeNeverCostsMoreThanItsBooking) {
  enrol_with({.currency = Currency::gdp, .value = 1});
  Ledger ledger(path_);
  const auto snapshot = ledger.snapshot();
  const auto& account = snapshot.account("adult");
  const Reserved booking{.data_set = "adult",
                         .command = "test",
                         .software = {},
                         .calibration = {},
                         .event = privacy::Gaussian{8},
                         .stated = {1, 1e-5, add_remove},
                         .cost = {1.0 / 64},
                         .process = {},
                         .override_reason = {},
                         .unprotected_reason = {}};
  const auto cost = [&](const privacy::Event& spent, Stopping stopping) {
    return internal::cost_of_outcome({1, spent, stopping, 0}, booking, account).value;
  };
  EXPECT_EQ(cost(privacy::Gaussian{16}, Stopping::by_released_values), 1.0 / 256);
  EXPECT_EQ(cost(privacy::Gaussian{4}, Stopping::by_released_values), 1.0 / 64);
  EXPECT_EQ(cost(privacy::Gaussian{16}, Stopping::unknown), 1.0 / 64);
}

TEST_F(Admission, WhatHasNoCostInTheCurrencyIsInfiniteWhereItIsOverridden) {
  enrol_with({.currency = Currency::pure, .value = 1});
  Ledger ledger(path_);
  const auto snapshot = ledger.snapshot();
  auto booking = gaussian_booking(10);
  booking.override_reason = "approved by the owner";
  EXPECT_EQ(internal::cost_of_booking(booking, snapshot.account("adult")).value,
            std::numeric_limits<double>::infinity());
  // Neighbours of another kind are refused all the same.
  booking.stated.adjacency = Adjacency::zero_out;
  EXPECT_THROW(static_cast<void>(internal::cost_of_booking(booking, snapshot.account("adult"))),
               base::UsageError);
}

}  // namespace admission_test
}  // namespace tacet::ledger
