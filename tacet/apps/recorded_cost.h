#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/privacy/event.h"
#include "tacet/report/recorded_result.h"

namespace tacet::apps {

/// What files say they cost.
struct RecordedCost {
  privacy::Event event = privacy::no_event();   ///< everything released, composed
  std::optional<privacy::Adjacency> adjacency;  ///< of the receipts; absent when all are events
  std::optional<double> delta;                  ///< the largest of the receipts
  std::string privacy_unit;                     ///< of the receipts; empty when all are events
  bool unbounded = false;                       ///< something was released without any noise
  std::string unprotected_reason;               ///< of the first result that protects nobody
};

/// Reads model files, other results with a receipt, receipts and events, told apart by their
/// content. The fit of a schema that several models share counts once. DataError for anything else;
/// UsageError when receipts are about different adjacencies or privacy units.
[[nodiscard]] RecordedCost read_costs(const std::vector<std::string>& paths);

using report::RecordedResult;

/// Reads a model file, another result that has a receipt, or a receipt by itself. DataError for
/// anything else.
[[nodiscard]] RecordedResult read_result(const std::string& path);

}  // namespace tacet::apps
