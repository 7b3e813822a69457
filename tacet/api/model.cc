#include "tacet/api/model.h"

#include <algorithm>
#include <utility>

#include "tacet/api/inside.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/run/train.h"

namespace tacet::api {

std::string Plan::method() const { return held_->training.method; }

const privacy::Guarantee& Plan::guarantee() const { return held_->training.guarantee; }

const privacy::Event& Plan::events() const { return held_->training.events; }

std::vector<std::string> Plan::reasons() const { return held_->training.reasons; }

Model Model::load(const std::string& path) { return Inside::model(model::load_model(path)); }

void Model::save(const std::string& path, Existing existing) const {
  model::save_model(
      path, held_->file(),
      existing == Existing::overwrite ? base::Overwrite::allow : base::Overwrite::refuse);
}

std::vector<run::Prediction> Model::predict(const run::Rows& rows) const {
  return held_->predict(rows);
}

std::vector<std::string> Model::classes() const { return held_->file().model.classes; }

std::vector<Coefficient> Model::coefficients(std::int64_t output) const {
  const auto& model = held_->file().model;
  if (model.wide) throw base::UsageError("a wide model has no coefficients");
  if (model.table) {
    throw base::UsageError(
        "a table of method inference has no coefficients of encoded columns; its model file has "
        "those of its own");
  }
  if (output < 0 || output >= model.output_count()) {
    throw base::UsageError("output {} of a model with {}", output, model.output_count());
  }
  std::vector<Coefficient> found;
  const auto names = held_->file().schema.encoded_columns();
  const auto first = static_cast<std::size_t>(output) * names.size();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double stddev = model.noise_stddevs.empty() ? 0.0 : model.noise_stddevs[first + k];
    found.push_back({names[k].name, model.coefficients[first + k], stddev});
  }
  return found;
}

const privacy::Receipt& Model::receipt() const { return held_->file().receipt; }

Plan plan(const Schema& schema, const choose::Request& request) {
  return Inside::plan(choose::plan(request, Inside::of(schema)), Inside::sha256_of(schema));
}

Model train(const Plan& plan, const run::Rows& rows, const TrainContext& context) {
  const auto& [training, sha256] = Inside::of(plan);
  auto* const budget = Inside::of(context.budget);
  auto* const ledger = dynamic_cast<ledger::LedgerBudget*>(budget);
  auto notes = context.notes;
  if (notes.data_set.empty()) notes.data_set = training.schema.name;
  if (notes.schema_sha256.empty()) notes.schema_sha256 = sha256;
  return Inside::model(run::train(training, rows,
                                  {.budget = ledger == nullptr ? budget : nullptr,
                                   .ledger = ledger,
                                   .source = Inside::of(context.random),
                                   .threads = context.threads,
                                   .supervision = context.supervision,
                                   .notes = notes}));
}

Model train(const Schema& schema, const run::Rows& rows, const choose::Request& request,
            const TrainContext& context) {
  auto own = context;
  const auto threads = request.values().integer("threads");
  if (own.threads == 0 && threads) {
    own.threads = static_cast<int>(std::clamp<std::int64_t>(*threads, -1, 1 << 20));
  }
  return train(plan(schema, request), rows, own);
}

}  // namespace tacet::api
