// Faults of sums over parts: what is added up is not the sum of all records, or can be read.

#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/parts/local_parts.h"
#include "tacet/optimize/parts/remote_parts.h"
#include "tests/faults/fault_tests.h"
#include "tests/support/parts_in_process.h"

namespace tacet::faults {
namespace {

using Answers = std::vector<std::string>;

constexpr std::int64_t rows = 9;

data::Schema schema_of(bool units) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = -1, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  if (units) schema.unit = "who";
  return schema;
}

/// Nine records, of three units where they have units.
data::Dataset records_of(const data::Schema& schema) {
  data::Dataset records(schema.shape());
  if (schema.unit) records.declare_units();
  data::EncodedRow row;
  for (std::int64_t k = 0; k < rows; ++k) {
    row.clear();
    row.columns = {0};
    row.values = {static_cast<std::int16_t>(100 * (k + 1))};
    row.label = k % 2 == 0 ? 1 : -1;
    if (schema.unit) row.unit = k / 3;
    records.append(row);
  }
  return records;
}

optimize::GradientTask task_of(int norm_bits) {
  return {.loss = model::make_loss("logistic"), .limit = {.norm_bits = norm_bits}};
}

std::vector<std::int64_t> gradients(optimize::PartSums& records) {
  records.start_gradients(task_of(20));
  const std::vector<double> weights(static_cast<std::size_t>(records.shape().columns), 0.25);
  const auto sum = records.gradient(weights, optimize::Basis::stated);
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

/// Three parts, and what they add up to.
class Three {
 public:
  explicit Three(std::vector<std::int64_t> part_of = {0, 0, 0, 1, 1, 1, 2, 2, 2},
                 bool units = false)
      : schema_(schema_of(units)),
        parts_(test::divided(records_of(schema_), part_of, 3), schema_),
        run_(parts_.run()) {}

  optimize::AskParts& ask() { return run_.ask; }
  /// From the second round on; the first one opens the parts.
  void change(const std::function<void(Answers&)>& how) {
    parts_.on_the_way = [how, round = 0](Answers& answers) mutable {
      if (++round > 1) how(answers);
    };
  }
  [[nodiscard]] std::vector<std::int64_t> sums() {
    optimize::RemoteParts remote(run_);
    remote.open();
    return gradients(remote);
  }
  /// That the sums are taken as they come. The product refuses.
  [[nodiscard]] Finding taken() {
    try {
      static_cast<void>(sums());
    } catch (const base::DataError&) {
      return certain(false, 1);
    }
    return certain(true, 1);
  }

 private:
  data::Schema schema_;
  test::PartsInProcess parts_;
  optimize::RemoteRun run_;
};

Finding noise_in_a_part() {
  const auto schema = schema_of(false);
  base::ThreadPool threads(1);
  optimize::LocalParts whole(records_of(schema), threads);
  return certain(Three().sums() != gradients(whole), rows);
}

Finding part_counted_twice() {
  Three parts;
  parts.change([](Answers& answers) { answers.push_back(answers[1]); });
  return parts.taken();
}

Finding part_left_out() {
  Three parts;
  parts.change([](Answers& answers) { answers.erase(answers.begin() + 1); });
  return parts.taken();
}

/// Sums that a double does not tell apart.
Finding sums_in_doubles() {
  constexpr std::int64_t large = (std::int64_t{1} << 60) - 1;
  // Of so many records as may add up to so much.
  const auto schema = schema_of(false);
  test::PartsInProcess many(
      test::divided(data::Dataset(schema.shape()), std::vector<std::int64_t>(), 2), schema);
  many.on_the_way = [](Answers& answers) {
    for (auto& bytes : answers) {
      auto answer = optimize::PartAnswer::from_bytes(bytes);
      answer.rows = std::int64_t{1} << 31;
      for (auto& sum : answer.sums) sum = large - answer.part;
      bytes = answer.to_bytes();
    }
  };
  optimize::RemoteParts remote(many.run());
  remote.start_gradients(task_of(30));
  const std::vector<double> weights(static_cast<std::size_t>(schema.shape().columns), 0.0);
  const auto sum = remote.gradient(weights, optimize::Basis::stated);
  bool wrong = false;
  for (const auto value : sum.open(mechanism::AccessKeys::key())) {
    wrong = wrong || value != 2 * large - 1;
  }
  return certain(wrong, 2);
}

/// Part 1 answers with a coarser grid than was asked for.
Finding part_of_an_older_plan() {
  Three parts;
  parts.ask() = [honest = parts.ask()](const std::string& request) {
    auto other = optimize::SumRequest::from_bytes(request);
    auto settings = optimize::settings_from_text(other.settings);
    auto* task = std::get_if<optimize::GradientTask>(&settings.task);
    auto answers = honest(request);
    if (task == nullptr) return answers;
    task->limit.norm_bits -= 1;
    other.settings = optimize::settings_to_text(settings);
    answers[1] = honest(other.to_bytes())[1];
    return answers;
  };
  return parts.taken();
}

Finding unit_in_two_parts() { return Three({0, 0, 0, 1, 1, 2, 2, 2, 2}, true).taken(); }

/// Numbers of records, and sums, in their eight bytes, in what passes through an engine.
Finding answers_unsealed() {
  Three parts;
  std::string seen;
  parts.ask() = [&, honest = parts.ask()](const std::string& request) {
    auto answers = honest(request);
    for (const auto& answer : answers) seen += answer;
    return answers;
  };
  std::vector<std::int64_t> secrets{rows / 3};
  parts.change([&](Answers& answers) {
    for (const auto& bytes : answers) {
      const auto sums = optimize::PartAnswer::from_bytes(bytes).sums;
      secrets.insert(secrets.end(), sums.begin(), sums.end());
    }
  });
  static_cast<void>(parts.sums());
  bool found = false;
  for (const auto secret : secrets) {
    // Chars may look at any object.
    const std::string_view form(reinterpret_cast<const char*>(&secret), sizeof secret);
    found = found || seen.find(form) != std::string::npos;
  }
  return certain(found, std::ssize(secrets));
}

constexpr FaultTest tests[] = {{"noise_in_a_part", noise_in_a_part},
                               {"part_counted_twice", part_counted_twice},
                               {"part_left_out", part_left_out},
                               {"sums_in_doubles", sums_in_doubles},
                               {"part_of_an_older_plan", part_of_an_older_plan},
                               {"unit_in_two_parts", unit_in_two_parts},
                               {"answers_unsealed", answers_unsealed}};

}  // namespace

std::span<const FaultTest> part_tests() { return tests; }

}  // namespace tacet::faults
