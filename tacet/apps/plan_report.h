#pragma once

#include <string>
#include <vector>

#include "tacet/apps/options.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/apps/training_options.h"
#include "tacet/base/progress.h"
#include "tacet/report/record/gather.h"

namespace tacet::apps {

/// `report --plan`: what several epsilons buy, before anything is spent.
class PlanReport {
 public:
  void declare(Options& options);

  [[nodiscard]] bool wanted() const { return plan_; }
  /// UsageError where options of a plan were given without --plan, or --public and --rehearse
  /// without each other: the one file of records that a report may see has to be declared public.
  void check() const;
  [[nodiscard]] report::ReportRequest request(const Console& console,
                                              const base::CancelToken& cancel) const;

 private:
  bool plan_ = false;
  bool public_ = false;
  std::string rehearse_;
  TrainingOptions training_;
};

/// Epsilons around the one that a plan was made for, itself among them.
[[nodiscard]] std::vector<double> epsilons_around(double epsilon);

/// Refusals and reasons name parameters as this program does.
void spell(std::vector<report::PlannedEpsilon>& epsilons, const Console& console);

}  // namespace tacet::apps
