#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/privacy/event.h"
#include "tacet/report/recorded_result.h"

namespace tacet::report {

/// What several results cost together.
struct JointCost {
  privacy::Event event = privacy::no_event();   ///< everything released, composed
  std::optional<privacy::Adjacency> adjacency;  ///< of the receipts; absent when all are events
  std::optional<double> delta;                  ///< the largest of the receipts
  double prg_slack = 0;                         ///< of all receipts
  std::string privacy_unit;                     ///< of the receipts; empty when all are events
  bool unbounded = false;                       ///< something was released without any noise
  std::string unprotected_reason;               ///< of the first result that protects nobody
};

/// Adds results up. The fit of a schema that several models share counts once.
class JointCostSum {
 public:
  /// UsageError where receipts are about different adjacencies or privacy units; `name` is the
  /// result's.
  void add(const RecordedResult& result, const std::string& name);
  void add(privacy::Event event);
  [[nodiscard]] JointCost total() &&;

 private:
  /// A schema's fit: its random name, and what it released between the neighbours of a receipt.
  struct Fit {
    std::string id;
    privacy::Event events;
  };
  /// What a result released that is not yet counted: less the fit of its schema where a result
  /// before it has shown the same fit, by its random name and its cost. Nothing for such a fit
  /// itself.
  [[nodiscard]] std::optional<privacy::Event> less_shared_fit(const RecordedResult& result);

  JointCost cost_;
  std::vector<privacy::Event> events_;
  std::vector<Fit> fits_;
};

}  // namespace tacet::report
