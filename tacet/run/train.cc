#include "tacet/run/train.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/threads.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/method.h"
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

/// Books, reads, trains and releases. `read` gives the records; `carry_out` trains on them.
template <typename Read, typename CarryOut>
model::ModelFile paid_training(const learn::Training& plan, const TrainContext& context,
                               Expense expense, const Read& read, const CarryOut& carry_out) {
  privacy::check_notes(context.notes);
  // Refused before anything is spent if the training and the fit of the schema have no joint cost.
  static_cast<void>(
      data::with_schema_cost(plan.schema, {plan.events, plan.guarantee, plan.prg_slack}));
  expense.privacy_unit = plan.schema.unit.value_or("record");
  expense.planned = plan.events;
  expense.cost = plan.guarantee;
  expense.schema = {&plan.schema, "a schema in memory"};
  expense.unprotected_reason = unprotected_reason(plan, context);
  const internal::OwnSource source(context.source);
  base::ThreadPool threads(context.threads > 0 ? context.threads : base::available_threads());
  UnwrittenOutput output("a model in memory");
  model::ModelFile file{.schema = plan.schema};
  spend(expense,
        {.account = context.account,
         .warn = {},
         .cancel = context.supervision.cancel,
         .budget = context.budget,
         .ledger = context.ledger},
        output, read, [&](auto& records, privacy::Reservation& reservation, Pieces& result) {
          auto trained =
              carry_out(records, learn::TrainingContext{.source = source.get(),
                                                        .reservation = reservation,
                                                        .threads = threads,
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

}  // namespace

model::ModelFile train(const data::Schema& schema, const Rows& rows, const choose::Request& request,
                       const TrainContext& context) {
  check(context);
  return train(choose::plan(request, schema), rows, context);
}

model::ModelFile train(const learn::Training& plan, const Rows& rows, const TrainContext& context) {
  check(context);
  check_rows(rows, plan.reading_schema(), data::TargetUse::required);
  return paid_training(
      plan, context, {.command = context.command},
      [&](ledger::Fingerprint* fingerprint) {
        return dataset_of(rows, plan.reading_schema(), data::TargetUse::required,
                          {context.supervision.cancel, fingerprint, context.spool});
      },
      [&](data::Dataset& records, const learn::TrainingContext& training) {
        return plan.consume(std::move(records), plan.schema, training);
      });
}

model::ModelFile train_over_parts(const learn::Training& plan, optimize::RemoteParts& parts,
                                  const TrainContext& context) {
  check(context);
  learn::expect_over_parts(plan);
  return paid_training(
      plan, context, {.command = context.command + " (records in parts)", .in_parts = true},
      [&] {
        parts.open();
        return &parts;
      },
      [&](optimize::RemoteParts* records, const learn::TrainingContext& training) {
        records->before_disclosure([&] { training.reservation.disclose(); });
        return plan.over_parts(*records, plan.schema, training);
      });
}

}  // namespace tacet::run
