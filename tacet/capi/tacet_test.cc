#include "tacet/capi/tacet.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/model/model_file.h"
#include "tests/support/temporary_folder.h"

namespace tacet::capi {
namespace tacet_test {

constexpr const char* patients = R"(
public_row_count = 400
[target]
column = "ill"
positive = ["yes"]
negative = ["no"]
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 100
)";

constexpr const char* numbered = R"(
public_row_count = 4
[format]
kind = "npy"
[features]
count = 2
lower = -1
upper = 1
[target]
positive = ["1"]
negative = ["0"]
)";

/// A handle that is there, whatever is done with it.
template <typename Make>
std::uint64_t made(const Make& make) {
  std::uint64_t handle = 0;
  EXPECT_EQ(make(&handle), TACET_OK) << tacet_last_error();
  EXPECT_NE(handle, 0U);
  return handle;
}

std::uint64_t schema_of(const char* text) {
  return made([&](auto* out) { return tacet_schema_parse(text, "inline", out); });
}

std::uint64_t options_at(const char* epsilon) {
  const auto options = made([](auto* out) { return tacet_options_new(out); });
  EXPECT_EQ(tacet_options_set(options, "epsilon", epsilon), TACET_OK) << tacet_last_error();
  EXPECT_EQ(tacet_options_set(options, "delta", "1e-6"), TACET_OK);
  return options;
}

std::uint64_t table_of_patients() {
  std::vector<double> ages;
  std::vector<const char*> ill;
  for (int k = 0; k < 400; ++k) {
    ages.push_back(k % 100);
    ill.push_back(k % 100 > 60 ? "yes" : "no");
  }
  const auto table = made([](auto* out) { return tacet_table_new(400, out); });
  EXPECT_EQ(tacet_table_numbers(table, "age", ages.data(), ages.size()), TACET_OK);
  EXPECT_EQ(tacet_table_texts(table, "ill", ill.data(), ill.size()), TACET_OK);
  return table;
}

std::string receipt_of(std::uint64_t model) {
  std::size_t needed = 0;
  EXPECT_EQ(tacet_model_receipt(model, nullptr, 0, &needed), TACET_OK);
  std::string text(needed, '?');
  EXPECT_EQ(tacet_model_receipt(model, text.data(), needed - 1, nullptr), TACET_USAGE);
  EXPECT_EQ(tacet_model_receipt(model, text.data(), needed, nullptr), TACET_OK);
  text.pop_back();
  return text;
}

TEST(CInterface, TrainsBooksSavesAndPredicts) {
  const auto schema = schema_of(patients);
  const auto options = options_at("1");
  const auto table = table_of_patients();
  const auto budget =
      made([](auto* out) { return tacet_budget_new(1.5, 1e-5, TACET_ADD_REMOVE, out); });
  const auto model =
      made([&](auto* out) { return tacet_train_table(schema, options, budget, table, out); });
  double epsilon = 0;
  double delta = 0;
  ASSERT_EQ(tacet_budget_spent(budget, &epsilon, &delta), TACET_OK);
  const auto receipt = privacy::receipt_from_json(receipt_of(model));
  EXPECT_TRUE(receipt.is_protected());
  EXPECT_EQ(epsilon, receipt.guarantee.epsilon);
  EXPECT_EQ(delta, 1e-6);
  // A second one does not fit.
  std::uint64_t second = 77;
  EXPECT_EQ(tacet_train_table(schema, options, budget, table, &second), TACET_BUDGET);
  EXPECT_EQ(second, 77U);
  EXPECT_NE(std::strstr(tacet_last_error(), "remaining"), nullptr) << tacet_last_error();

  const test::TemporaryFolder folder;
  const auto path = (folder.path() / "model.json").string();
  ASSERT_EQ(tacet_model_save(model, path.c_str(), 0), TACET_OK) << tacet_last_error();
  EXPECT_EQ(tacet_model_save(model, path.c_str(), 0), TACET_IO);
  EXPECT_EQ(tacet_model_save(model, path.c_str(), 1), TACET_OK);
  const auto again = made([&](auto* out) { return tacet_model_load(path.c_str(), out); });
  EXPECT_EQ(receipt_of(again), receipt_of(model));
  std::vector<double> first(400);
  std::vector<double> other(400);
  ASSERT_EQ(tacet_predict_table(model, table, first.data(), 400), TACET_OK);
  ASSERT_EQ(tacet_predict_table(again, table, other.data(), 400), TACET_OK);
  EXPECT_EQ(first, other);
  EXPECT_EQ(tacet_predict_table(model, table, first.data(), 399), TACET_USAGE);
  char name[16];
  ASSERT_EQ(tacet_model_class(model, 1, name, sizeof name, nullptr), TACET_OK);
  EXPECT_STREQ(name, "yes");
  EXPECT_EQ(tacet_model_class(model, 2, name, sizeof name, nullptr), TACET_USAGE);
  for (const auto object : {schema, options, table, budget, model, again}) {
    EXPECT_EQ(tacet_free(object), TACET_OK);
    EXPECT_EQ(tacet_free(object), TACET_USAGE);
  }
}

