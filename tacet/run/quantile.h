#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/data/read/read_column.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/mechanism/point/quantile.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"

/// A quantile of one column, exactly epsilon-differentially private. Planned from the schema alone,
/// then read and released between the steps of run::spend.
namespace tacet::run {

struct QuantileRequest {
  data::Schema schema;
  std::string column;                ///< numeric, or the numeric target
  double level = 0.5;                ///< 0 the smallest value, 1 the largest
  std::optional<double> lower = {};  ///< of the answers; the schema's bound when absent
  std::optional<double> upper = {};
  std::optional<double> step = {};  ///< of the answers; for dates a day when absent
  privacy::Epsilon epsilon{1};
  privacy::Adjacency adjacency = privacy::Adjacency::replace_one;
};

struct QuantilePlan {
  data::ColumnBounds bounds;
  mechanism::QuantileQuery query;
  privacy::Epsilon each;  ///< what the answer is drawn with: epsilon rounded down
  privacy::Event event;
  privacy::Guarantee cost;
  double prg_slack = 0;
};

/// UsageError for a level outside of [0, 1], and the errors of numeric_bounds and Grid.
/// GuaranteeError if this cost and that of the schema's fit cannot be combined.
[[nodiscard]] QuantilePlan plan_quantile(const QuantileRequest& request);

struct ReleasedQuantile {
  double value = 0;
  privacy::Receipt receipt;  ///< with the fit of the schema
};

/// What a quantile released by the parameters of its receipt, for the adjacency and the unit that
/// the receipt states. DataError where they contradict each other.
[[nodiscard]] privacy::Event recorded_quantile(const privacy::Receipt& receipt,
                                               learn::RecordedParameters& parameters,
                                               const privacy::Event& own);

/// Debits the plan's event.
[[nodiscard]] ReleasedQuantile release_quantile(const QuantileRequest& request,
                                                const QuantilePlan& plan,
                                                const privacy::Private<std::vector<double>>& values,
                                                random::Source& source,
                                                privacy::Reservation& reservation);

}  // namespace tacet::run
