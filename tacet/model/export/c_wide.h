#pragma once

#include <string>

#include "tacet/model/wide/wide_numbers.h"

namespace tacet::model::internal {

/// Tables and a function of C99 that do what WideNet does, bit for bit, for records of at most one
/// id in each field: tacet_net(row, integers, margins). UsageError for more numbers than an export
/// holds.
[[nodiscard]] std::string c_wide(const WideNumbers& wide);

}  // namespace tacet::model::internal
