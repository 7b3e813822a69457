#include "tacet/accounting/filter.h"

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/base/error.h"

// Filters against adversaries who choose each release from what was admitted before: 10,000 random
// sequences a currency. Sums are checked in exact arithmetic of rationals, never by the filter's
// own.
namespace tacet::accounting {
namespace filter_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr int sequences = 10000;
constexpr int longest = 15;

using Exact = boost::multiprecision::cpp_rational;

/// Reacts to what was admitted: asks for less after a refusal, for more after a success, now and
/// then for what is left to the last bit, or for nothing.
class Adversary {
 public:
  explicit Adversary(std::uint64_t seed) : random_(seed) {}

  /// The next cost to ask for.
  double next(double cap, double spent) {
    const double choice = uniform_(random_);
    if (choice < 0.05) return 0;
    if (choice < 0.15) return cap - spent;
    if (choice < 0.20) return std::nextafter(cap - spent, HUGE_VAL);
    return greed_ * cap * uniform_(random_);
  }
  void learn(bool admitted) { greed_ = std::clamp(greed_ * (admitted ? 1.3 : 0.4), 1e-9, 1.5); }
  double uniform() { return uniform_(random_); }

 private:
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
  double greed_ = 0.3;
};

TEST(Filters, BasicFiltersNeverExceedTheirCapsUnderARandomAdaptiveAdversary) {
  Adversary adversary(21);
  int full = 0;
  for (int sequence = 0; sequence < sequences; ++sequence) {
    const double epsilon_cap = 0.1 + 3 * adversary.uniform();
    const double delta_cap = 1e-5 * adversary.uniform();
    auto filter = Filter::basic({epsilon_cap, delta_cap, add_remove});
    Exact epsilon = 0;
    Exact delta = 0;
    double delta_spent = 0;
    for (int step = 0; step < longest; ++step) {
      const double ask = std::max(0.0, adversary.next(epsilon_cap, filter.spent()));
      bool admitted = false;
      if (step % 3 == 0) {
        admitted = filter.admit(Event(PureDp{ask, add_remove}));
        if (admitted) epsilon += Exact(ask);
      } else {
        const double slack = std::max(0.0, adversary.next(delta_cap, delta_spent));
        admitted = filter.admit(Guarantee{ask, slack, add_remove});
        if (admitted) {
          epsilon += Exact(ask);
          delta += Exact(slack);
          delta_spent += slack;
        }
      }
      adversary.learn(admitted);
    }
    EXPECT_LE(epsilon, Exact(epsilon_cap)) << sequence;
    EXPECT_LE(delta, Exact(delta_cap)) << sequence;
    EXPECT_LE(epsilon, Exact(filter.spent())) << sequence;
    full += filter.spent() > 0.99 * epsilon_cap ? 1 : 0;
  }
  // The adversary does reach the caps: a filter that refuses everything is no success.
  EXPECT_GT(full, sequences / 4);
}

/// Renyi bounds at one order of a menu of releases, from small to large.
std::vector<std::pair<Event, double>> menu(double order) {
  std::vector<std::pair<Event, double>> releases;
  for (const double rate : {0.001, 0.01, 0.1}) {
    for (const double noise : {0.8, 1.5, 4.0, 20.0}) {
      releases.emplace_back(PoissonSampled{rate, Gaussian{noise}}, 0);
    }
  }
  for (const double noise : {3.0, 10.0, 40.0, 200.0}) releases.emplace_back(Gaussian{noise}, 0);
  for (const double epsilon : {0.3, 0.05, 0.002}) {
    releases.emplace_back(PureDp{epsilon, add_remove}, 0);
    releases.emplace_back(BoundedRange{epsilon, add_remove}, 0);
  }
  for (auto& [event, cost] : releases) {
    const auto curve = rdp::curve(event, add_remove);
    cost = curve ? (*curve)(order) : HUGE_VAL;
  }
  std::erase_if(releases, [](const auto& one) { return std::isinf(one.second); });
  std::sort(releases.begin(), releases.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  return releases;
}

TEST(Filters, RenyiFiltersNeverExceedTheirCapUnderARandomAdaptiveAdversary) {
  Adversary adversary(22);
  int full = 0;
  for (const double order : {2.0, 8.5, 32.0}) {
    const auto releases = menu(order);
    ASSERT_GE(releases.size(), 15U);
    for (int sequence = 0; sequence < sequences / 3 + 1; ++sequence) {
      const double target = 0.5 + 8 * adversary.uniform();
      const double delta = std::pow(10, -3 - 6 * adversary.uniform());
      auto filter = Filter::renyi(order, Epsilon(target), Delta(delta), add_remove);
      Exact sum = 0;
      for (int step = 0; step < longest; ++step) {
        // The largest release that costs no more than what the adversary dares to ask for, or one
        // beyond.
        const double ask = adversary.next(filter.cap(), filter.spent());
        auto place =
            std::upper_bound(releases.begin(), releases.end(), ask,
                             [](double value, const auto& one) { return value < one.second; });
        if (place == releases.end() || (place != releases.begin() && adversary.uniform() < 0.7)) {
          --place;
        }
        const bool admitted = filter.admit(place->first);
        if (admitted) sum += Exact(place->second);
        adversary.learn(admitted);
      }
      EXPECT_LE(sum, Exact(filter.cap())) << order << " " << sequence;
      EXPECT_LE(sum, Exact(filter.spent())) << order << " " << sequence;
      // And the cap is what gives the guarantee.
      const double spent = static_cast<double>(sum);
      if (spent > 0) {
        EXPECT_LE(rdp::to_epsilon(order, spent, delta), target * (1 + 1e-12)) << order;
      }
      full += filter.cap() > 0 && filter.spent() > 0.9 * filter.cap() ? 1 : 0;
    }
  }
  EXPECT_GT(full, sequences / 20);
}

TEST(Filters, ACapOfNothingAdmitsWhatCostsNothing) {
  auto basic = Filter::basic({0, 0, add_remove});
  EXPECT_TRUE(basic.admit(no_event()));
  EXPECT_FALSE(basic.admit(PureDp{1e-300, add_remove}));
  // Order 2 gives no epsilon of 0.1 at delta 1e-9, whatever is released.
  auto renyi = Filter::renyi(2, Epsilon(0.1), Delta(1e-9), add_remove);
  EXPECT_EQ(renyi.cap(), 0);
  EXPECT_FALSE(renyi.admit(Gaussian{1e3}));
}

TEST(Filters, SumsRoundUpward) {
  // Ten tenths exceed 1 by the excess of the double next to a tenth.
  auto filter = Filter::basic({1, 0, add_remove});
  int admitted = 0;
  while (admitted < 20 && filter.admit(PureDp{0.1, add_remove})) ++admitted;
  EXPECT_EQ(admitted, 9);
  auto exact = Filter::basic({1, 0, add_remove});
  admitted = 0;
  while (admitted < 100 && exact.admit(PureDp{0x1p-6, add_remove})) ++admitted;
  EXPECT_EQ(admitted, 64);
}

TEST(Odometer, CostsMoreThanAFilterAndGrows) {
  Odometer odometer(0.01, Delta(1e-6), add_remove);
  EXPECT_EQ(odometer.epsilon(), 0);
  double last = 0;
  for (int i = 1; i <= 10; ++i) {
    odometer.record(Gaussian{5});
    EXPECT_GE(odometer.epsilon(), last);
    last = odometer.epsilon();
    EXPECT_GT(last, zcdp_epsilon(0.02 * i, Delta(1e-6)));
  }
}

// The claim is a union bound: whatever is spent, the caps asked share one delta between them.
TEST(Odometer, SharesOfAllCapsStayWithinDelta) {
  std::vector<double> shares;
  const GrowingCaps caps{.first = 1, .factor = 2, .epsilon = [&](double cap, Delta delta) {
                           shares.push_back(delta.value());
                           return cap;
                         }};
  double sum = 0;
  for (int k = 0; k < 1000; ++k) {
    const double spent = std::ldexp(1.0, k);
    EXPECT_EQ(epsilon_at_any_time(spent, caps, Delta(0.25)), spent);
    sum += shares.back();
  }
  // Beyond the first thousand the shares sum up to less than 6 / (pi^2 1000).
  EXPECT_LE(sum, 0.25);
  EXPECT_GE(sum, 0.25 * (1 - 6.1e-4));
}

TEST(Odometer, ShowsTheFirstCapThatIsNotExceeded) {
  const GrowingCaps caps{
      .first = 0.5, .factor = 4, .epsilon = [](double cap, Delta) { return cap; }};
  const Delta delta(1e-6);
  EXPECT_EQ(epsilon_at_any_time(1e-9, caps, delta), 0.5);
  EXPECT_EQ(epsilon_at_any_time(0.5, caps, delta), 0.5);
  EXPECT_EQ(epsilon_at_any_time(0.500001, caps, delta), 2);
  EXPECT_EQ(epsilon_at_any_time(33, caps, delta), 128);
}

TEST(Odometer, EdgeTable) {
  const GrowingCaps caps{.first = 1, .epsilon = zcdp_epsilon};
  EXPECT_EQ(epsilon_at_any_time(0, caps, Delta(1e-6)), epsilon_at_any_time(0.5, caps, Delta(1e-6)));
  EXPECT_EQ(Odometer(1, Delta(1e-6), add_remove).epsilon(), 0);
  for (const double wrong : {-1.0, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(epsilon_at_any_time(wrong, caps, Delta(1e-6))),
                 base::UsageError);
  }
  EXPECT_EQ(epsilon_at_any_time(HUGE_VAL, caps, Delta(1e-6)), HUGE_VAL);
  EXPECT_THROW(Odometer(0, Delta(1e-6), add_remove), base::UsageError);
  EXPECT_THROW(Odometer(HUGE_VAL, Delta(1e-6), add_remove), base::UsageError);
  EXPECT_THROW(Odometer(1, Delta(0), add_remove), base::UsageError);
  Odometer odometer(1, Delta(1e-6), add_remove);
  odometer.record(Gaussian{0});
  EXPECT_EQ(odometer.epsilon(), HUGE_VAL);
}

}  // namespace filter_test
}  // namespace tacet::accounting
