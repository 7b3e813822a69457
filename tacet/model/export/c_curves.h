#pragma once

#include <string>

#include "tacet/data/schema/schema.h"

namespace tacet::model::internal {

/// C99 tables and functions that compute the row with curves from the features by the columns, with
/// the same bits as data/encode/curve_rows.h: tacet_curves(plain, row). The schema must have
/// curves.
[[nodiscard]] std::string c_curves(const data::Schema& schema);

}  // namespace tacet::model::internal
