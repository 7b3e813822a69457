#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/profile_pair.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/objective.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/base/error.h"

// Every event has a proved bound, or a reason why not and what to do instead.
namespace tacet::accounting {
namespace every_event_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
constexpr auto zero_out = Adjacency::zero_out;

const ObjectivePerturbation minimum{8, 1, 0.25, 10, 1e-3, 0.02};

/// Every kind that reads all records, with the odd values too.
std::vector<Event> leaves(Adjacency adjacency) {
  return {Gaussian{2},
          Gaussian{0},
          Laplace{2},
          DiscreteGaussian{4, 1, 1},
          DiscreteGaussian{4, 1, 4},
          DiscreteLaplace{4, 1},
          PureDp{0.3, adjacency},
          PureDp{HUGE_VAL, adjacency},
          ApproximateDp{0.3, 1e-8, adjacency},
          ApproximateDp{0.3, 0, adjacency},
          ApproximateDp{0.3, 1, adjacency},
          ApproximateDp{800, 1e-8, adjacency},
          ApproximateDp{HUGE_VAL, 1e-8, adjacency},
          BoundedRange{0.3, adjacency},
          BoundedRange{700, adjacency},
          ScoreSelection{1.5, 0.1, 0.75, 0.2, 99901, 1000, adjacency},
          Zcdp{0.01, adjacency},
          Profile{{{0, 0.1}, {1, 1e-3}, {2, 1e-9}}, adjacency},
          Profile{{{700, 1e-9}}, adjacency},
          Profile{{{0, 1}}, adjacency},
          ShuffledLocal{1, 1000},
          minimum,
          no_event()};
}

Event selected(RepetitionLaw law, const Event& base) {
  switch (law) {
    case RepetitionLaw::truncated_negative_binomial:
      return RandomlyRepeated{law, 0, 0.1, 0, 0, 0, 0, base};
    case RepetitionLaw::poisson:
      return RandomlyRepeated{law, 0, 0, 5, 0, 0, 0, base};
    case RepetitionLaw::binomial:
      return RandomlyRepeated{law, 0, 0, 0, 10, 0.5, 0, base};
  }
  return base;
}

std::vector<Event> made_of(const Event& base, Adjacency adjacency, std::int64_t sample = 1000) {
  const Event other = Profile{{{0, 0.01}, {1, 1e-6}, {2, 1e-12}}, adjacency};
  return {Repeated{1, base},
          Repeated{3, base},
          Composed{{base}},
          Composed{{base, Gaussian{3}}},
          Composed{{base, Zcdp{0.01, adjacency}}},
          Composed{{other, base}},
          PoissonSampled{0.1, base},
          FixedSizeSampled{sample, 10 * sample, base},
          Partitioned{Assignment::by_position, {base, Gaussian{2}}},
          Partitioned{Assignment::by_record, {base, Gaussian{2}}},
          selected(RepetitionLaw::truncated_negative_binomial, base),
          selected(RepetitionLaw::poisson, base),
          selected(RepetitionLaw::binomial, base)};
}

/// A bound in order, or a refusal with a reason and a way out ("; use ...").
void check_answer(const Event& event, Adjacency adjacency) {
  const auto text = std::string(to_string(adjacency)) + " " + event_to_json(event);
  try {
    const auto interval = epsilon_interval(event, adjacency, Delta(1e-6));
    EXPECT_LE(interval.lower, interval.upper) << text;
    EXPECT_FALSE(std::isnan(interval.upper)) << text;
  } catch (const base::GuaranteeError& error) {
    const std::string reason = error.what();
    EXPECT_EQ(reason.find("no accountant"), std::string::npos) << text;
    EXPECT_NE(reason.find("; "), std::string::npos) << text << ": " << reason;
  }
}

TEST(EveryEvent, AloneHasABoundOrAReason) {
  for (const auto adjacency : {add_remove, replace_one, zero_out}) {
    for (const auto& leaf : leaves(adjacency)) check_answer(leaf, adjacency);
    check_answer(Zcdp{1, adjacency == add_remove ? replace_one : add_remove}, adjacency);
  }
}

TEST(EveryEventLong, InEveryShapeHasABoundOrAReason) {
  for (const auto adjacency : {add_remove, replace_one, zero_out}) {
    for (const auto& leaf : leaves(adjacency)) {
      for (const auto& event : made_of(leaf, adjacency)) check_answer(event, adjacency);
    }
  }
}

TEST(EveryEventLong, InShapesOfShapesHasABoundOrAReason) {
  for (const auto adjacency : {add_remove, replace_one, zero_out}) {
    for (const Event& leaf :
         {Event(Gaussian{2}), Event(DiscreteGaussian{4, 1, 4}), Event(Zcdp{0.01, adjacency}),
          Event(ApproximateDp{0.3, 1e-8, adjacency})}) {
      for (const auto& inner : made_of(leaf, adjacency)) {
        for (const auto& event : made_of(inner, adjacency, 10000)) check_answer(event, adjacency);
      }
    }
  }
}

double upper(const Event& event, Adjacency adjacency = add_remove, double delta = 1e-6) {
  return epsilon_interval(event, adjacency, Delta(delta)).upper;
}

TEST(EveryEvent, PartsKnownByDifferentAccountantsCompose) {
  const Event profile = Profile{{{0, 0.01}, {1, 1e-6}, {2, 1e-12}}, add_remove};
  const Event many = DiscreteGaussian{4, 1, 4};
  const Event both = Composed{{profile, many}};
  const double together = upper(both);
  EXPECT_GT(together, upper(profile));
  EXPECT_GT(together, upper(many));
  EXPECT_LT(together, upper(profile, add_remove, 5e-7) + upper(many, add_remove, 5e-7));
  const auto interval = epsilon_interval(both, add_remove, Delta(1e-6));
  EXPECT_EQ(interval.route, "pld");
  EXPECT_FALSE(interval.lower_is_attained);
  EXPECT_EQ(interval.attained, 0);
}

// A continuous Gaussian known by its Renyi bound alone, beside one that is known exactly: the
// profile stays above the truth, and not by much.
TEST(EveryEvent, ProfilesOfPartsStayAboveTheTruth) {
  for (const double sigma : {1.0, 4.0}) {
    const Event known = Gaussian{sigma};
    const Event stated = Zcdp{0.5 / (sigma * sigma), add_remove};
    for (const double epsilon : {0.0, 0.1, 0.5, 1.0, 3.0}) {
      const double exact = gaussian::delta(1 / sigma, epsilon);
      double above = 1;
      const auto points = internal::proved_profile(stated, add_remove);
      ASSERT_GE(points.size(), 10U);
      for (const auto& point : points) {
        EXPECT_GE(point.delta, gaussian::delta(1 / sigma, point.epsilon));
        if (point.epsilon <= epsilon) above = point.delta;
      }
      EXPECT_GE(above, exact);
    }
    const Event training = Repeated{100, PoissonSampled{0.1, Gaussian{2}}};
    const double exact = upper(Composed{{training, known}});
    const double with_stated = upper(Composed{{training, stated}});
    EXPECT_GE(with_stated, exact * (1 - 1e-3));
    EXPECT_LE(with_stated, exact * 1.12);
  }
}

TEST(EveryEvent, LossesBeyondAnyDistributionLeaveTheSums) {
  const Event small = Profile{{{0, 0.01}, {1, 1e-6}, {2, 1e-12}}, add_remove};
  const Event large = BoundedRange{700, add_remove};
  // A little less than the sum: the larger one costs less at what the other leaves of delta.
  EXPECT_LE(upper(Composed{{small, large}}), 702);
  EXPECT_GE(upper(Composed{{small, large}}), 702 - 1e-5);
  EXPECT_EQ(upper(Composed{{small, large, Zcdp{0.01, add_remove}}}), HUGE_VAL);
  const Event sampled = PoissonSampled{1e-3, ApproximateDp{650, 1e-9, add_remove}};
  EXPECT_NEAR(upper(sampled), 650 + std::log(1e-3), 1e-9);
  const Event blocks =
      Partitioned{Assignment::by_record, {ApproximateDp{650, 1e-9, add_remove}, Gaussian{1}}};
  EXPECT_EQ(upper(blocks), 650);
}

TEST(EveryEvent, TuningMayBeAPart) {
  for (const auto law : {RepetitionLaw::truncated_negative_binomial, RepetitionLaw::poisson,
                         RepetitionLaw::binomial}) {
    const Event selection = selected(law, Gaussian{4});
    const double once = upper(selection);
    EXPECT_GE(upper(Repeated{1, selection}), once * (1 - 1e-9));
    EXPECT_LE(upper(Repeated{1, selection}), once * 1.1);
    const double twice = upper(Repeated{2, selection});
    EXPECT_GT(twice, once);
    EXPECT_LE(twice, 2 * upper(selection, add_remove, 5e-7) * 1.1);
    EXPECT_LT(upper(PoissonSampled{0.01, selection}), once);
  }
}

TEST(EveryEvent, MinimaOfReplacedRecordsMayBeSampled) {
  const Event sampled = PoissonSampled{0.1, minimum};
  const double whole = upper(minimum, replace_one);
  EXPECT_LT(upper(sampled, replace_one), whole);
  EXPECT_GT(upper(sampled, replace_one), 0);
}

TEST(EveryEvent, SamplesOfSamplesAreSamples) {
  const Event nested = PoissonSampled{0.125, PoissonSampled{0.25, Gaussian{1}}};
  const Event flat = PoissonSampled{0.03125, Gaussian{1}};
  for (const auto adjacency : {add_remove, replace_one}) {
    EXPECT_NEAR(upper(Repeated{100, nested}, adjacency) / upper(Repeated{100, flat}, adjacency), 1,
                1e-9);
  }
  // A Poisson sample of a subset: at least as good as the subset, at most what it draws from.
  const Event inside = FixedSizeSampled{10, 100, PoissonSampled{0.5, Gaussian{2}}};
  EXPECT_LT(upper(inside, replace_one),
            upper(FixedSizeSampled{10, 100, Gaussian{2}}, replace_one) * 1.01);
}

TEST(EveryEvent, TrivialWrappersCostNothing) {
  for (const auto adjacency : {add_remove, replace_one, zero_out}) {
    for (const auto& leaf : leaves(adjacency)) {
      if (leaf == Event(minimum) || leaf.as<ShuffledLocal>() != nullptr)
        continue;  // they take long
      double alone = 0;
      try {
        alone = upper(leaf, adjacency);
      } catch (const base::GuaranteeError&) {
        continue;
      }
      for (const Event& same :
           {Event(Repeated{1, leaf}), Event(Composed{{leaf}}), Event(Composed{{Repeated{1, leaf}}}),
            Event(PoissonSampled{1, leaf})}) {
        if (std::isinf(alone)) {
          EXPECT_EQ(upper(same, adjacency), alone) << event_to_json(same);
        } else {
          EXPECT_NEAR(upper(same, adjacency), alone, 2e-3 * alone) << event_to_json(same);
        }
      }
    }
  }
}

// Both runs mix the same laws: the Renyi bound of a replaced record falls with the rate, and stays
// above what the loss distribution says.
TEST(EveryEvent, ReplacedRecordsOfPoissonSamplesHaveARenyiBound) {
  const auto renyi = [](double rate) {
    const auto curve = rdp::curve(PoissonSampled{rate, Gaussian{2}}, replace_one);
    return curve ? rdp::best_epsilon(*curve, Delta(1e-6)).epsilon : HUGE_VAL;
  };
  const auto whole = rdp::curve(Gaussian{2}, replace_one);
  ASSERT_TRUE(whole);
  double last = 0;
  for (const double rate : {1e-6, 1e-3, 0.1, 0.9}) {
    const double now = renyi(rate);
    EXPECT_GE(now, last);
    EXPECT_LE(now, rdp::best_epsilon(*whole, Delta(1e-6)).epsilon);
    EXPECT_GE(now, upper(PoissonSampled{rate, Gaussian{2}}, replace_one) * (1 - 1e-3));
    last = now;
  }
}

void expect_reason(const Event& event, Adjacency adjacency, const std::string& part) {
  try {
    static_cast<void>(epsilon_interval(event, adjacency, Delta(1e-6)));
    ADD_FAILURE() << event_to_json(event);
  } catch (const base::GuaranteeError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(EveryEvent, RefusalsSayWhatToDo) {
  expect_reason(ApproximateDp{1, 1, add_remove}, add_remove, "state the delta below 1");
  expect_reason(Composed{{Gaussian{1}, ApproximateDp{1, 1, add_remove}}}, add_remove,
                "promises nothing");
  expect_reason(Profile{{{0, 1}}, add_remove}, add_remove, "list a point");
  expect_reason(PureDp{1, add_remove}, replace_one, "account for add_remove");
  expect_reason(Partitioned{Assignment::by_position, {Gaussian{1}, Laplace{1}}}, add_remove,
                "form the blocks by record");
  expect_reason(Partitioned{Assignment::by_record, {Gaussian{1}, Laplace{1}}}, replace_one,
                "form the blocks by position");
  expect_reason(PoissonSampled{0.1, Composed{{Zcdp{1, replace_one}, Gaussian{1}}}}, replace_one,
                "leave the sampling out");
  expect_reason(FixedSizeSampled{1, 10, Gaussian{1}}, add_remove, "use Poisson sampling");
}

}  // namespace every_event_test
}  // namespace tacet::accounting
