// The sparse vector technique as callers see it; its law is tested in sparse_vector_law_test.cc.
#include "tacet/mechanism/select/sparse_vector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/select/sparse_vector_plan.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace sparse_vector_test {

using privacy::Adjacency;
using privacy::Epsilon;
using privacy::Event;
using privacy::Private;
using test::Spender;

SparseVectorOptions sparse_options(SparseVectorForm form, std::int64_t most) {
  return {.form = form,
          .threshold = 50,
          .max_positives = most,
          .selection_epsilon = Epsilon(4),
          .value_epsilon = Epsilon(2)};
}

TEST(SparseVector, FindsWhatLiesFarAboveAndStopsInTime) {
  for (const auto form :
       {SparseVectorForm::single_threshold, SparseVectorForm::redrawn_threshold}) {
    const auto options = sparse_options(form, 2);
    const auto adjacency = Adjacency::add_remove;
    Spender spender(1, sparse_vector_event(options, adjacency), adjacency, 1);
    const auto queries =
        Scores::integers({0, 1000, 0, 2000, 3000}, 1, Movement::any, Adjacency::add_remove);
    const auto answer = release_sparse_vector(queries, options,
                                              {spender.next(), spender.source, spender.reservation})
                            .value();
    ASSERT_EQ(answer.positives.size(), 2u);
    EXPECT_EQ(answer.positives[0].index, 1);
    EXPECT_EQ(answer.positives[1].index, 3);
    EXPECT_NEAR(answer.positives[0].value.value(), 1000, 30);
    EXPECT_NEAR(answer.positives[1].value.value(), 2000, 30);
  }
}

// Shares never add up to more than epsilon, and query noise grows with the positives of one
// threshold but not of redrawn ones (errors known from the literature: Lyu, Su, Li 2017).
TEST(SparseVector, NoiseFollowsTheProofs) {
  const auto scale = [](random::Ratio r) {
    return static_cast<double>(r.numerator) / static_cast<double>(r.denominator);
  };
  for (const auto movement : {Movement::any, Movement::one_way}) {
    const double factor = movement == Movement::any ? 2 : 1;
    for (const std::int64_t c : {1, 3, 100}) {
      const auto once = internal::sparse_vector_scales(
          sparse_options(SparseVectorForm::single_threshold, c), 7, movement);
      EXPECT_LE(7 / scale(once.threshold) + factor * static_cast<double>(c) * 7 / scale(once.query),
                4 * (1 + 1e-15));
      EXPECT_GT(7 / scale(once.threshold) + factor * static_cast<double>(c) * 7 / scale(once.query),
                4 * (1 - 1e-5));
      EXPECT_LE(static_cast<double>(c) * 7 / scale(once.value.value()), 2 * (1 + 1e-15));
      const auto anew = internal::sparse_vector_scales(
          sparse_options(SparseVectorForm::redrawn_threshold, c), 7, movement);
      EXPECT_LE(
          static_cast<double>(c) * (7 / scale(anew.threshold) + factor * 7 / scale(anew.query)),
          4 * (1 + 1e-15));
    }
  }
}

TEST(SparseVector, CostsWhatItsFormSays) {
  const auto adjacency = Adjacency::replace_one;
  const auto pure = [&](const Event& event) {
    return accounting::epsilon(event, adjacency, privacy::Delta(0));
  };
  for (const auto form :
       {SparseVectorForm::single_threshold, SparseVectorForm::redrawn_threshold}) {
    EXPECT_NEAR(pure(sparse_vector_event(sparse_options(form, 10), adjacency)), 6, 1e-12);
  }
  // Many stretches compose better at a delta.
  auto many = sparse_options(SparseVectorForm::redrawn_threshold, 1000);
  many.value_epsilon.reset();
  EXPECT_LT(
      accounting::epsilon(sparse_vector_event(many, adjacency), adjacency, privacy::Delta(1e-6)),
      1);
}

TEST(SparseVector, RefusesWhatMakesNoSense) {
  const auto adjacency = Adjacency::replace_one;
  auto options = sparse_options(SparseVectorForm::single_threshold, 0);
  EXPECT_THROW((void)sparse_vector_event(options, adjacency), base::UsageError);
  options.max_positives = 1;
  options.threshold = std::nan("");
  EXPECT_THROW((void)sparse_vector_event(options, adjacency), base::UsageError);
}

