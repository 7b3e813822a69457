#include "tacet/optimize/parts/remote_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/parts_in_process.h"

namespace tacet::optimize {
namespace remote_parts_test {

using Answers = std::vector<std::string>;

data::Schema two_columns() {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = 2, .lower = -1, .upper = 1};
  schema.format.kind = &data::file_kind("libsvm");
  schema.target = {"", data::BinaryTarget{.positive = {"1"}}};
  schema.storage = data::StorageChoice::dense;
  return schema;
}

std::vector<PartRecords> three_parts() {
  data::Dataset records(two_columns().shape());
  for (int k = 0; k < 9; ++k) {
    data::EncodedRow row;
    row.columns = {0, 1};
    row.values = {static_cast<std::int16_t>(100 * (k + 1)), 300};
    row.label = k % 2 == 0 ? 1 : -1;
    records.append(row);
  }
  return test::divided(records, std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}, 3);
}

const std::vector<double> weights(3, 0.25);

void ask_twice(RemoteParts& remote) {
  remote.open();
  remote.start_gradients({.loss = model::make_loss("logistic"), .limit = {.norm_bits = 20}});
  static_cast<void>(remote.gradient(weights, Basis::stated));
  static_cast<void>(remote.gradient(weights, Basis::released));
}

/// The error of a run whose answers are changed from the second round on; empty where it has none.
std::string error_of(const std::function<void(Answers&)>& change) {
  test::PartsInProcess parts(three_parts(), two_columns());
  int round = 0;
  parts.on_the_way = [&](Answers& answers) {
    if (++round >= 2) change(answers);
  };
  RemoteParts remote(parts.run());
  try {
    ask_twice(remote);
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "";
}

/// The same with one field of part 1's answer changed.
std::string error_of_part_1(const std::function<void(PartAnswer&)>& change) {
  return error_of([&](Answers& answers) {
    auto answer = PartAnswer::from_bytes(answers[1]);
    change(answer);
    answers[1] = answer.to_bytes();
  });
}

TEST(RemoteParts, AcceptsAnswersInAnyOrder) {
  EXPECT_EQ(error_of([](Answers& answers) { std::ranges::reverse(answers); }), "");
}

TEST(RemoteParts, RefusesAPartThatIsCountedTwice) {
  const auto twice = error_of([](Answers& answers) { answers.push_back(answers[1]); });
  EXPECT_NE(twice.find("part 1: it has answered twice"), std::string::npos) << twice;
  const auto instead = error_of([](Answers& answers) { answers[2] = answers[1]; });
  EXPECT_NE(instead.find("part 1: it has answered twice"), std::string::npos) << instead;
}

TEST(RemoteParts, RefusesAPartThatIsLeftOut) {
  const auto error = error_of([](Answers& answers) { answers.erase(answers.begin() + 1); });
  EXPECT_NE(error.find("part 1: it has not answered"), std::string::npos) << error;
}

TEST(RemoteParts, RefusesAPartThatThereIsNot) {
  const auto error = error_of_part_1([](PartAnswer& answer) { answer.part = 3; });
  EXPECT_NE(error.find("part 3: there are only parts 0 to 2"), std::string::npos) << error;
}

TEST(RemoteParts, RefusesAnAnswerToAnotherRequest) {
  std::string before;
  const auto error = error_of([&](Answers& answers) {
    if (!before.empty()) answers[1] = before;  // that of the round before
    before = answers[1];
  });
  EXPECT_NE(error.find("part 1: it has answered another request"), std::string::npos) << error;
}

// A part that follows an older plan, with a coarser or a finer grid, answers another request.
TEST(RemoteParts, RefusesAPartOfAnotherPlan) {
  test::PartsInProcess parts(three_parts(), two_columns());
  auto run = parts.run();
  const auto honest = run.ask;
  run.ask = [&](const std::string& request) {
    auto other = SumRequest::from_bytes(request);
    auto settings = settings_from_text(other.settings);
    if (auto* task = std::get_if<GradientTask>(&settings.task)) {
      task->limit.norm_bits = 19;
      other.settings = settings_to_text(settings);
      auto answers = honest(request);
      answers[1] = honest(other.to_bytes())[1];
      return answers;
    }
    return honest(request);
  };
  RemoteParts remote(run);
  try {
    ask_twice(remote);
    FAIL() << "an older plan was added up";
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("part 1: it has answered another request"),
              std::string::npos)
        << error.what();
  }
}

TEST(RemoteParts, RefusesAnotherVersion) {
  const auto error = error_of_part_1([](PartAnswer& answer) { answer.version = "0.0.1"; });
  EXPECT_NE(error.find("part 1: its worker has tacet 0.0.1"), std::string::npos) << error;
}

