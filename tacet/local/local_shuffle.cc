#include "tacet/local/local_shuffle.h"

#include <cmath>

#include "tacet/accounting/routes/shuffle.h"
#include "tacet/base/error.h"

namespace tacet::local {
namespace {

std::optional<double> closed_2021(double n, double local, double delta) {
  if (!(local <= std::log(n / (16 * std::log(2 / delta))))) return std::nullopt;
  const double e = std::exp(local);
  return std::log1p((e - 1) / (e + 1) * (8 * std::sqrt(e * std::log(4 / delta) / n) + 8 * e / n));
}

std::optional<double> closed_2022(double n, double local, double delta) {
  const double room = n / (8 * std::log(2 / delta)) - 1;
  if (!(room > 0) || !(local <= std::log(room))) return std::nullopt;
  const double e = std::exp(local);
  return std::log1p((e - 1) * (4 * std::sqrt(2 * std::log(4 / delta) / ((e + 1) * n)) + 4 / n));
}

}  // namespace

void refuse_shuffling(mechanism::LocalMechanism mechanism, std::int64_t contributions) {
  if (mechanism == mechanism::LocalMechanism::gaussian) {
    throw base::GuaranteeError(
        "`shuffled` needs pure reports, and those of gaussian are not: the theorem does not cover "
        "them; use privunit, or leave `shuffled` out");
  }
  if (contributions > 1) {
    throw base::GuaranteeError(
        "`shuffled` is proved for one report of each device, not for {}; give `passes=1`",
        contributions);
  }
}

CentralGuarantee central_guarantee(const ShuffledReports& shuffled) {
  const auto& [reports, local, honest, delta] = shuffled;
  if (!(local > 0) || !std::isfinite(local)) {
    throw base::UsageError("a report's epsilon must be above 0 and finite, got {}", local);
  }
  if (!(delta > 0 && delta < 1)) {
    throw base::UsageError("the central delta must be above 0 and below 1, got {}", delta);
  }
  if (!(honest > 0 && honest <= 1)) {
    throw base::UsageError("honest-fraction must be above 0 and at most 1, got {}", honest);
  }
  // Reports of those who collude with the reader are no clones.
  const auto count = static_cast<std::int64_t>(std::floor(static_cast<double>(reports) * honest));
  if (count < 1) throw base::UsageError("no honest report is left to hide among");
  const double e = std::exp(local);
  const auto n = static_cast<double>(count);
  return {.honest_reports = count,
          .clones21 = accounting::shuffle::clones_epsilon(count, local, delta),
          .clones22 = accounting::shuffle::clones_epsilon(count, local, delta, 2 / (e + 1)),
          .closed21 = closed_2021(n, local, delta),
          .closed22 = closed_2022(n, local, delta)};
}

}  // namespace tacet::local
