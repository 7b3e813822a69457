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

/// A training that was planned from public facts. No record has been read.
class Plan {
 public:
  [[nodiscard]] std::string method() const;
  /// The cost of the training, without the cost of fitting its schema.
  [[nodiscard]] const privacy::Guarantee& guarantee() const;
  [[nodiscard]] const privacy::Event& events() const;
  /// What was chosen and why, one line per choice.
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
  double value = 0;         ///< for features in their encoded form
  double noise_stddev = 0;  ///< the standard deviation of the privacy noise in it; 0: unknown
};

/// What happens to a file of the same name.
enum class Existing { refuse, overwrite };

/// A model with its schema and its receipt. Holds a value that any number of threads may read.
class Model {
 public:
  /// Reads a file that `tacet train` wrote. DataError if something in it is wrong; IoError if there
  /// is no such file.
  [[nodiscard]] static Model load(const std::string& path);
  /// Writes the file that `tacet train` would write, completely or not at all. IoError if it exists
  /// already.
  void save(const std::string& path, Existing existing = Existing::refuse) const;

  /// The model's predictions, in the order of the rows; the rows need no target. Errors as train().
  /// The preparations for the names of the columns are kept for the next call.
  [[nodiscard]] std::vector<run::Prediction> predict(const run::Rows& rows) const;
  /// The names in the order of the class indices; empty if the target is a number.
  [[nodiscard]] std::vector<std::string> classes() const;
  /// The coefficients of one output, in the order of the features. `output` is a class index, or 0
  /// if there is only one output.
  [[nodiscard]] std::vector<Coefficient> coefficients(std::int64_t output = 0) const;
  /// The receipt, which includes the fit of the schema. privacy::statement() says it in words.
  [[nodiscard]] const privacy::Receipt& receipt() const;

 private:
  friend struct Inside;
  explicit Model(std::shared_ptr<const run::Predictor> held) : held_(std::move(held)) {}
  std::shared_ptr<const run::Predictor> held_;
};

/// The resources of a training; all of them are optional.
struct TrainContext {
  /// Pays for the training, and refuses a training above its cap. Null: nobody adds trainings up. A
  /// MemoryBudget pays once for a schema that was fitted to private records, with the first
  /// training. It refuses a schema whose fit protects nobody, and schemas of different units
  /// (BudgetError).
  ///
  /// With a LedgerBudget, the ledger has the hash of the model's file before the model is returned.
  /// It recognises the records, and refuses records of another account. The budget's details must
  /// name the schema's unit, and a reason if nothing protects the records (seeded noise, epsilon
  /// inf); otherwise UsageError.
  privacy::Budget* budget = nullptr;
  /// Null: the operating system's randomness. A MemoryBudget counts seeded noise as if it were
  /// secret, so do not rely on its sum then.
  const Random* random = nullptr;
  int threads = 0;  ///< 0: as many as the machine offers
  base::Supervision supervision = {};
  /// A person's notes for the receipt. If they name no data set, it gets the schema's name.
  privacy::ReceiptNotes notes = {};
};

/// Plans a training from public facts. UsageError for a request that makes no sense, GuaranteeError
/// if there is no proof, NumericError if the noise does not fit the numbers.
[[nodiscard]] Plan plan(const Schema& schema, const choose::Request& request);

/// Checks that the rows match the schema, books the plan, encodes the rows, and trains.
///
/// A failure before the training begins (until the rows are encoded) costs nothing beyond the
/// schema's fit. Any later failure leaves the price spent in full: even a cancelled training has
/// released its first steps. DataError for a table that lacks a column of the schema or has one
/// twice, UsageError for rows of another shape; the budget's errors; base::Interrupted.
[[nodiscard]] Model train(const Plan& plan, const run::Rows& rows,
                          const TrainContext& context = {});
/// As above, but plans first. The same request trains the same model here, on the command line, in
/// C and in Python.
[[nodiscard]] Model train(const Schema& schema, const run::Rows& rows,
                          const choose::Request& request, const TrainContext& context = {});

}  // namespace tacet::api
