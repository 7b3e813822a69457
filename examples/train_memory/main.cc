// A model from columns in memory: trained, cancelled, trained again, and asked.
#include <iostream>

#include "tacet/tacet.h"

/// Cancels a training at its tenth step, as a button or a signal handler would.
struct Impatient : tacet::base::Progress {
  tacet::base::CancelToken token;
  void advance(std::string_view /*phase*/, std::int64_t done, std::int64_t /*total*/) override {
    if (done >= 10) token.cancel();
  }
};
int main() {
  using namespace tacet;
  const auto schema = api::Schema::from_toml(R"(
    public_row_count = 2000
    target = { column = "ill", positive = ["yes"], negative = ["no"] }
    column = [{ name = "age", kind = "numeric", lower = 0, upper = 100 }])",
                                             "patients");
  std::vector<double> ages;
  std::vector<std::string> ill;
  for (int i = 0; i < 2000; ++i) ages.push_back(i % 100);
  for (const double age : ages) ill.emplace_back(age > 60 ? "yes" : "no");
  const run::Table patients{.names = {"age", "ill"}, .columns = {ages, ill}};
  accounting::MemoryBudget budget(privacy::Guarantee{3, 1e-5, privacy::Adjacency::add_remove});
  choose::Request request(privacy::Adjacency::add_remove);
  request.set("epsilon", 1).set("delta", 1e-6);
  Impatient person;
  try {
    static_cast<void>(api::train(schema, patients, request,
                                 {.budget = &budget, .supervision = {&person, &person.token}}));
  } catch (const base::Interrupted& error) {
    std::cout << error.what() << "; spent: epsilon " << budget.spent().epsilon << '\n';
  }
  const auto model = api::train(schema, patients, request, {.budget = &budget});
  const auto answers = model.predict(run::Table{{"age"}, {std::vector<double>{20, 90}}});
  std::cout << "ill at 20: " << answers[0].probabilities[1]
            << ", at 90: " << answers[1].probabilities[1] << '\n'
            << privacy::statement(model.receipt()) << '\n';
}