TEST(CInterface, AMatrixWithTheLabelsOfItsSchema) {
  const double values[] = {1, 0, 0.5, 0.2, -1, 0, -0.7, 0.1};
  const double labels[] = {1, 1, 0, 0};
  const auto schema = schema_of(numbered);
  const auto options = options_at("50");
  const auto model = made(
      [&](auto* out) { return tacet_train_matrix(schema, options, 0, values, 4, 2, labels, out); });
  double out[4] = {7, 7, 7, 7};
  ASSERT_EQ(tacet_predict_matrix(model, values, 4, 2, out, 4), TACET_OK);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(out[k], labels[k]);
  for (const auto object : {schema, options, model}) EXPECT_EQ(tacet_free(object), TACET_OK);
}

double pinched(double prediction, double label, void* context) {
  ++*static_cast<std::atomic<int>*>(context);
  return label * prediction < 1 ? -label : 0;
}

// The loss of a C program trains, and is no loss of the methods that count on one.
TEST(CInterface, ALossOfOnesOwn) {
  const double values[] = {1, 0, 0.5, 0.2, -1, 0, -0.7, 0.1};
  const double labels[] = {1, 1, 0, 0};
  const auto schema = schema_of(numbered);
  const auto options = options_at("50");
  std::atomic<int> calls = 0;
  const auto give = [&](tacet_loss slope, double largest) {
    return tacet_options_loss(options, pinched, slope, &calls, largest, 1);
  };
  EXPECT_EQ(give(nullptr, 1), TACET_USAGE);
  EXPECT_EQ(give(pinched, -1), TACET_USAGE);
  ASSERT_EQ(give(pinched, 1), TACET_OK) << tacet_last_error();
  const auto model = made(
      [&](auto* out) { return tacet_train_matrix(schema, options, 0, values, 4, 2, labels, out); });
  EXPECT_GT(calls.load(), 4);
  double out[4] = {};
  ASSERT_EQ(tacet_predict_matrix(model, values, 4, 2, out, 4), TACET_OK);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(out[k], labels[k]);
  EXPECT_EQ(tacet_options_set(options, "method", "objective"), TACET_OK);
  std::uint64_t none = 0;
  EXPECT_EQ(tacet_train_matrix(schema, options, 0, values, 4, 2, labels, &none), TACET_USAGE);
  EXPECT_EQ(none, 0U);
}

int impatient(const char* phase, std::int64_t done, std::int64_t total, void* context) {
  EXPECT_STREQ(phase, "training");
  EXPECT_LE(done, total);
  *static_cast<std::int64_t*>(context) = done;
  return done == 10 ? 1 : 0;
}

// A training that is cancelled stays paid, and the next one is on what is left.
TEST(CInterface, CancelsATrainingBetweenItsSteps) {
  const auto schema = schema_of(patients);
  const auto options = options_at("1");
  const auto table = table_of_patients();
  const auto budget =
      made([](auto* out) { return tacet_budget_new(2.5, 1e-5, TACET_ADD_REMOVE, out); });
  std::int64_t done = -1;
  ASSERT_EQ(tacet_options_progress(options, impatient, &done), TACET_OK);
  std::uint64_t model = 0;
  EXPECT_EQ(tacet_train_table(schema, options, budget, table, &model), TACET_INTERRUPTED);
  EXPECT_EQ(done, 10);
  EXPECT_EQ(model, 0U);
  double epsilon = 0;
  double delta = 0;
  ASSERT_EQ(tacet_budget_spent(budget, &epsilon, &delta), TACET_OK);
  EXPECT_NEAR(epsilon, 1, 1e-9);
  ASSERT_EQ(tacet_options_progress(options, nullptr, nullptr), TACET_OK);
  EXPECT_EQ(tacet_train_table(schema, options, budget, table, &model), TACET_OK);
  EXPECT_EQ(done, 10);
}

