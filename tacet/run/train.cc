#include "tacet/run/train.h"

#include <memory>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/reducer.h"
#include "tacet/base/threads.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/run/own_source.h"
#include "tacet/select/plan.h"

namespace tacet::run {
namespace {

privacy::Reservation reserve(const learn::Training& plan, const TrainMeans& means) {
  if (means.ledger != nullptr) return means.ledger->reserve(plan.events, plan.guarantee);
  if (means.budget != nullptr) return means.budget->reserve(plan.events, plan.guarantee);
  return {plan.events, plan.guarantee, nullptr};
}

void check(const TrainMeans& means) {
  constexpr int most_threads = 1024;
  if (means.threads < 0 || means.threads > most_threads) {
    throw base::UsageError("threads must be 0 to {}, got {}", most_threads, means.threads);
  }
  if (means.budget != nullptr && means.ledger != nullptr) {
    throw base::UsageError("one training is paid once: give a budget or a ledger");
  }
}

}  // namespace

model::ModelFile train(const data::Schema& schema, const Rows& rows,
                       const learn::LinearOptions& options, const TrainMeans& means) {
  check(means);
  const auto plan = select::plan_training(schema, options);
  // Refused before anything is spent where both costs do not go together.
  static_cast<void>(
      data::with_schema_cost(plan.schema, {plan.events, plan.guarantee, plan.cipher_delta}));
  const internal::OwnSource source(means.source);
  base::ThreadPool threads(means.threads > 0 ? means.threads : base::available_threads());
  base::LocalReducer reducer;
  auto reservation = reserve(plan, means);
  auto records = [&] {
    try {
      return dataset_of(rows, plan.reading_schema(), data::TargetUse::required,
                        means.supervision.cancel);
    } catch (...) {
      reservation.cancel();  // nothing was released
      throw;
    }
  }();
  auto trained = plan.consume(std::move(records), plan.schema,
                              {.source = source.get(),
                               .reservation = reservation,
                               .threads = threads,
                               .reducer = reducer,
                               .supervision = means.supervision});
  model::ModelFile file{.schema = std::move(trained.schema),
                        .model = std::move(trained.model),
                        .receipt = data::with_schema_cost(plan.schema, trained.receipt)};
  if (means.ledger != nullptr) {
    means.ledger->release(model::model_to_json(file), "a model in memory",
                          file.receipt.cipher_delta);
  }
  return file;
}

std::vector<Prediction> predict(const model::ModelFile& file, const Rows& rows) {
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
