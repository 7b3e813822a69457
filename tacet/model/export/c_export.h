#pragma once

#include <string>

#include "tacet/model/model_file.h"

namespace tacet::model::internal {

/// One file of C99 that allocates nothing and needs no library but math.h: a structure of the
/// schema's columns, tacet_margins() with the program's margins bit for bit, tacet_predict() and,
/// where the model has them, tacet_probabilities(). UsageError for a model that C cannot hold.
[[nodiscard]] std::string c_export(const ModelFile& file);

}  // namespace tacet::model::internal
