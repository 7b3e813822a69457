#pragma once

#include "tacet/data/dataset.h"
#include "tacet/random/source/source.h"

namespace tacet::data {

/// One record of each unit, chosen uniformly among the unit's by a secret random draw, in the order
/// in which units appear; records without a unit are left out. Given all choices, two data sets
/// that differ in one unit become two that differ in one record, so that what is proved for records
/// holds for units (docs/proofs/unit_draw.md). InternalError for a data set without units.
[[nodiscard]] Dataset one_record_per_unit(const Dataset& dataset, random::BlockClaim draws);

}  // namespace tacet::data
