#include "tacet/run/train.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/reducer.h"
#include "tacet/base/threads.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/run/own_source.h"
#include "tacet/run/spend.h"

namespace tacet::run {
namespace {

void check(const TrainContext& context) {
  constexpr int max_threads = 1024;
  if (context.threads < 0 || context.threads > max_threads) {
    throw base::UsageError("threads must be 0 to {}, got {}", max_threads, context.threads);
  }
  if (context.budget != nullptr && context.ledger != nullptr) {
    throw base::UsageError("one training is paid once: give a budget or a ledger");
  }
  if (dynamic_cast<const ledger::LedgerBudget*>(context.budget) != nullptr) {
    throw base::UsageError("a LedgerBudget goes into TrainContext::ledger, which books the output");
  }
  if (context.ledger != nullptr && context.ledger->owes_release()) {
    throw base::UsageError(
        "the ledger's budget has committed reservations without an output: call its release() "
        "first, or give the training a LedgerBudget of its own");
  }
}

std::string unprotected_reason(const learn::Training& plan, const TrainContext& context) {
  if (plan.unprotected()) return "trained with epsilon inf";
  const bool seeded = context.source != nullptr && !context.source->secure();
  return seeded ? "the noise comes from a known seed" : "";
}

}  // namespace

model::ModelFile train(const data::Schema& schema, const Rows& rows, const choose::Request& request,
                       const TrainContext& context) {
  check(context);
  return train(choose::plan(request, schema), rows, context);
}

model::ModelFile train(const learn::Training& plan, const Rows& rows, const TrainContext& context) {
  check(context);
  privacy::check_notes(context.notes);
  // Refused before anything is spent where both costs do not go together.
  static_cast<void>(
      data::with_schema_cost(plan.schema, {plan.events, plan.guarantee, plan.prg_slack}));
  check_rows(rows, plan.reading_schema(), data::TargetUse::required);
  const internal::OwnSource source(context.source);
  base::ThreadPool threads(context.threads > 0 ? context.threads : base::available_threads());
  base::LocalReducer reducer;
  UnwrittenOutput output("a model in memory");
  model::ModelFile file{.schema = plan.schema};
  const auto* cancel = context.supervision.cancel;
  spend(
      {.command = context.command,
       .data = {},
       .privacy_unit = plan.schema.unit.value_or("record"),
       .planned = plan.events,
       .cost = plan.guarantee,
       .schema = {&plan.schema, "a schema in memory"},
       .unprotected_reason = unprotected_reason(plan, context)},
      {.account = context.account,
       .warn = {},
       .cancel = cancel,
       .budget = context.budget,
       .ledger = context.ledger},
      output,
      [&](ledger::Fingerprint* fingerprint) {
        return dataset_of(rows, plan.reading_schema(), data::TargetUse::required, cancel,
                          fingerprint);
      },
      [&](data::Dataset& records, privacy::Reservation& reservation, Pieces& result) {
        auto trained = plan.consume(std::move(records), plan.schema,
                                    {.source = source.get(),
                                     .reservation = reservation,
                                     .threads = threads,
                                     .reducer = reducer,
                                     .supervision = context.supervision});
        file.schema = std::move(trained.schema);
        file.model = std::move(trained.model);
        file.receipt = data::with_schema_cost(plan.schema, trained.receipt);
        file.receipt.notes = reservation.noted(context.notes);
        // For the hash in the ledger alone.
        if (context.ledger != nullptr || !context.account.ledger.empty()) {
          model::write_model(file, [&](std::string_view piece) { result.write(piece); });
        }
        return trained.receipt.prg_slack;
      });
  return file;
}

std::vector<Prediction> predict(const model::ModelFile& file, const Rows& rows) {
  model::expect_margins(file.model);
  const auto records = dataset_of(rows, file.schema, data::TargetUse::absent);
  const auto& model = file.model;
  std::vector<double> margins(static_cast<std::size_t>(model.output_count()));
  std::vector<Prediction> predictions;
  for (std::int64_t row = 0; row < records.rows(); ++row) {
    model::margins(model, records, row, margins);
    Prediction prediction;
    if (model.task == model::Task::regression) {
      prediction.value = model::regression_value(model, margins[0]);
    } else {
      prediction.class_index = model::predicted_class(model, margins);
    }
    if (model.has_probabilities()) {
      prediction.probabilities.resize(model.classes.size());
      model::class_probabilities(model, margins, prediction.probabilities);
    }
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

}  // namespace tacet::run
