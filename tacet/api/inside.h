#pragma once

#include <memory>
#include <string>

#include "tacet/api/ledger.h"
#include "tacet/api/mechanism.h"
#include "tacet/api/model.h"
#include "tacet/api/random.h"
#include "tacet/api/release.h"
#include "tacet/api/schema.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/random/source/source.h"
#include "tacet/run/predictor.h"

namespace tacet::api {

struct Schema::Held {
  data::Schema schema;
  std::string sha256;  ///< of the schema's file; empty if it came from no file
};

struct Plan::Held {
  learn::Training training;
  std::string schema_sha256;
};

/// Access to what the interface's types hold, for this module and the library for C. Not installed.
struct Inside {
  [[nodiscard]] static const data::Schema& of(const Schema& schema) { return schema.held_->schema; }
  [[nodiscard]] static const std::string& sha256_of(const Schema& schema) {
    return schema.held_->sha256;
  }
  [[nodiscard]] static Schema schema(data::Schema schema, std::string sha256) {
    return Schema(
        std::make_shared<const Schema::Held>(Schema::Held{std::move(schema), std::move(sha256)}));
  }
  [[nodiscard]] static const Plan::Held& of(const Plan& plan) { return *plan.held_; }
  [[nodiscard]] static Plan plan(learn::Training training, std::string schema_sha256) {
    return Plan(std::make_shared<const Plan::Held>(
        Plan::Held{std::move(training), std::move(schema_sha256)}));
  }
  [[nodiscard]] static const model::ModelFile& of(const Model& model) {
    return model.held_->file();
  }
  [[nodiscard]] static Model model(model::ModelFile file) {
    return Model(std::make_shared<const run::Predictor>(std::move(file)));
  }
  [[nodiscard]] static random::Source* of(const Random* random) {
    return random == nullptr ? nullptr : random->source_.get();
  }
  [[nodiscard]] static const mechanism::Scores& of(const Scores& scores) { return *scores.held_; }
  [[nodiscard]] static Scores scores(mechanism::Scores scores) {
    return Scores(std::make_shared<const mechanism::Scores>(std::move(scores)));
  }
  /// Moves the sum out; UsageError if that was done before.
  [[nodiscard]] static privacy::BoundedSum take(Sum& sum);
  /// The ledger budget behind a budget of this interface; any other budget as it is.
  [[nodiscard]] static privacy::Budget* of(privacy::Budget* budget);
};

}  // namespace tacet::api
