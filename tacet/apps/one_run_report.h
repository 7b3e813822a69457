#pragma once

#include <string>

#include "tacet/apps/options.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/audit/one_run.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::apps {

/// One minus the confidence of what one training proves.
constexpr double one_run_level = 0.05;

/// What guesses about a single training prove about its claim, as text or JSON. Each canary was
/// `copies` records.
[[nodiscard]] std::string one_run_report(const Console& console, const audit::Guesses& guesses,
                                         std::int64_t copies, const privacy::Guarantee& claim);

/// What to report if the guesses refute the claim; else an empty text.
[[nodiscard]] std::string one_run_refutation(const audit::Guesses& guesses, std::int64_t copies,
                                             const privacy::Guarantee& claim);

/// Whether `audit one-run` was given a table, which has a schema, in the place of texts.
[[nodiscard]] bool audits_a_table(const CommandLine& line);

/// "epsilon 1 at delta 1e-05"
[[nodiscard]] std::string claim_text(const privacy::Guarantee& claim);

/// How many of the canaries are guessed at: what was given, else a tenth. UsageError for more than
/// there are.
[[nodiscard]] std::int64_t guess_count(const std::string& given, std::int64_t canaries);

}  // namespace tacet::apps
