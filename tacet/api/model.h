#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacet/api/random.h"
#include "tacet/api/schema.h"
#include "tacet/base/progress.h"
#include "tacet/choose/request.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"
#include "tacet/run/rows.h"

namespace tacet::learn {
struct Training;
}
namespace tacet::run {
class Predictor;
}

/// A model from records in memory, in one call.
///
/// Example:
///
///     const auto schema = api::Schema::load("patients.toml");
///     const std::vector<double> ages{31, 67, 45};
///     const std::vector<std::string> results{"well", "ill", "well"};
///     const run::Table patients{{"age", "result"}, {ages, results}};
///     choose::Request request(privacy::Adjacency::add_remove);
///     request.set("epsilon", 1).set("delta", 1e-6);
///     const api::Model model = api::train(schema, patients, request);
///     const auto predictions = model.predict(patients);
///     model.save("model.json");
namespace tacet::api {

/// A training that is resolved from public facts, and not begun: no record has been read.
class Plan {
 public:
  [[nodiscard]] std::string method() const;
  /// What the training costs, without the fit of its schema.
  [[nodiscard]] const privacy::Guarantee& guarantee() const;
  [[nodiscard]] const privacy::Event& events() const;
  /// What was chosen and why, a line each.
  [[nodiscard]] std::vector<std::string> reasons() const;

 private:
  friend struct Inside;
  struct Held;
  explicit Plan(std::shared_ptr<const Held> held) : held_(std::move(held)) {}
  std::shared_ptr<const Held> held_;
};

/// One number that a model learned.
struct Coefficient {
  std::string name;         ///< of the encoded feature: `age`, `sex=Female`, `(intercept)`
  double value = 0;         ///< for features as they are encoded
  double noise_stddev = 0;  ///< the standard deviation of the privacy noise in it; 0: not known
};

/// What happens to a file of the same name.
enum class Existing { refuse, overwrite };

/// A model with its schema and its receipt. Holds a value that any number of threads may read.
class Model {
 public:
  /// Reads the files of `tacet train`. Faults are DataErrors; IoError when there is no such file.
  [[nodiscard]] static Model load(const std::string& path);
  /// Writes the file that `tacet train` would write, whole or not at all. An IoError where it
  /// exists already.
  void save(const std::string& path, Existing existing = Existing::refuse) const;

  /// The model's predictions, in the order of the rows; they need no target. Errors as train().
  /// What a call prepares for the names of its columns is kept for the next one.
  [[nodiscard]] std::vector<run::Prediction> predict(const run::Rows& rows) const;
  /// Names by class index; empty where the target is a number.
  [[nodiscard]] std::vector<std::string> classes() const;
  /// The coefficients of one output (the class of that index; 0 if there is one output), in the
  /// order of the features.
  [[nodiscard]] std::vector<Coefficient> coefficients(std::int64_t output = 0) const;
  /// With the fit of the schema. privacy::statement() says it in words.
  [[nodiscard]] const privacy::Receipt& receipt() const;

 private:
  friend struct Inside;
  explicit Model(std::shared_ptr<const run::Predictor> held) : held_(std::move(held)) {}
  std::shared_ptr<const run::Predictor> held_;
};

/// What a training runs on; all of it may be left out.
struct TrainContext {
  /// Pays for it, and refuses what exceeds its cap. Null: nobody adds trainings up. A schema that
  /// was fitted to private records is paid for once by a MemoryBudget, with its first training; one
  /// whose fit protects nobody is refused, and so are schemas of different units (BudgetError).
  ///
  /// With a LedgerBudget the run is in the ledger with the hash of the model's file before the
  /// model is returned; the ledger knows the records again, and refuses those of another of its
  /// accounts. Its details name the schema's unit, and a reason where nothing protects the records
  /// (seeded noise, epsilon inf): UsageError otherwise.
  privacy::Budget* budget = nullptr;
  /// Null: the operating system's. Noise from a known seed is counted by a MemoryBudget as if it
  /// were secret: nobody is to rely on the sum then.
  const Random* random = nullptr;
  int threads = 0;  ///< 0: as many as the machine offers
  base::Supervision supervision = {};
  /// What the receipt says in a person's words; the data set is called as its schema is where
  /// nothing else is said.
  privacy::ReceiptNotes notes = {};
};

/// Plans a training from public facts. UsageError for a request that makes no sense,
/// GuaranteeError where nothing is proved, NumericError for noise beyond its numbers.
[[nodiscard]] Plan plan(const Schema& schema, const choose::Request& request);

/// Checks that the rows go with the schema, books the plan, encodes the rows, and trains.
///
/// What fails before the rows are encoded, or while they are, costs nothing but what the schema's
/// fit had cost before. From then on the price stays spent in full, whatever is thrown: a cancelled
/// training has released its first steps. DataError for a table that lacks a column of the schema
/// or has one twice, UsageError for rows of another shape; the budget's errors; base::Interrupted.
[[nodiscard]] Model train(const Plan& plan, const run::Rows& rows,
                          const TrainContext& context = {});
/// Plans first. One request trains one model here, on the command line, from C and from Python.
[[nodiscard]] Model train(const Schema& schema, const run::Rows& rows,
                          const choose::Request& request, const TrainContext& context = {});

}  // namespace tacet::api
