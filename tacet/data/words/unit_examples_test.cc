#include "tacet/data/words/unit_examples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::data {
namespace unit_examples_test {

using Words = std::vector<std::int32_t>;

struct Example {
  Words bag;
  std::int32_t context;
  Words negatives;
  auto operator<=>(const Example&) const = default;
};

const Vocabulary& alphabet() {
  static const Vocabulary words([] {
    std::vector<std::string> list;
    for (char c = 'a'; c <= 'z'; ++c) list.emplace_back(1, c);
    return list;
  }());
  return words;
}

Corpus corpus_of(std::string_view text, bool keep_unknown = false) {
  return read_corpus(memory_source(text, "t"), "t", alphabet(), {.keep_unknown = keep_unknown});
}

std::vector<Example> examples_of(const UnitExamples& examples, std::int64_t unit,
                                 std::uint64_t random_draws) {
  UnitExamples::Drawer drawer(examples);
  ExampleList list;
  drawer.draw(unit, random_draws, list);
  std::vector<Example> out;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto example = list[k];
    out.push_back({Words(example.bag.begin(), example.bag.end()), example.context,
                   Words(example.negatives.begin(), example.negatives.end())});
  }
  return out;
}

using Pairs = std::set<std::pair<Words, std::int32_t>>;

Pairs pairs_of(const std::vector<Example>& examples) {
  Pairs out;
  for (const auto& example : examples) out.emplace(example.bag, example.context);
  return out;
}

constexpr std::int64_t all = ExampleRule::examples_per_unit_limit;

UnitExamples made(const Corpus& corpus, const ExampleRule& rule) {
  rule.validate(alphabet());
  return {corpus, rule, NegativeLaw::uniform(alphabet())};
}

TEST(UnitExamples, AreThePairsOfAWindow) {
  const auto corpus = corpus_of("a b c d\n\ne\n");
  const auto examples =
      made(corpus, {.window = 2, .window_kind = WindowKind::fixed, .max_examples_per_unit = all});
  EXPECT_EQ(examples.unit_count(), 3);
  const auto found = examples_of(examples, 0, 1);
  EXPECT_EQ(found.size(), 10U);
  EXPECT_EQ(pairs_of(found), (Pairs{{{0}, 1},
                                    {{0}, 2},
                                    {{1}, 0},
                                    {{1}, 2},
                                    {{1}, 3},
                                    {{2}, 0},
                                    {{2}, 1},
                                    {{2}, 3},
                                    {{3}, 1},
                                    {{3}, 2}}));
  for (const auto& example : found) EXPECT_EQ(example.negatives.size(), 5U);
  EXPECT_TRUE(examples_of(examples, 1, 1).empty());
  EXPECT_TRUE(examples_of(examples, 2, 1).empty());
}

TEST(UnitExamples, AreWindowsAroundAWord) {
  const auto corpus = corpus_of("a b c a\nz\n");
  const auto examples = made(corpus, {.form = ExampleForm::cbow,
                                      .window = 2,
                                      .window_kind = WindowKind::fixed,
                                      .max_examples_per_unit = all});
  EXPECT_EQ(pairs_of(examples_of(examples, 0, 1)),
            (Pairs{{{1, 2}, 0}, {{0, 2, 0}, 1}, {{0, 1, 0}, 2}, {{1, 2}, 0}}));
  EXPECT_TRUE(examples_of(examples, 1, 1).empty());
}

TEST(UnitExamples, AreListedPairs) {
  const auto corpus = corpus_of("a b\na b c d\na x? d\na b c\nb\nc d z z\n", true);
  for (const auto unit : {ExampleUnit::unit, ExampleUnit::pair}) {
    const auto examples = made(corpus, {.form = ExampleForm::listed, .unit = unit, .negatives = 2});
    std::vector<Example> found;
    for (std::int64_t u = 0; u < examples.unit_count(); ++u) {
      for (const auto& example : examples_of(examples, u, 7)) found.push_back(example);
    }
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].bag, Words{0});
    EXPECT_EQ(found[0].context, 1);
    EXPECT_EQ(found[0].negatives.size(), 2U);
    EXPECT_EQ(found[1], (Example{{0}, 1, {2, 3}}));
    EXPECT_EQ(found[2], (Example{{2}, 3, {25, 25}}));
  }
}

// A unit gives at most so many, whatever it holds, and each of its pairs is as likely as any other.
TEST(UnitExamples, AreAUniformSubsetOfAUnitsPairs) {
  std::string text;
  for (char c = 'a'; c <= 'j'; ++c) text += std::string(1, c) + " ";
  const auto corpus = corpus_of(text + "\n");
  for (const std::int64_t most : {1, 3, 17}) {
    const auto examples = made(
        corpus, {.window = 1, .window_kind = WindowKind::fixed, .max_examples_per_unit = most});
    constexpr int draws = 20'000;
    std::map<std::pair<Words, std::int32_t>, std::int64_t> counts;
    for (int k = 0; k < draws; ++k) {
      const auto found = pairs_of(examples_of(examples, 0, static_cast<std::uint64_t>(k)));
      ASSERT_EQ(found.size(), static_cast<std::size_t>(most));
      for (const auto& pair : found) ++counts[pair];
    }
    ASSERT_EQ(counts.size(), 18U);
    for (const auto& [pair, count] : counts) {
      const double p = static_cast<double>(most) / 18;
      const double stddev = std::sqrt(draws * p * (1 - p));
      // 18 pairs, three sizes: each within 7 standard deviations but for 1e-10 or so.
      EXPECT_NEAR(static_cast<double>(count), draws * p, 7 * stddev + 1e-9);
    }
  }
}

