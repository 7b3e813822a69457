#pragma once

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

enum class CurveLabels {
  given,        ///< as the target's rule says
  standardised  ///< in released standard deviations from the released mean
};

/// Converts records of the raw schema (encode/standardise.h) to rows of the same schema with its
/// standards and its curves; units stay. The bits are the same for any number of threads. The
/// second form frees records as it reads them.
[[nodiscard]] Dataset with_curves(const Dataset& raw, const Schema& schema, CurveLabels labels,
                                  base::ThreadPool& threads);
[[nodiscard]] Dataset with_curves(Dataset&& raw, const Schema& schema, CurveLabels labels,
                                  base::ThreadPool& threads);

/// The rows from whose second moments whitening is computed: the numbers of each record in standard
/// deviations, divided by sqrt(1.5 k) and cut to norm 1. They have no labels. InternalError for
/// rows of another raw schema.
[[nodiscard]] Dataset number_rows(const Dataset& raw, const Schema& standardised);
/// Columns and bounds of such rows.
[[nodiscard]] DatasetShape number_rows_shape(const Schema& standardised);
/// The square of the divisor in number_rows: 1.5 k.
[[nodiscard]] double number_rows_square(const Schema& schema);

}  // namespace tacet::data
