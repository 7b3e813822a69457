#include "tacet/run/predictor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/run/train.h"

namespace tacet::run {
namespace predictor_test {

constexpr int count = 200;

/// A model of a number and a category.
model::ModelFile trained() {
  std::vector<double> ages;
  std::vector<std::string> towns;
  std::vector<std::string> ill;
  for (int k = 0; k < count; ++k) {
    ages.push_back(k % 90);
    towns.push_back(k % 3 == 0 ? "Bern" : "Basel");
    ill.push_back(k % 90 > 40 ? "yes" : "no");
  }
  const auto schema = data::schema_from_toml(R"(
    public_row_count = 200
    target = { column = "ill", positive = ["yes"], negative = ["no"] }
    column = [{ name = "age", kind = "numeric", lower = 0, upper = 100 },
              { name = "town", kind = "categorical", categories = ["Bern", "Basel"] }])",
                                             "inline");
  choose::Request request(privacy::Adjacency::add_remove);
  request.set("epsilon", 1).set("steps", 5).set("method", "gradient");
  return train(schema, Table{{"age", "town", "ill"}, {ages, towns, ill}}, request);
}

struct Person {
  std::vector<double> age;
  std::vector<std::string> town;
  [[nodiscard]] Table table() const { return {{"age", "town"}, {age, town}}; }
  /// The same in another order, with a column that nobody reads.
  [[nodiscard]] Table turned() const { return {{"town", "note", "age"}, {town, town, age}}; }
};

// What was asked before, in whatever order of columns, changes no bit of an answer.
TEST(Predictor, SaysOfEachRecordWhatASingleCallSays) {
  const Predictor predictor(trained());
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 60; ++k) {
      const Person person{{k * 1.5 - 5}, {k % 4 == 0 ? "Bern" : k % 4 == 1 ? "" : "Basel"}};
      const auto expected = predict(predictor.file(), person.table()).at(0);
      for (const auto& table : {person.table(), person.turned()}) {
        const auto found = predictor.predict(table).at(0);
        ASSERT_EQ(found.class_index, expected.class_index);
        ASSERT_EQ(found.probabilities, expected.probabilities);
      }
    }
  }
}

TEST(Predictor, AfterAnErrorTheNextAnswerIsRight) {
  const Predictor predictor(trained());
  const Person person{{50}, {"Bern"}};
  const auto expected = predictor.predict(person.table()).at(0).probabilities;
  const Person uneven{{50, 60}, {"Bern"}};
  EXPECT_THROW((void)predictor.predict(uneven.table()), base::UsageError);
  EXPECT_THROW((void)predictor.predict(Table{{"age"}, {person.age}}), base::DataError);
  const std::vector<double> matrix{1, 2};
  EXPECT_THROW((void)predictor.predict(Matrix{matrix, 2}), base::UsageError);
  const Records broken{{"age", "town"}, [](std::span<std::string>) -> bool {
                         throw base::DataError("the reader fails");
                       }};
  EXPECT_THROW((void)predictor.predict(broken), base::DataError);
  EXPECT_EQ(predictor.predict(person.table()).at(0).probabilities, expected);
}

TEST(Predictor, ManyThreadsMayAskAtOnce) {
  const Predictor predictor(trained());
  std::map<int, std::vector<double>> expected;
  for (int k = 0; k < 90; ++k) {
    const Person person{{static_cast<double>(k)}, {"Basel"}};
    expected[k] = predict(predictor.file(), person.table()).at(0).probabilities;
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const int k = (i * 7 + t) % 90;
        const Person person{{static_cast<double>(k)}, {"Basel"}};
        const auto table = i % 3 == 0 ? person.turned() : person.table();
        if (predictor.predict(table).at(0).probabilities != expected.at(k)) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace predictor_test
}  // namespace tacet::run