// Values keep their sign where magnitudes are compared; a large negative query does not count
// otherwise.
TEST(SparseVector, ComparesMagnitudesOnRequest) {
  auto options = sparse_options(SparseVectorForm::single_threshold, 2);
  const auto adjacency = Adjacency::add_remove;
  const auto queries = Scores::integers({0, -1000, 0, 2000}, 1, Movement::any, adjacency);
  const auto event = sparse_vector_event(options, adjacency);
  Spender spender(1, event, adjacency, 2);
  const auto run = [&] {
    return release_sparse_vector(queries, options,
                                 {spender.next(), spender.source, spender.reservation})
        .value()
        .positives;
  };
  const auto plain = run();
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0].index, 3);
  options.compared = Compared::magnitude;
  const auto both = run();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].index, 1);
  EXPECT_NEAR(both[0].value.value(), -1000, 30);
}

TEST(SparseVector, FindsTheFewAmongVeryManyQueries) {
  for (const auto form :
       {SparseVectorForm::single_threshold, SparseVectorForm::redrawn_threshold}) {
    auto options = sparse_options(form, 3);
    options.threshold = 5000;
    const auto adjacency = Adjacency::add_remove;
    Spender spender(2, sparse_vector_event(options, adjacency), adjacency, 1);
    const auto queries = SparseScores::integers(1'000'000'000'000,
                                                {{7, 10000}, {8, -9000}, {999'999'999'998, 10000}},
                                                {1, Movement::any, adjacency});
    const auto found = release_sparse_vector(queries, options,
                                             {spender.next(), spender.source, spender.reservation})
                           .value()
                           .positives;
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].index, 7);
    EXPECT_EQ(found[1].index, 999'999'999'998);
    EXPECT_NEAR(found[1].value.value(), 10000, 40);
  }
}

// With draws by samplers, and not by walking through outcomes: who is found first, and whether
// anybody is.
TEST(SparseVector, SkippedZerosAreFoundAsOftenAsAskedOnes) {
  SparseVectorOptions options{.threshold = 4, .selection_epsilon = Epsilon(2)};
  const auto adjacency = Adjacency::add_remove;
  constexpr int draws = 30000;
  Spender spender(3, sparse_vector_event(options, adjacency), adjacency, 2 * draws);
  const auto dense = Scores::integers({0, 0, 2, 0, 0}, 1, Movement::any, adjacency);
  const auto sparse = SparseScores::integers(5, {{2, 2}}, {1, Movement::any, adjacency});
  std::array<std::array<std::int64_t, 6>, 2> counts{};
  const auto count = [&](auto& into, const auto& queries) {
    const auto found = release_sparse_vector(queries, options,
                                             {spender.next(), spender.source, spender.reservation})
                           .value()
                           .positives;
    ++into[found.empty() ? 5 : static_cast<std::size_t>(found[0].index)];
  };
  for (int i = 0; i < draws; ++i) {
    count(counts[0], dense);
    count(counts[1], sparse);
  }
  // Two samples of one law: each sees half of what both see.
  double statistic = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto a = static_cast<double>(counts[0][i]);
    const auto b = static_cast<double>(counts[1][i]);
    statistic += (a - b) * (a - b) / (a + b);
  }
  EXPECT_LT(statistic, 52.0);  // chi-square with 5 degrees of freedom: 1e-9 beyond 50.8
}

TEST(SparseScores, RefuseListsThatAreNone) {
  const auto make = [](std::int64_t population, std::vector<random::ScoredCandidate> listed) {
    static_cast<void>(SparseScores::integers(population, std::move(listed),
                                             {1, Movement::any, Adjacency::add_remove}));
  };
  EXPECT_THROW(make(0, {}), base::UsageError);
  EXPECT_THROW(make(3, {{3, 1}}), base::UsageError);
  EXPECT_THROW(make(3, {{1, 1}, {1, 2}}), base::UsageError);
  EXPECT_THROW(make(3, {{2, 1}, {0, 2}}), base::UsageError);
  EXPECT_THROW(
      static_cast<void>(SparseScores::integers(3, {}, {0, Movement::any, Adjacency::add_remove})),
      base::UsageError);
}

