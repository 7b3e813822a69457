#pragma once

#include <optional>
#include <string>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"

/// Several runs share records that are read once. A run may release of them how they are to be
/// counted (means of numbers, columns to keep) and write its own block anew; what scores its model
/// is written anew in the same way, from what was released, at no cost.
namespace tacet::choose {

/// By which schema a training's records are read: equal texts, equal records.
[[nodiscard]] std::string reading_of(const learn::Training& training);

/// The records, read anew for a model that left its run with this schema; nothing if the model
/// reads them as they are.
[[nodiscard]] std::optional<data::Dataset> read_anew(const data::Dataset& records,
                                                     const data::Schema& of_model);

}  // namespace tacet::choose
