#pragma once

#include <string_view>

#include "tacet/audit/black_box.h"
#include "tacet/privacy/guarantee.h"

/// Single releases under attack, each on the pair of neighbours that is told apart best. The claim
/// is one that the release is proved for: find_audit (subjects.h) asks.
namespace tacet::audit {

[[nodiscard]] Subject gaussian_subject(std::string_view name, const privacy::Guarantee& claim);
[[nodiscard]] Subject laplace_subject(std::string_view name, const privacy::Guarantee& claim);
[[nodiscard]] Subject discrete_noise_subject(std::string_view name,
                                             const privacy::Guarantee& claim);
[[nodiscard]] Subject selection_subject(std::string_view name, const privacy::Guarantee& claim);
[[nodiscard]] Subject sparse_vector_subject(std::string_view name, const privacy::Guarantee& claim);
[[nodiscard]] Subject quantile_subject(std::string_view name, const privacy::Guarantee& claim);
[[nodiscard]] Subject partition_selection_subject(std::string_view name,
                                                  const privacy::Guarantee& claim);
/// One device's report, as `report/privunit`.
[[nodiscard]] Subject report_subject(std::string_view name, const privacy::Guarantee& claim);

}  // namespace tacet::audit
