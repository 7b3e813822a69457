#include "tacet/ledger/promise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/filter.h"

namespace tacet::ledger {
namespace promise_test {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr auto add_remove = privacy::Adjacency::add_remove;
const privacy::Delta delta(1e-6);

Account account_of(const Cap& cap) {
  Account account;
  account.enrolled = {"adult", add_remove, "record"};
  account.caps.push_back({.time = {}, .set = {"adult", cap, {}}});
  return account;
}

Run reserved(const privacy::Event& event, double cost, double stated_delta) {
  return {.booking = {.data_set = "adult",
                      .command = "train",
                      .software = "0.1.0",
                      .calibration = "tight",
                      .event = event,
                      .stated = {1, stated_delta, add_remove},
                      .cost = {cost},
                      .process = {12, 34, "boot"},
                      .override_reason = {},
                      .unprotected_reason = {}}};
}

TEST(AnyTime, CostsMoreThanWhatIsSpentAndLessThanTheCapEarlyOn) {
  for (const auto currency : {Currency::zcdp, Currency::gdp}) {
    const auto account = account_of({.currency = currency, .value = 4});
    double last = 0;
    for (const double spent : {1e-9, 1e-4, 0.01, 0.1, 1.0, 1e6}) {
      const double epsilon = epsilon_at_any_time(account, {spent}, delta);
      EXPECT_GT(epsilon, epsilon_at({spent}, account.cap(), delta)) << spent;
      EXPECT_GE(epsilon, last) << spent;
      last = epsilon;
    }
    EXPECT_LT(epsilon_at_any_time(account, {0.01}, delta),
              epsilon_at(amount_of(account.cap()), account.cap(), delta));
  }
}

TEST(AnyTime, EdgeTable) {
  const auto account = account_of({.currency = Currency::zcdp, .value = 4});
  EXPECT_EQ(epsilon_at_any_time(account, {0}, delta), 0);
  EXPECT_EQ(epsilon_at_any_time(account, {infinity}, delta), infinity);
  const auto closed = account_of({.currency = Currency::zcdp, .value = 0});
  EXPECT_EQ(epsilon_at_any_time(closed, {0}, delta), 0);
  EXPECT_EQ(epsilon_at_any_time(closed, {0.1}, delta), infinity);
}

// An account of the basic currency adds up deltas too: one without epsilon is not free.
TEST(AnyTime, CountsTheDeltaThatWasSpent) {
  const auto account =
      account_of({.currency = Currency::basic, .value = 4, .delta = 1e-5, .order = 0});
  EXPECT_EQ(epsilon_at_any_time(account, {0, 0}, delta), 0);
  EXPECT_GT(epsilon_at_any_time(account, {0, 1e-5}, delta), 0);
  EXPECT_EQ(epsilon_at_any_time(account, {0, 1e-4}, delta), infinity);
  EXPECT_EQ(epsilon_at_any_time(account, {1, 1e-4}, delta), infinity);
}

TEST(JointGuarantee, CountsWhatIsOpenAndWhatWasCommittedAsItEnded) {
  auto account = account_of({.currency = Currency::zcdp, .value = 4});
  EXPECT_FALSE(joint_guarantee(account, {}));  // no runs
  account.runs.push_back(reserved(privacy::Gaussian{2}, 0.125, 1e-6));
  auto ended = reserved(privacy::Gaussian{1}, 0.5, 1e-7);
  ended.state = RunState::committed;
  ended.outcome = Committed{1, privacy::Gaussian{4}, {0.03125}, std::string(64, '7'), "model.json"};
  account.runs.push_back(ended);
  auto given_back = reserved(privacy::Gaussian{0.1}, 50, 1e-3);
  given_back.state = RunState::cancelled;
  given_back.booking.stated.delta = 0;
  account.runs.push_back(given_back);
  const auto joint = joint_guarantee(account, {});
  ASSERT_TRUE(joint);
  EXPECT_EQ(joint->delta, 1e-6);  // the largest that a run states
  const privacy::Event both = privacy::Composed{{privacy::Gaussian{2}, privacy::Gaussian{4}}};
  EXPECT_EQ(joint->epsilon, accounting::epsilon(both, add_remove, delta));
  EXPECT_EQ(joint_guarantee(account, 1e-3)->delta, 1e-3);
}

TEST(JointGuarantee, TakesTheSumOfDeltasWhereTheLargestIsTooSmall) {
  auto account = account_of({.currency = Currency::basic, .value = 4});
  const privacy::Event half = privacy::ApproximateDp{1, 1e-6, add_remove};
  for (int i = 0; i < 3; ++i) account.runs.push_back(reserved(half, 1, 1e-6));
  const auto joint = joint_guarantee(account, {});
  ASSERT_TRUE(joint);
  EXPECT_NEAR(joint->delta, 3e-6, 1e-15);
  EXPECT_GE(joint->delta, 3e-6);
}

}  // namespace promise_test
}  // namespace tacet::ledger
