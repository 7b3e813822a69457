#pragma once

#include <string>

#include "tacet/data/schema/schema.h"

namespace tacet::model::internal {

/// Tables and functions of C99 that make the row of curves out of the features by the columns, as
/// data/encode/curve_rows.h does and bit for bit: tacet_curves(plain, row). The schema has curves.
[[nodiscard]] std::string c_curves(const data::Schema& schema);

}  // namespace tacet::model::internal