// A pair at distance d stands in a window that shrinks with probability (w - d + 1) / w.
TEST(UnitExamples, ShrinkingWindowsReachFarLessOften) {
  const auto corpus = corpus_of("a b c d\n");
  const auto examples = made(corpus, {.window = 3, .max_examples_per_unit = all});
  constexpr int draws = 30'000;
  std::vector<std::int64_t> counts(4);
  for (int k = 0; k < draws; ++k) {
    for (const auto& [bag, context] :
         pairs_of(examples_of(examples, 0, static_cast<std::uint64_t>(k)))) {
      if (bag[0] == 0) ++counts[static_cast<std::size_t>(context)];
    }
  }
  EXPECT_EQ(counts[1], draws);
  for (const int d : {2, 3}) {
    const double p = (3 - d + 1) / 3.0;
    EXPECT_GE(test::normal_p_value(
                  (static_cast<double>(counts[static_cast<std::size_t>(d)]) - draws * p) /
                  std::sqrt(draws * p * (1 - p))),
              test::false_alarm_rate);
  }
}

TEST(UnitExamples, WordsAreLeftOutBeforeWindowsAreLaid) {
  const auto corpus = corpus_of("a b c\n");
  ExampleRule rule{.window = 1, .window_kind = WindowKind::fixed, .max_examples_per_unit = all};
  rule.keep.assign(26, ~std::uint64_t{0});
  rule.keep[1] = 0;  // all but never
  EXPECT_EQ(pairs_of(examples_of(made(corpus, rule), 0, 1)), (Pairs{{{0}, 2}, {{2}, 0}}));
}

TEST(UnitExamples, FollowFromTheUnitAndItsDraws) {
  const auto two = corpus_of("a b c d e f\ng h i j\n");
  const auto one = corpus_of("g h i j\n");
  const ExampleRule rule{.window = 3, .max_examples_per_unit = 2};
  const auto with = made(two, rule);
  const auto without = made(one, rule);
  for (std::uint64_t random_draws = 0; random_draws < 100; ++random_draws) {
    EXPECT_EQ(examples_of(with, 1, random_draws), examples_of(without, 0, random_draws));
  }
  EXPECT_NE(examples_of(with, 0, 1), examples_of(with, 0, 2));
}

// Each pair by itself, with negatives that another record more or less does not change.
TEST(UnitExamples, NegativesOfAPairAreFixedByItsOwnRecord) {
  const ExampleRule rule{.window = 2,
                         .window_kind = WindowKind::fixed,
                         .unit = ExampleUnit::pair,
                         .negatives = 8,
                         .fixed_negatives = 42};
  const auto two = corpus_of("a b c d e f\ng h i j\n");
  const auto one = corpus_of("g h i j\n");
  const auto with = made(two, rule);
  const auto without = made(one, rule);
  ASSERT_EQ(with.unit_count(), 18 + 10);
  ASSERT_EQ(without.unit_count(), 10);
  std::set<Words> different;
  for (std::int64_t u = 0; u < 10; ++u) {
    const auto found = examples_of(without, u, 1);
    EXPECT_EQ(found, examples_of(with, 18 + u, 2));
    ASSERT_EQ(found.size(), 1U);
    different.insert(found[0].negatives);
  }
  EXPECT_EQ(different.size(), 10U);
  auto fresh = rule;
  fresh.fixed_negatives.reset();
  const auto drawn = made(one, fresh);
  EXPECT_NE(examples_of(drawn, 0, 1), examples_of(drawn, 0, 2));
}

TEST(UnitExamples, NegativesMayBeOtherWordsThanTheContext) {
  const Vocabulary two({"a", "b"});
  const auto corpus = read_corpus(memory_source("a b\n", "t"), "t", two, {});
  const ExampleRule rule{.negatives = 50, .other_negatives = true};
  rule.validate(two);
  const UnitExamples examples(corpus, rule, NegativeLaw::uniform(two));
  for (const auto& example : examples_of(examples, 0, 3)) {
    for (const auto word : example.negatives) EXPECT_NE(word, example.context);
  }
}

TEST(ExampleRule, RefusesWhatPublicFactsRuleOut) {
  const auto refused = [](const ExampleRule& rule) {
    EXPECT_THROW(rule.validate(alphabet()), base::UsageError);
  };
  refused({.window = 0});
  refused({.window = 101});
  refused({.max_examples_per_unit = 0});
  refused({.negatives = 0});
  refused({.unit = ExampleUnit::pair});  // the window shrinks
  refused(
      {.window_kind = WindowKind::fixed, .unit = ExampleUnit::pair, .max_examples_per_unit = 2});
  refused({.fixed_negatives = 1});
  refused({.form = ExampleForm::listed, .keep = std::vector<std::uint64_t>(26)});
  EXPECT_THROW(ExampleRule{}.validate(Vocabulary({"a"})), base::UsageError);
}

}  // namespace unit_examples_test
}  // namespace tacet::data
