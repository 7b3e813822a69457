#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tacet/audit/black_box.h"
#include "tacet/privacy/adjacency.h"

namespace tacet::audit {

/// Attacks that `audit.run` knows by name. tests/audits/registry.toml has a row for each.
struct NamedAudit {
  std::string_view name;
  std::string_view row;   ///< in the registry
  std::string_view what;  ///< is attacked, in a few words
  privacy::AdjacencySet with_delta;
  privacy::AdjacencySet pure;
  std::int64_t trials;  ///< where none are asked for
  Subject (*make)(std::string_view name, const privacy::Guarantee& claim);
};
[[nodiscard]] std::span<const NamedAudit> named_audits();

/// UsageError that lists the names for one that there is not.
[[nodiscard]] const NamedAudit& find_audit(std::string_view name);

/// The subject of an audit whose release claims this much, noise being as little as that allows.
/// UsageError for an adjacency or a delta that it is not proved for.
[[nodiscard]] Subject subject_of(const NamedAudit& audit, const privacy::Guarantee& claim);

/// delta where none is given: 0 where the release is pure, else 1e-5.
[[nodiscard]] double usual_delta(const NamedAudit& audit);
[[nodiscard]] privacy::Adjacency usual_adjacency(const NamedAudit& audit);

}  // namespace tacet::audit
