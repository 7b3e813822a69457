#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/privacy/receipt.h"
#include "tacet/report/epsilon_grid.h"

/// What a report shows before anything is spent.
namespace tacet::report {

/// Test figures of several seeded fits at one epsilon.
struct RehearsedEpsilon {
  double epsilon = 0;
  std::vector<double>
      figures{};  ///< one a fit, in ascending order; empty where nothing was planned
};

/// An experiment on public records. Whoever read them made it; a report sees these figures alone.
struct Rehearsal {
  std::string file;
  std::int64_t trained_on = 0;
  std::int64_t tested_on = 0;
  std::string metric;         ///< "accuracy", or "r2" of numbers
  std::string baseline_name;  ///< what answers the same to every record
  double baseline = 0;        ///< its figure on the same test records
  double without_noise = 0;   ///< of the fit that protects nobody
  std::vector<RehearsedEpsilon> epsilons{};
};

struct PlannedSpending {
  data::Schema schema;
  std::string schema_file;  ///< its name
  std::vector<PlannedEpsilon> epsilons{};
  /// The plan that was asked for, if it was a single one. Its cost includes the fit of its schema.
  std::optional<learn::Training> chosen{};
  std::optional<privacy::Receipt> cost{};
  std::optional<Rehearsal> rehearsal{};
};

}  // namespace tacet::report