TEST(RemoteParts, RefusesAnotherLength) {
  const auto more = error_of_part_1([](PartAnswer& answer) { answer.sums.push_back(0); });
  EXPECT_NE(more.find("part 1: it has answered with 4 numbers instead of 3"), std::string::npos)
      << more;
  const auto fewer = error_of_part_1([](PartAnswer& answer) { answer.sums.pop_back(); });
  EXPECT_NE(fewer.find("part 1: it has answered with 2 numbers"), std::string::npos) << fewer;
}

// Noise that a part adds shows where it leaves what its records can add up to; three records of
// 2^20 grid units each cannot add up to more.
TEST(RemoteParts, RefusesSumsBeyondWhatTheRecordsCanAddUpTo) {
  for (const std::int64_t sign : {-1, 1}) {
    constexpr std::int64_t most = 3 << 20;
    EXPECT_EQ(error_of_part_1([&](PartAnswer& answer) { answer.sums[0] = sign * most; }), "");
    const auto error =
        error_of_part_1([&](PartAnswer& answer) { answer.sums[0] = sign * (most + 1); });
    EXPECT_NE(error.find("part 1: one of its sums is larger"), std::string::npos) << error;
  }
}

TEST(RemoteParts, RefusesASourceThatChangesMeanwhile) {
  const auto rows = error_of_part_1([](PartAnswer& answer) { answer.rows = 4; });
  EXPECT_NE(rows.find("part 1: its records are others than before"), std::string::npos) << rows;
  const auto records = error_of_part_1([](PartAnswer& answer) { answer.records[0] ^= 1; });
  EXPECT_NE(records.find("part 1: its records are others"), std::string::npos) << records;
}

TEST(RemoteParts, TellsOfAFailureItsKindAlone) {
  const auto error = error_of_part_1([](PartAnswer& answer) { answer.failure = "OSError"; });
  EXPECT_NE(error.find("part 1: its worker ended with OSError"), std::string::npos) << error;
}

// Each part would bound the unit's records by itself.
TEST(RemoteParts, RefusesAUnitInTwoParts) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = -1, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.unit = "who";
  data::Dataset records(schema.shape());
  records.declare_units();
  for (int k = 0; k < 6; ++k) {
    data::EncodedRow row;
    row.unit = k / 2;
    row.label = 1;
    records.append(row);
  }
  test::PartsInProcess whole(test::divided(records, std::vector<std::int64_t>{0, 0, 1, 1, 2, 2}, 3),
                             schema);
  RemoteParts apart(whole.run());
  EXPECT_NO_THROW(apart.open());
  test::PartsInProcess torn(test::divided(records, std::vector<std::int64_t>{0, 0, 1, 2, 2, 2}, 3),
                            schema);
  RemoteParts together(torn.run());
  try {
    together.open();
    FAIL() << "a unit in two parts was taken";
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("part 1 and part 2 hold records of one unit"),
              std::string::npos)
        << error.what();
  }
  // No sum is had without it either.
  RemoteParts unasked(torn.run());
  unasked.start_gradients({.loss = model::make_loss("logistic"), .limit = {.norm_bits = 20}});
  const std::vector<double> zeros(static_cast<std::size_t>(schema.shape().columns));
  EXPECT_THROW(static_cast<void>(unasked.gradient(zeros, Basis::stated)), base::DataError);
}

data::Schema of_units(std::int64_t declared) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = -1, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.unit = "who";
  schema.public_row_count = declared;
  return schema;
}

/// One record of each of so many units, all in part 0; the last one has a further record in part 1
/// where it is torn.
std::vector<PartRecords> records_of_units(const data::Schema& schema, std::int64_t units,
                                          std::int64_t parts, bool torn) {
  data::Dataset records(schema.shape());
  records.declare_units();
  std::vector<std::int64_t> part_of;
  for (std::int64_t k = 0; k < units + (torn ? 1 : 0); ++k) {
    data::EncodedRow row;
    row.unit = std::min(k, units - 1);
    row.label = 1;
    records.append(row);
    part_of.push_back(k < units ? 0 : 1);
  }
  return test::divided(records, part_of, parts);
}

// 8 parts that may hold half a million units each are asked in two rounds, each of which compares
// the units of one share.
TEST(RemoteParts, ComparesAllUnitsInAsManyRoundsAsTheyTake) {
  const auto schema = of_units(std::int64_t{1} << 18);
  const auto rounds = unit_rounds(8, schema.public_row_count);
  EXPECT_EQ(rounds.count(), 2);
  EXPECT_NO_THROW(check_round(8, rounds.numbers()));
  constexpr std::int64_t units = 5;
  for (const bool torn : {false, true}) {
    test::PartsInProcess parts(records_of_units(schema, units, 8, torn), schema);
    int asked = 0;
    std::int64_t found = 0;
    parts.on_the_way = [&](Answers& answers) {
      ++asked;
      const auto answer = PartAnswer::from_bytes(answers[0]);
      found += answer.sums.front();
      EXPECT_EQ(std::ssize(answer.sums), rounds.numbers());
    };
    RemoteParts remote(parts.run());
    if (torn) {
      EXPECT_THROW(remote.open(), base::DataError) << units;
    } else {
      EXPECT_NO_THROW(remote.open());
      EXPECT_EQ(asked, rounds.count());
      EXPECT_EQ(found, units);
    }
  }
}