TEST(InteractiveSparseVector, AnswersQueriesThatDependOnEarlierAnswers) {
  for (const auto form :
       {SparseVectorForm::single_threshold, SparseVectorForm::redrawn_threshold}) {
    auto options = sparse_options(form, 2);
    options.threshold = 500;
    const auto adjacency = Adjacency::replace_one;
    Spender spender(1, sparse_vector_event(options, adjacency), adjacency, 1);
    InteractiveSparseVector run(options, {1, Movement::any, adjacency},
                                {spender.next(), spender.source, spender.reservation});
    EXPECT_EQ(run.event(), sparse_vector_event(options, adjacency));
    // The analyst looks for the size of a count by doubling.
    std::vector<double> above;
    for (double asked = 1; asked < 1e6 && !run.ended(); asked *= 2) {
      const auto answer = run.ask(Private<double>(asked));
      EXPECT_EQ(answer.event(), run.event());
      EXPECT_EQ(answer.value().value.has_value(), answer.value().above);
      if (answer.value().above) above.push_back(answer.value().value.value());
    }
    ASSERT_EQ(above.size(), 2u);
    EXPECT_NEAR(above[0], 512, 60);
    EXPECT_GT(above[1], 600);
    EXPECT_THROW((void)run.ask(Private<double>(0)), base::BudgetError);
  }
}

// Its answers are those of the whole list asked at once: one logic.
TEST(InteractiveSparseVector, GivesTheSameAnswersAsTheListAskedAtOnce) {
  const auto options = sparse_options(SparseVectorForm::redrawn_threshold, 3);
  const auto adjacency = Adjacency::add_remove;
  const std::vector<double> queries{10, 48, 52, 49, 51, 90, 12, 60};
  const auto event = sparse_vector_event(options, adjacency);
  Spender at_once(9, event, adjacency, 1);
  Spender one_by_one(9, event, adjacency, 1);
  const auto expected =
      release_sparse_vector(Scores::rounded(queries, 1, Movement::any, adjacency), options,
                            {at_once.next(), at_once.source, at_once.reservation})
          .value();
  InteractiveSparseVector run(options, {1, Movement::any, adjacency},
                              {one_by_one.next(), one_by_one.source, one_by_one.reservation});
  std::size_t place = 0;
  for (std::size_t i = 0; i < queries.size() && !run.ended(); ++i) {
    const auto answer = run.ask(Private<double>(queries[i])).value();
    if (!answer.above) continue;
    ASSERT_LT(place, expected.positives.size());
    EXPECT_EQ(expected.positives[place].index, static_cast<std::int64_t>(i));
    EXPECT_EQ(expected.positives[place].value, answer.value);
    ++place;
  }
  EXPECT_EQ(place, expected.positives.size());
}

TEST(InteractiveSparseVector, RefusesWhatMakesNoSenseBeforeItDraws) {
  const auto options = sparse_options(SparseVectorForm::single_threshold, 1);
  const auto adjacency = Adjacency::add_remove;
  Spender spender(1, sparse_vector_event(options, adjacency), adjacency, 1);
  EXPECT_THROW(InteractiveSparseVector(options, {0, Movement::any, adjacency},
                                       {spender.next(), spender.source, spender.reservation}),
               base::UsageError);
  EXPECT_THROW(InteractiveSparseVector(options, {1, Movement::one_way, Adjacency::replace_one},
                                       {spender.next(), spender.source, spender.reservation}),
               base::UsageError);
  InteractiveSparseVector run(options, {1, Movement::any, adjacency},
                              {spender.next(), spender.source, spender.reservation});
  EXPECT_THROW((void)run.ask(Private<double>(std::nan(""))), base::NumericError);
  EXPECT_FALSE(run.ended());
  // The whole run was paid for once; a second one was not.
  EXPECT_THROW(InteractiveSparseVector(options, {1, Movement::any, adjacency},
                                       {spender.next(), spender.source, spender.reservation}),
               base::BudgetError);
}

}  // namespace sparse_vector_test
}  // namespace tacet::mechanism
