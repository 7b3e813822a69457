#pragma once

#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

namespace tacet::model {

enum class LiftedColumns {
  all,
  named  ///< without those of hashed values, words and numbered features
};

/// A model of projected rows as one of the columns before the projection.
struct LiftedModel {
  data::Schema schema;  ///< the schema with which rows of these columns are read
  LinearModel model;
};

/// Phi' w, column by column, for the weights w of the projected model. A row whose image is not cut
/// to the norm has the same margin. The noise of a column is that of the places to which it is
/// mapped, assumed to be independent; absent unless the projection is a countsketch. UsageError for
/// more than 2^28 columns.
[[nodiscard]] LiftedModel lifted(const data::Schema& schema, const LinearModel& model,
                                 LiftedColumns which);

}  // namespace tacet::model
