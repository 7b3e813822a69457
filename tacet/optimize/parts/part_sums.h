#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/optimize/parts/sum_request.h"
#include "tacet/optimize/sums/prediction_cells.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/bounded_sum.h"

/// What learners ask records for that need nothing but sums of them: the records may lie in this
/// process (local_parts.h) or in parts elsewhere (remote_parts.h), which answer with integers. The
/// sums have the same bits however the records are divided.
///
/// A sum over parts is certified here, once it is complete; noise, budget and key stay with who
/// asks.
namespace tacet::optimize {

/// The most records of all parts together. Times 2^30 grid units each they fit 64 bits.
inline constexpr std::int64_t max_rows_of_all = std::int64_t{1} << 32;

class PartSums {
 public:
  PartSums() = default;
  virtual ~PartSums() = default;
  PartSums(const PartSums&) = delete;
  PartSums& operator=(const PartSums&) = delete;
  PartSums(PartSums&&) = delete;
  PartSums& operator=(PartSums&&) = delete;

  /// The records, where all of them are in this process; null where they lie in parts, which
  /// nothing but sums can be asked of.
  [[nodiscard]] virtual const data::Dataset* here() const { return nullptr; }
  /// Columns and bounds of the records as they are now.
  [[nodiscard]] virtual data::DatasetShape shape() const = 0;
  /// Whether records carry units, which are protected together.
  [[nodiscard]] virtual bool has_units() const = 0;
  /// How many records there are, with a target or without: as private as rows() of a data set. To
  /// be asked only where the number is public.
  [[nodiscard]] virtual std::int64_t rows() = 0;

  /// From here on the records are those of a schema that has what was released of them.
  virtual void rewrite(const ReleasedSchema& released) = 0;
  /// Which gradients the next calls of gradient() ask for. UsageError for a limit out of range.
  void start_gradients(GradientTask task);
  /// The sum of all records' gradients at these weights (gradient_sum.h). `basis` says whether they
  /// follow from what was released of the records. InternalError before start_gradients().
  [[nodiscard]] privacy::BoundedSum gradient(std::span<const double> weights, Basis basis);
  /// moment_sum.h; the records are those of data::raw_schema of the task's schema.
  [[nodiscard]] privacy::BoundedSum moments(const MomentTask& task);
  /// How often the columns occur that the schema lets be chosen among (presence_sum.h).
  [[nodiscard]] privacy::SparseBoundedSum presence(const PresenceTask& task);
  /// gram_sum.h.
  [[nodiscard]] privacy::WeightedSum gram(const GramTask& task, privacy::Adjacency adjacency);

  /// How well a linear model predicts (prediction_cells.h).
  [[nodiscard]] PredictionSum predictions(const model::LinearModel& model,
                                          const PredictionCells& cells);

 protected:
  /// Columns and bounds of the rows whose products are asked for.
  [[nodiscard]] data::DatasetShape gram_rows(const GramTask& task) const;
  virtual void start(const GradientTask& task) = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> add_gradients(std::span<const double> weights,
                                                                Basis basis) = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> add_moments(const MomentTask& task) = 0;
  [[nodiscard]] virtual std::vector<ColumnCount> add_presence(const PresenceTask& task) = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> add_gram(const GramTask& task) = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> add_predictions(const model::LinearModel& model,
                                                                  const PredictionCells& cells) = 0;

 private:
  std::optional<ContributionLimit> limit_;  // of the gradients
};

}  // namespace tacet::optimize
