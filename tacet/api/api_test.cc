#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "tacet/accounting/memory_budget.h"
#include "tacet/api/ledger.h"
#include "tacet/api/mechanism.h"
#include "tacet/api/model.h"
#include "tacet/api/release.h"
#include "tacet/base/error.h"
#include "tacet/base/sha256.h"
#include "tacet/data/file_text.h"
#include "tests/support/data_sets.h"
#include "tests/support/scratch_folder.h"

namespace tacet::api {
namespace api_test {

constexpr auto adjacency = privacy::Adjacency::add_remove;

Schema patients() {
  return Schema::from_toml(R"(
    name = "patients"
    public_row_count = 400
    target = { column = "ill", positive = ["yes"], negative = ["no"] }
    column = [{ name = "age", kind = "numeric", lower = 0, upper = 100 }])",
                           "patients");
}

struct People {
  std::vector<double> ages;
  std::vector<std::string> ill;
  People() {
    for (int i = 0; i < 400; ++i) ages.push_back(i % 100);
    for (const double age : ages) ill.emplace_back(age > 60 ? "yes" : "no");
  }
  [[nodiscard]] run::Table table() const { return {{"age", "ill"}, {ages, ill}}; }
};

choose::Request request() {
  choose::Request asked(adjacency);
  asked.set("epsilon", 1).set("delta", 1e-6).set("steps", 10);
  return asked;
}

TEST(Api, APlanIsWhatIsTrainedAndCostsWhatItSays) {
  const auto resolved = plan(patients(), request());
  EXPECT_EQ(resolved.method(), "gradient");
  EXPECT_LE(resolved.guarantee().epsilon, 1);
  EXPECT_FALSE(resolved.reasons().empty());
  const People people;
  const auto random = Random::seeded(1);
  const auto again = Random::seeded(1);
  const auto planned = train(resolved, people.table(), {.random = &random});
  const auto asked = train(patients(), people.table(), request(), {.random = &again});
  EXPECT_EQ(privacy::receipt_to_json(planned.receipt()), privacy::receipt_to_json(asked.receipt()));
  EXPECT_EQ(planned.receipt().notes.data_set, "patients");
  EXPECT_EQ(planned.receipt().events, resolved.events());
  EXPECT_EQ(planned.coefficients().back().name, "(intercept)");
  EXPECT_EQ(planned.coefficients()[0].value, asked.coefficients()[0].value);
  EXPECT_THROW(static_cast<void>(planned.coefficients(1)), base::UsageError);
}

TEST(Api, AModelIsTheSameFromItsFile) {
  const test::ScratchFolder folder;
  const People people;
  const auto model = train(patients(), people.table(), request());
  const auto path = (folder.path() / "model.json").string();
  model.save(path);
  EXPECT_THROW(model.save(path), base::Error);
  model.save(path, Existing::overwrite);
  const auto read = Model::load(path);
  EXPECT_EQ(read.classes(), model.classes());
  EXPECT_EQ(read.predict(people.table())[99].probabilities,
            model.predict(people.table())[99].probabilities);
}

TEST(Api, ReceiptsNameTheFileOfTheSchema) {
  const auto path = test::source_file("data/schemas/berkeley1973.toml");
  base::Sha256 sum;
  sum.add(data::read_text_file(path));
  choose::Request free(adjacency);
  free.set("epsilon", 1);
  const std::vector<std::string> sexes{"male", "female"};
  const std::vector<std::string> departments{"A", "B"};
  const std::vector<std::string> admitted{"yes", "no"};
  const run::Table table{{"sex", "department", "admitted"}, {sexes, departments, admitted}};
  EXPECT_EQ(train(Schema::load(path), table, free).receipt().notes.schema_sha256, sum.digest());
}

TEST(Api, ASumIsReleasedOnce) {
  optimize::Histogram days(7);
  days.add(3);
  Sum sum(std::move(days));
  const Sum copy = sum;
  static_cast<void>(release(sum, {1, 0, adjacency}, {.noise = Noise::laplace}));
  EXPECT_THROW(static_cast<void>(release(copy, {1, 0, adjacency}, {.noise = Noise::laplace})),
               base::UsageError);
  Sum moved(optimize::Histogram(3));
  static_cast<void>(release(std::move(moved), {1, 0, adjacency}, {.noise = Noise::laplace}));
  EXPECT_THROW(static_cast<void>(release(std::move(moved),  // NOLINT(bugprone-use-after-move)
                                         {1, 0, adjacency}, {.noise = Noise::laplace})),
               base::UsageError);
}

// No value of the interface names neighbours that nobody stated.
static_assert(!std::is_default_constructible_v<Account>);
static_assert(!std::is_default_constructible_v<QuantileQuery>);

// A file that is no schema may hold records: the refusal quotes none of it.
TEST(Api, AFileThatIsNoSchemaIsNotQuoted) {
  const test::ScratchFolder folder;
  const auto path = (folder.path() / "data.csv").string();
  std::ofstream(path) << "Harriet,1931,HIV\n";
  try {
    static_cast<void>(Schema::load(path));
    FAIL() << "a table passes for a schema";
  } catch (const base::DataError& error) {
    EXPECT_EQ(std::string(error.what()).find("Harriet"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find("saw"), std::string::npos) << error.what();
  }
}

// Each release has noise of its own, one seed gives one answer, and what was not booked is refused.
TEST(Api, ReleasesGoByTheirPermit) {
  const auto votes =
      Scores::integers({5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 1, Movement::one_way, adjacency);
  const privacy::Epsilon epsilon(0.5);
  const auto draw = [&](std::uint64_t seed) {
    accounting::MemoryBudget budget(privacy::Guarantee{20, 0, adjacency});
    auto permit = budget.reserve(privacy::Repeated{30, selection_event(epsilon, adjacency)},
                                 privacy::Delta(0));
    Releases releases(permit, Random::seeded(seed));
    std::vector<std::int64_t> chosen;
    for (int k = 0; k < 30; ++k) chosen.push_back(releases.select(votes, epsilon));
    EXPECT_THROW(static_cast<void>(releases.select(votes, epsilon)), base::BudgetError);
    permit.commit();
    return chosen;
  };
  const auto first = draw(1);
  EXPECT_EQ(first, draw(1));
  EXPECT_NE(first, draw(2));
  EXPECT_GT(std::ranges::count_if(first, [&](auto k) { return k != first[0]; }), 0);
}

// A training that a ledger pays for is in it when the model is there.
TEST(Api, ALedgerPaysForTrainingsAndReleases) {
  const test::ScratchFolder folder;
  const auto path = (folder.path() / "a.ledger").string();
  Ledger::create(path);
  Ledger book(path);
  book.enrol({.data_set = "people", .adjacency = adjacency, .cap = 1.5, .delta = 1e-5});
  const People people;
  LedgerBudget budget(book, {.data_set = "people", .command = "test"});
  static_cast<void>(train(patients(), people.table(), request(), {.budget = &budget}));
  EXPECT_EQ(book.spent("people").substr(0, 8), "epsilon ");
  LedgerBudget second(book, {.data_set = "people", .command = "test"});
  EXPECT_THROW(static_cast<void>(train(patients(), people.table(), request(), {.budget = &second})),
               privacy::BudgetExceeded);
  optimize::Histogram days(7);
  auto released = release(std::move(days), {0.25, 0, adjacency},
                          {.noise = Noise::discrete_laplace, .budget = &second});
  second.release("released", "days", released.receipt.prg_slack);
  EXPECT_THROW(static_cast<void>(book.spent("nobody")), base::UsageError);
}

}  // namespace api_test
}  // namespace tacet::api