TEST(RemoteParts, HasRoomForManyUnitsInManyParts) {
  for (const std::int64_t parts : {1, 17, 64, 1000}) {
    const auto rounds = unit_rounds(parts, 1'000'000);
    EXPECT_NO_THROW(check_round(parts, rounds.numbers())) << parts;
    EXPECT_GE(rounds.count() * rounds.hashes, 2'000'000);
  }
  EXPECT_LE(unit_rounds(64, 1'000'000).count(), 64);
  EXPECT_THROW(static_cast<void>(unit_rounds(10'000, 100'000'000)), base::UsageError);
}

TEST(RemoteParts, RefusesAPartWithMoreUnitsThanAreCompared) {
  const auto schema = of_units(300);
  test::PartsInProcess fits(records_of_units(schema, 600, 2, false), schema);
  RemoteParts enough(fits.run());
  EXPECT_NO_THROW(enough.open());
  test::PartsInProcess full(records_of_units(schema, 601, 2, false), schema);
  RemoteParts beyond(full.run());
  try {
    beyond.open();
    FAIL() << "units were left out";
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("part 0: it holds more units"), std::string::npos)
        << error.what();
  }
}

TEST(RemoteParts, RefusesUnitsOfAnotherLength) {
  const auto schema = of_units(300);
  for (const bool more : {false, true}) {
    test::PartsInProcess parts(records_of_units(schema, 3, 2, false), schema);
    parts.on_the_way = [&](Answers& answers) {
      auto answer = PartAnswer::from_bytes(answers[1]);
      answer.sums.resize(more ? answer.sums.size() + 1 : 0);
      answers[1] = answer.to_bytes();
    };
    RemoteParts remote(parts.run());
    EXPECT_THROW(remote.open(), base::DataError);
  }
}

TEST(RemoteParts, TellsOnceBeforeAnythingReleasedLeaves) {
  test::PartsInProcess parts(three_parts(), two_columns());
  int round = 0;
  parts.on_the_way = [&](Answers& /*answers*/) { ++round; };
  RemoteParts remote(parts.run());
  std::vector<int> told;
  remote.before_disclosure([&] { told.push_back(round); });
  ask_twice(remote);
  static_cast<void>(remote.gradient(weights, Basis::released));
  EXPECT_EQ(told, std::vector<int>{2}) << "before the third of four rounds";
}

TEST(RemoteParts, TakesEmptyParts) {
  const data::Dataset none(two_columns().shape());
  auto some = three_parts();
  some.push_back({none});
  test::PartsInProcess parts(std::move(some), two_columns());
  RemoteParts remote(parts.run());
  EXPECT_NO_THROW(ask_twice(remote));
}

TEST(RemoteParts, RefusesMoreThan2To32RecordsTogether) {
  test::PartsInProcess parts(three_parts(), two_columns());
  std::int64_t each = (std::int64_t{1} << 32) / 3;
  parts.on_the_way = [&](Answers& answers) {
    for (auto& bytes : answers) {
      auto answer = PartAnswer::from_bytes(bytes);
      answer.rows = each;
      bytes = answer.to_bytes();
    }
  };
  RemoteParts fits(parts.run());
  EXPECT_NO_THROW(fits.open());
  each += 1;
  RemoteParts beyond(parts.run());
  EXPECT_THROW(beyond.open(), base::UsageError);
}

TEST(RemoteParts, RefusesAnswersThatWereNotSealed) {
  test::PartsInProcess parts(three_parts(), two_columns());
  auto run = parts.run();
  const SealKey other;
  const auto honest = run.ask;
  run.ask = [&](const std::string& request) {
    auto answers = honest(request);
    answers[1] = seal(other.public_key(), "whatever");
    return answers;
  };
  RemoteParts remote(run);
  EXPECT_THROW(remote.open(), base::DataError);
  run.ask = [&](const std::string& request) {
    auto answers = honest(request);
    answers[1] = PartAnswer{.request = digest_of(request)}.to_bytes();
    return answers;
  };
  RemoteParts readable(run);
  EXPECT_THROW(readable.open(), base::DataError);
}

TEST(RemoteParts, RefusesRoundsOfMoreThan64Megabytes) {
  EXPECT_NO_THROW(check_round(8, std::int64_t{1} << 20));
  EXPECT_THROW(check_round(8, (std::int64_t{1} << 20) + 1), base::UsageError);
  EXPECT_THROW(RemoteParts({.parts = 0, .reading = two_columns(), .ask = nullptr}),
               base::UsageError);
}

}  // namespace remote_parts_test
}  // namespace tacet::optimize