TEST(CInterface, ReleasesAHistogramWithItsReceipt) {
  const auto budget =
      made([](auto* out) { return tacet_budget_new(40, 1e-5, TACET_ADD_REMOVE, out); });
  std::vector<std::int64_t> days;
  for (int k = 0; k < 3000; ++k) days.push_back(k % 3);
  days.push_back(-1);  // the last bin, as all that there is none for
  days.push_back(77);
  double counts[3] = {-1, -1, -1};
  const auto release = [&](double epsilon, double delta, std::uint64_t* out) {
    return tacet_release_histogram(budget, days.data(), days.size(), epsilon, delta,
                                   TACET_ADD_REMOVE, counts, 3, out);
  };
  const auto paid = made([&](auto* out) { return release(25, 0, out); });
  // Noise of scale 1/25: one of the three draws is other than 0 with a probability of 1e-10.
  EXPECT_EQ(counts[0], 1000);
  EXPECT_EQ(counts[1], 1000);
  EXPECT_EQ(counts[2], 1002);
  const auto receipt = privacy::receipt_from_json(receipt_of(paid));
  EXPECT_TRUE(receipt.is_protected());
  EXPECT_LE(receipt.guarantee.epsilon, 25);
  EXPECT_EQ(release(20, 0, nullptr), TACET_BUDGET);
  EXPECT_EQ(release(0, 0, nullptr), TACET_USAGE);
  EXPECT_EQ(counts[2], 1002);
  EXPECT_EQ(release(1, 1e-6, nullptr), TACET_OK) << tacet_last_error();
  EXPECT_EQ(std::floor(counts[1]), counts[1]);
  EXPECT_NEAR(counts[1], 1000, 60);  // 10 standard deviations and more
  EXPECT_EQ(tacet_release_histogram(0, days.data(), 3, 1, 0, 5, counts, 3, nullptr), TACET_USAGE);
  EXPECT_EQ(tacet_release_histogram(0, nullptr, 3, 1, 0, 0, counts, 3, nullptr), TACET_USAGE);
  EXPECT_EQ(tacet_release_histogram(0, days.data(), 3, 1, 0, 0, counts, 0, nullptr), TACET_USAGE);
}

TEST(CInterface, AccountsAsTheLibraryDoes) {
  double epsilon = -1;
  const char* event = R"({"version": 1, "event": {"kind": "gaussian", "noise_multiplier": 5}})";
  ASSERT_EQ(tacet_account(event, TACET_ADD_REMOVE, 1e-6, &epsilon), TACET_OK) << tacet_last_error();
  EXPECT_EQ(epsilon, accounting::epsilon(privacy::Gaussian{5}, privacy::Adjacency::add_remove,
                                         privacy::Delta(1e-6)));
  EXPECT_EQ(tacet_account("{", TACET_ADD_REMOVE, 1e-6, &epsilon), TACET_DATA);
  EXPECT_EQ(tacet_account(event, 3, 1e-6, &epsilon), TACET_USAGE);
  EXPECT_EQ(tacet_account(event, TACET_ADD_REMOVE, 2, &epsilon), TACET_USAGE);
  EXPECT_EQ(tacet_account(nullptr, TACET_ADD_REMOVE, 1e-6, &epsilon), TACET_USAGE);
}

TEST(CInterface, SaysWhatIsWrongByKindAndInWords) {
  std::uint64_t handle = 5;
  EXPECT_EQ(tacet_schema_parse("[target", "mine.toml", &handle), TACET_DATA);
  EXPECT_NE(std::strstr(tacet_last_error(), "mine.toml"), nullptr);
  EXPECT_EQ(tacet_schema_load("/no/such/file.toml", &handle), TACET_IO);
  EXPECT_EQ(handle, 5U);
  EXPECT_STREQ(tacet_error_name(TACET_GUARANTEE), "guarantee");
  EXPECT_STREQ(tacet_error_name(-1), "unknown");
  EXPECT_NE(std::strlen(tacet_version()), 0U);
  // Longer than there is room for: cut, and still a text.
  const std::string long_name(10000, 'x');
  EXPECT_EQ(tacet_options_set(made([](auto* out) { return tacet_options_new(out); }),
                              long_name.c_str(), "1"),
            TACET_USAGE);
  EXPECT_LT(std::strlen(tacet_last_error()), 2048U);
}

