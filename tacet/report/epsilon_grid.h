#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/choose/request.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/receipt.h"
#include "tacet/report/planned_noise.h"

/// What an epsilon buys, from public facts alone: one plan for each of several epsilons.
namespace tacet::report {

/// Below it, in standardised units, the noise in a coefficient is small beside what one standard
/// deviation of a column that matters usually does.
inline constexpr double small_noise = 0.1;
/// The largest number of records that is tried.
inline constexpr std::int64_t max_planned_records = 10'000'000;

struct PlannedEpsilon {
  double epsilon = 0;  ///< as it was asked for
  std::optional<learn::Training> plan{};
  std::optional<privacy::Receipt> cost{};  ///< what it would leave behind, with its schema's fit
  std::string refusal{};                   ///< why there is no plan
  std::optional<PlannedNoise> noise{};
  std::optional<double> excess{};  ///< a bound of the expected excess risk, where one is proved
  /// The smallest declared number of records, in two digits, whose plan has noise below small_noise
  /// in a usual column. Nothing if no noise is stated, or if more than max_planned_records are
  /// needed.
  std::optional<std::int64_t> records_for_small_noise{};
};

/// choose::plan of the request at each epsilon, and at other numbers of records. An epsilon at
/// which no guarantee can be proved has a refusal; GuaranteeError where that is so at all of them.
/// UsageError for epsilons that are not above 0 and finite, and as choose::plan.
[[nodiscard]] std::vector<PlannedEpsilon> plan_epsilons(const choose::Request& request,
                                                        const data::Schema& schema,
                                                        std::span<const double> epsilons,
                                                        const base::CancelToken* cancel = nullptr);

}  // namespace tacet::report
