#pragma once

#include <string>
#include <vector>

#include "tacet/report/joint_cost.h"
#include "tacet/report/recorded_result.h"

namespace tacet::apps {

/// What files say they cost.
using RecordedCost = report::JointCost;

/// Where the receipt of word vectors lies: beside them.
[[nodiscard]] std::string receipt_of_vectors(const std::string& file);

/// The file that says what a result cost: the receipt of word vectors, whose own file has none, and
/// of anything else the file itself.
[[nodiscard]] std::string file_with_receipt(const std::string& result);

/// Reads model files, other results with a receipt, receipts and events, told apart by their
/// content. The fit of a schema that several models share counts once. DataError for anything else;
/// UsageError when receipts are about different adjacencies or privacy units.
[[nodiscard]] RecordedCost read_costs(const std::vector<std::string>& paths);

using report::RecordedResult;

/// Reads a model file, another result that has a receipt, or a receipt by itself; for word vectors
/// the receipt beside them. DataError for anything else.
[[nodiscard]] RecordedResult read_result(const std::string& path);

}  // namespace tacet::apps
