#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacet/choose/request.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/model/model_file.h"
#include "tacet/optimize/parts/remote_parts.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"
#include "tacet/run/front.h"
#include "tacet/run/read_rows.h"

/// A model from records in memory, in one call.
///
/// Example:
///
///     const data::Schema schema = data::load_schema("patients.toml");
///     const std::vector<double> ages{31, 67, 45};
///     const std::vector<std::string> results{"well", "ill", "well"};
///     const run::Table patients{{"age", "result"}, {ages, results}};
///     choose::Request request(privacy::Adjacency::add_remove);
///     request.set("epsilon", 1).set("delta", 1e-6);
///     const model::ModelFile file = run::train(schema, patients, request);
///     model::save_model("model.json", file, base::Overwrite::refuse);
namespace tacet::run {

/// What a training runs on; all of it may be left out.
struct TrainContext {
  /// Pays for it, and refuses what exceeds its cap. Null: nobody adds trainings up. A schema that
  /// was fitted to private records is paid for once by a MemoryBudget, with its first training; one
  /// whose fit protects nobody is refused by a MemoryBudget, and so are schemas of different units
  /// (BudgetError). Noise from a known seed is counted as if it were secret: nobody is to rely on
  /// the sum then.
  privacy::Budget* budget = nullptr;
  /// Pays for it durably, instead of `budget`: the run is in the ledger with the hash of the
  /// model's file before the model is returned; it knows the records again, and refuses those of
  /// another of its accounts (BudgetError, nothing spent). A schema that was fitted is paid for
  /// once. Its RunDetails name the schema's unit, and a reason where nothing protects the records
  /// (seeded noise, epsilon inf): UsageError otherwise.
  ledger::LedgerBudget* ledger = nullptr;
  /// The same by an account that the training opens itself, and that keeps this name of it.
  AccountChoice account = {};
  std::string command = "train";
  /// Where random numbers come from, in a run of their own (next_run()). Null: the operating
  /// system.
  random::Source* source = nullptr;
  int threads = 0;  ///< 0: as many as the machine offers
  base::Supervision supervision = {};
  std::shared_ptr<base::Spool> spool = {};  ///< where encoded records lie; null: in memory
  privacy::ReceiptNotes notes = {};         ///< what the receipt says in a person's words
};

/// Plans the training from public facts, checks that the rows go with the schema, books it,
/// encodes the rows, trains, and returns the model with its schema and its receipt: what
/// model::save_model writes.
///
/// What fails before the rows are encoded, or while they are, costs nothing but what the schema's
/// fit had cost before. From then on the price stays spent in full, whatever is
/// thrown: a cancelled training has released its first steps. Errors as choose::plan,
/// dataset_of, the budget's, and base::Interrupted.
[[nodiscard]] model::ModelFile train(const data::Schema& schema, const Rows& rows,
                                     const choose::Request& request,
                                     const TrainContext& context = {});

/// The same for a training that choose::plan has planned before.
[[nodiscard]] model::ModelFile train(const learn::Training& plan, const Rows& rows,
                                     const TrainContext& context = {});

/// The same for records that lie in parts; the bytes are those of all records in memory. Each part
/// is asked once before anything can be released, so that a fault of a source or a worker costs
/// nothing. The ledger's row says that the records lie in parts, which it cannot check later.
/// UsageError, which names a method that can, for a training that needs the records themselves;
/// DataError that names the part.
[[nodiscard]] model::ModelFile train_over_parts(const learn::Training& plan,
                                                optimize::RemoteParts& parts,
                                                const TrainContext& context = {});

}  // namespace tacet::run
