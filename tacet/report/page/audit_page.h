#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacet/audit/black_box.h"

namespace tacet::report {

/// What an audit was asked, and what it found.
struct AuditResult {
  std::string name;
  const audit::Subject& subject;
  const audit::Finding& finding;
  double seconds = 0;
};

/// The result as text or JSON. Neither calls anything safe: a low bound proves nothing.
[[nodiscard]] std::string audit_text(const AuditResult& result);
[[nodiscard]] nlohmann::ordered_json audit_json(const AuditResult& result);

/// A page with the trade-off curve that is claimed and the points that were measured.
[[nodiscard]] std::string audit_page(const AuditResult& result);

/// What to report to whom, where the claim is refuted; else empty.
[[nodiscard]] std::string refutation(const AuditResult& result);

/// The attacks that there are, as `tacet audit list --json` prints them.
[[nodiscard]] nlohmann::ordered_json audits_json();

}  // namespace tacet::report