/// Arguments of all kinds in any order: most are wrong, and some are right.
class AnyCalls {
 public:
  explicit AnyCalls(std::uint64_t seed) : bits_(seed) {}

  int call() {
    switch (below(19)) {
      case 0:
        return tacet_schema_parse(text(), text(), keep());
      case 1:
        return tacet_options_new(keep());
      case 2:
        return tacet_options_set(handle(), text(), text());
      case 3:
        return tacet_budget_new(number(), number(), integer(), keep());
      case 4:
        return tacet_budget_spent(handle(), place(), place());
      case 5:
        return tacet_table_new(size(), keep());
      case 6:
        return tacet_table_numbers(handle(), text(), buffer(), size());
      case 7:
        return tacet_table_texts(handle(), text(), texts(), below(4));
      case 8:
        return tacet_train_table(handle(), handle(), handle(), handle(), keep());
      case 9:
        return tacet_train_matrix(handle(), handle(), handle(), buffer(), below(5), below(5),
                                  buffer(), keep());
      case 10:
        return tacet_model_load(text(), keep());
      case 11:
        return tacet_predict_table(handle(), handle(), place(), size());
      case 12:
        return tacet_predict_matrix(handle(), buffer(), below(5), below(5), place(), size());
      case 13:
        return tacet_model_class(handle(), size(), room(), sizeof room_, nullptr);
      case 14:
        return tacet_model_receipt(handle(), room(), sizeof room_, &needed_);
      case 15:
        return tacet_account(text(), integer(), number(), place());
      case 16:
        return tacet_options_progress(handle(), below(2) == 0 ? nullptr : perhaps, nullptr);
      case 17:
        return tacet_release_histogram(handle(), below(8) == 0 ? nullptr : bins_, below(5),
                                       number(), number(), integer(), place(), size(), keep());
      default:
        return tacet_free(handle());
    }
  }

 private:
  std::size_t below(std::size_t end) { return bits_() % end; }
  const char* text() {
    static constexpr const char* some[] = {nullptr, "",    "age",  "ill",    "epsilon", "1",
                                           "1e-6",  "yes", "\xff", patients, numbered,  "{}",
                                           "delta", "nan", "-1",   "steps",  "2"};
    return some[below(std::size(some))];
  }
  double number() {
    static constexpr double some[] = {0,
                                      1,
                                      -1,
                                      1e-6,
                                      1e300,
                                      std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()};
    return some[below(std::size(some))];
  }
  int integer() { return static_cast<int>(below(6)) - 2; }
  // No more than a buffer holds: its length is the caller's promise.
  std::size_t size() { return below(5); }
  const double* buffer() { return below(8) == 0 ? nullptr : numbers_; }
  double* place() { return below(8) == 0 ? nullptr : numbers_; }
  const char* const* texts() {
    for (auto& item : texts_) item = text();
    return below(8) == 0 ? nullptr : texts_;
  }
  char* room() { return below(8) == 0 ? nullptr : room_; }
  std::uint64_t handle() {
    if (below(6) == 0) return bits_();
    return handles_[below(std::size(handles_))];
  }
  std::uint64_t* keep() { return below(16) == 0 ? nullptr : &handles_[below(std::size(handles_))]; }

  static int perhaps(const char* /*phase*/, std::int64_t done, std::int64_t /*total*/,
                     void* /*context*/) {
    return done == 3 ? 1 : 0;
  }

  std::mt19937_64 bits_;
  std::int64_t bins_[5] = {0, 1, -1, 3, 1};
  double numbers_[32] = {1, 0, 0.5, -1};
  const char* texts_[4] = {};
  char room_[64] = {};
  std::size_t needed_ = 0;
  std::uint64_t handles_[12] = {};
};

// Under the sanitizers' build this is where they look.
TEST(CInterface, TenThousandCallsInAnyOrderEndInAnErrorEach) {
  AnyCalls calls(1);
  int right = 0;
  for (int k = 0; k < 10000; ++k) {
    const int kind = calls.call();
    ASSERT_STRNE(tacet_error_name(kind), "unknown");
    ASSERT_NE(kind, TACET_INTERNAL) << tacet_last_error();
    if (kind == TACET_OK) {
      ++right;
    } else {
      ASSERT_NE(std::strlen(tacet_last_error()), 0U);
    }
  }
  EXPECT_GT(right, 500);
  EXPECT_LT(right, 9000);
}

}  // namespace tacet_test
}  // namespace tacet::capi
