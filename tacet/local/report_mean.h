#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/learn/plan/training.h"
#include "tacet/local/local_plan.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/optimize/sums/record_gradient.h"

namespace tacet::local {

/// The devices of a simulation: asks a round of them for their reports and takes the mean.
class ReportMean {
 public:
  /// Debits the reservation for one device's reports. Keeps references.
  ReportMean(const data::Dataset& dataset, const LocalPlan& plan,
             const learn::TrainingContext& context);

  /// The mean of the devices' estimates of the negative gradient at `point`, summed in their order
  /// whatever thread decoded them. `first` is the number of the round's first report among all.
  /// Valid until the next call.
  [[nodiscard]] std::span<const double> of(std::span<const double> point,
                                           std::span<const std::int64_t> devices,
                                           std::int64_t first);

 private:
  const learn::TrainingContext& context_;
  mechanism::DeviceReports reports_;
  optimize::RecordGradient gradients_;
  std::int64_t columns_;
  std::vector<double> estimates_;  // of the devices of a round, or of one where a thread is enough
  std::vector<double> mean_;
};

}  // namespace tacet::local
