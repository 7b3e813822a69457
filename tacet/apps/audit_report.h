#pragma once

#include <string>

#include "tacet/apps/terminal/console.h"
#include "tacet/audit/black_box.h"

namespace tacet::apps {

/// What an audit was asked, and what it found.
struct AuditResult {
  std::string name;
  const audit::Subject& subject;
  const audit::Finding& finding;
  double seconds = 0;
};

/// The result as text or JSON. It never calls anything safe: a low bound proves nothing.
[[nodiscard]] std::string audit_text(const Console& console, const AuditResult& result);

/// A page with the trade-off curve that is claimed and the points that were measured.
[[nodiscard]] std::string audit_page(const AuditResult& result);

/// GuaranteeError with what to report to whom, where the claim is refuted.
void expect_not_refuted(const AuditResult& result);

}  // namespace tacet::apps
