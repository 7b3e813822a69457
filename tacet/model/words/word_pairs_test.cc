#include "tacet/model/words/word_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "tacet/base/error.h"

namespace tacet::model {
namespace word_pairs_test {

using Words = std::vector<std::int32_t>;

struct Case {
  Words bag;
  std::int32_t context;
  Words negatives;
};

using Table = std::vector<std::vector<double>>;

Table wave_table(std::int64_t rows, std::int64_t width) {
  Table table(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      table[i].push_back(std::sin(1 + 0.7 * static_cast<double>(i) + 1.3 * static_cast<double>(j)));
    }
  }
  return table;
}

struct Found {
  double loss = 0;
  double squared_norm = 0;
  std::map<std::int64_t, std::vector<double>> rows = {};
};

template <class Real>
Found found(const WordShape& shape, const Table& table, const Case& example) {
  WordPairs<Real> pairs(shape);
  const auto rows = pairs.begin({example.bag, example.context, example.negatives});
  std::vector<std::vector<Real>> values;
  std::vector<const Real*> pointers;
  for (const auto row : rows) {
    const auto& from = table[static_cast<std::size_t>(row)];
    values.emplace_back(from.begin(), from.end());
  }
  for (const auto& row : values) pointers.push_back(row.data());
  pairs.evaluate(pointers);
  Found out{.loss = pairs.loss(), .squared_norm = pairs.squared_norm()};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<Real> gradient(static_cast<std::size_t>(shape.width()));
    pairs.write_row(k, gradient);
    out.rows[rows[k]].assign(gradient.begin(), gradient.end());
  }
  return out;
}

// The loss by its definition, from the whole tables.
double plain_loss(const WordShape& shape, const Table& table, const Case& example) {
  const auto row = [&](std::int64_t at) { return table[static_cast<std::size_t>(at)]; };
  std::vector<double> hidden(static_cast<std::size_t>(shape.dimensions), 0);
  for (const auto word : example.bag) {
    for (std::size_t j = 0; j < hidden.size(); ++j) {
      hidden[j] += row(shape.target_row(word))[j] / static_cast<double>(example.bag.size());
    }
  }
  const auto score = [&](std::int32_t word) {
    const auto u = row(shape.context_row(word));
    double z = shape.bias ? u.back() : 0;
    for (std::size_t j = 0; j < hidden.size(); ++j) z += hidden[j] * u[j];
    return z;
  };
  double loss = std::log1p(std::exp(-score(example.context)));
  for (const auto word : example.negatives) loss += std::log1p(std::exp(score(word)));
  return loss;
}

// wide.md 6.1: V = 6, d = 4, E_ij = sin(1 + .7 i + 1.3 j).
TEST(WordPairs, AgreeWithTheWorkedExamplesOfOneSharedTable) {
  const WordShape shape{.words = 6, .dimensions = 4, .tables = 1, .bias = false};
  const auto table = wave_table(6, 4);
  const struct {
    Case example;
    double loss;
    double squared_norm;
    std::vector<double> row0;
  } oracles[] = {{{{0}, 1, {2, 3}},
                  1.449740520488,
                  2.131074252215,
                  {.32188866071, -.599025072996, -.642365671396, .255360943702}},
                 {{{0}, 1, {2, 2, 1}},
                  4.278217804133,
                  12.200494157245,
                  {1.61430344044, -.573156637732, -1.920940898864, -.454542242874}},
                 {{{0}, 0, {3, 0}},
                  2.888000755734,
                  6.149710152502,
                  {1.419958846401, 1.007103548582, -.881160807302, -1.478522516149}}};
  for (const auto& oracle : oracles) {
    const auto exact = found<double>(shape, table, oracle.example);
    EXPECT_NEAR(exact.loss, oracle.loss, 1e-12);
    EXPECT_NEAR(exact.squared_norm, oracle.squared_norm, 1e-11);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(exact.rows.at(0)[j], oracle.row0[j], 2e-12);
    const auto rounded = found<float>(shape, table, oracle.example);
    EXPECT_NEAR(rounded.loss, oracle.loss, 1e-6);
    EXPECT_NEAR(rounded.squared_norm, oracle.squared_norm, 1e-5);
  }
}

const WordShape every_shape[] = {{.words = 7, .dimensions = 5, .tables = 1, .bias = false},
                                 {.words = 7, .dimensions = 5, .tables = 2, .bias = false},
                                 {.words = 7, .dimensions = 5, .tables = 2, .bias = true}};

