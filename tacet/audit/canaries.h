#pragma once

#include <cstdint>
#include <vector>

#include "tacet/audit/one_run.h"
#include "tacet/data/dataset.h"
#include "tacet/data/words/random_draws.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/linear_model.h"

namespace tacet::audit {

/// Records that are inserted into one training, each or not by a random draw of its own, to see
/// which of them its model gives away: for methods that train on tables. A record has the largest
/// feature in a column of its own and nothing else, so that in a sum no two stand in each other's
/// way.
///
///   const Canaries canaries(plan, 1000, draws);
///   canaries.insert(records);                     // before training
///   const auto guesses = canaries.guess(trained.model, 200);
///   one_run_bound(guesses, plan.guarantee.delta, 0.05)
class Canaries {
 public:
  /// UsageError for more than there are columns, under replace_one, where a record cannot be left
  /// out, and for a method whose model scores no records.
  Canaries(const learn::Training& plan, std::int64_t count, data::RandomDraws& draws);

  /// Appends the canaries that are in. Under zero_out the others are appended too, as records that
  /// contribute nothing: the number of records is the same whichever are in.
  void insert(data::Dataset& records) const;

  /// Makes `made` guesses, a number fixed beforehand, and counts the right ones. Half of them say
  /// that a canary was in: those that the model fits best. UsageError if the model has other
  /// columns than the plan.
  [[nodiscard]] Guesses guess(const model::LinearModel& model, std::int64_t made) const;

 private:
  [[nodiscard]] data::EncodedRow row(std::int64_t canary) const;

  data::DatasetShape shape_;
  privacy::Adjacency adjacency_;
  double label_;
  bool units_;
  std::vector<bool> in_;
};

/// Columns with a canary each at most: all but the intercept.
[[nodiscard]] std::int64_t room_for_canaries(const learn::Training& plan);

/// A row given by its non-zero features, in the data set's own way of storing it.
void append_row(data::Dataset& records, const data::EncodedRow& row);

}  // namespace tacet::audit