const Case telling_cases[] = {
    {{0}, 1, {2, 3}},           // as usual
    {{4}, 4, {4, 4}},           // target, context and negatives are one word
    {{1, 1, 2}, 3, {3, 1, 1}},  // the bag repeats, the context is a negative
    {{}, 2, {5, 6}},            // nothing stood in the window
    {{6, 0}, 5, {}},            // nothing was drawn
};

TEST(WordPairs, GradientsAreSlopesOfTheLoss) {
  constexpr double h = 1e-5;
  for (const auto& shape : every_shape) {
    auto table = wave_table(shape.rows(), shape.width());
    for (const auto& example : telling_cases) {
      const auto gradient = found<double>(shape, table, example);
      EXPECT_NEAR(gradient.loss, plain_loss(shape, table, example), 1e-12);
      for (std::size_t r = 0; r < table.size(); ++r) {
        for (std::size_t j = 0; j < table[r].size(); ++j) {
          const double here = table[r][j];
          table[r][j] = here + h;
          const double above = plain_loss(shape, table, example);
          table[r][j] = here - h;
          const double below = plain_loss(shape, table, example);
          table[r][j] = here;
          const auto row = gradient.rows.find(static_cast<std::int64_t>(r));
          const double slope = row == gradient.rows.end() ? 0 : row->second[j];
          EXPECT_NEAR(slope, (above - below) / (2 * h), 1e-9);
        }
      }
    }
  }
}

// The norm from the factors is the norm of the rows, whatever repeats and meets.
TEST(WordPairs, NormsWithoutRowsAreThoseOfTheRows) {
  std::mt19937_64 bits(3);
  std::uniform_real_distribution<double> law(-2, 2);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int32_t>(bits() % static_cast<std::uint64_t>(n));
  };
  for (int trial = 0; trial < 10'000; ++trial) {
    WordShape shape = every_shape[trial % 3];
    shape.dimensions = 1 + below(40);
    Table table(static_cast<std::size_t>(shape.rows()));
    for (auto& row : table) {
      for (std::int64_t j = 0; j < shape.width(); ++j) row.push_back(law(bits));
    }
    Case example{.bag = Words(static_cast<std::size_t>(below(5))),
                 .context = below(7),
                 .negatives = Words(static_cast<std::size_t>(below(9)))};
    for (auto& word : example.bag) word = below(7);
    for (auto& word : example.negatives) word = below(7);
    const auto gradient = found<double>(shape, table, example);
    double squares = 0;
    for (const auto& [row, values] : gradient.rows) {
      for (const double value : values) squares += value * value;
    }
    EXPECT_NEAR(gradient.squared_norm, squares, 1e-12 * std::max(squares, 1.0));
    const auto rounded = found<float>(shape, table, example);
    EXPECT_NEAR(rounded.squared_norm, squares, 1e-4 * std::max(squares, 1.0));
  }
}

TEST(WordPairs, ListEachRowOnce) {
  WordPairs<float> pairs({.words = 7, .dimensions = 2});
  const Words bag{3, 1, 3};
  const Words negatives{5, 1, 5, 0};
  const auto rows = pairs.begin({bag, 1, negatives});
  EXPECT_EQ(std::vector(rows.begin(), rows.end()),
            (std::vector<std::int64_t>{3, 1, 7 + 1, 7 + 5, 7 + 0}));
}

// What is not finite shows, so that the record can be counted as 0; large scores are no fault.
TEST(WordPairs, LetThroughWhatIsNotFinite) {
  const WordShape shape{.words = 3, .dimensions = 2};
  const Case example{{0}, 1, {2}};
  auto table = wave_table(shape.rows(), shape.width());
  table[4][0] = std::numeric_limits<double>::quiet_NaN();
  const auto lost = found<double>(shape, table, example);
  EXPECT_TRUE(std::isnan(lost.loss));
  EXPECT_TRUE(std::isnan(lost.squared_norm));
  EXPECT_TRUE(std::isnan(lost.rows.at(4)[0]));
  table[4][0] = 1e6;
  table[0][0] = 1e6;
  const auto large = found<double>(shape, table, example);
  EXPECT_TRUE(std::isfinite(large.loss));
  EXPECT_TRUE(std::isfinite(large.squared_norm));
}

TEST(WordPairs, RefuseWordsWithoutARow) {
  WordPairs<float> pairs({.words = 3, .dimensions = 2});
  const Words three{3};
  const Words one{1};
  EXPECT_THROW(static_cast<void>(pairs.begin({three, 0, one})), base::InternalError);
  EXPECT_THROW(static_cast<void>(pairs.begin({one, -1, one})), base::InternalError);
  EXPECT_THROW(static_cast<void>(pairs.begin({one, 0, three})), base::InternalError);
}

}  // namespace word_pairs_test
}  // namespace tacet::model
