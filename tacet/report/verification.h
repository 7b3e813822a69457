#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacet/accounting/accountant.h"
#include "tacet/base/progress.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/report/recorded_result.h"

/// A guarantee computed again from the receipt alone: `tacet verify`.
namespace tacet::report {

/// `cannot_be_judged` is for an algorithm that this version does not know: nobody can say whether
/// its parameters lead to its events, or what they are proved for.
enum class Verdict { follows, does_not_follow, cannot_be_judged };
/// "follows", "does not follow" or "cannot be judged".
[[nodiscard]] std::string to_string(Verdict verdict);

/// What the events of a receipt cost at what the cipher leaves of its delta.
struct Verification {
  accounting::PrivacyInterval epsilon;
  double prg_share;   ///< what noise from the cipher takes of delta, or adds to a pure guarantee
  double delta_left;  ///< for the events
  learn::ReceiptCheck parameters;
  std::string fault;  ///< why the verdict is not that the statement follows; else empty
  Verdict verdict = Verdict::follows;
};

/// Verifies a protected receipt. GuaranteeError for a receipt that promises nothing at all.
[[nodiscard]] Verification verification_of(const RecordedResult& result, base::WorkMeter& work);

/// What the dominating pair costs at least, which need not be a lower bound of the mechanism; where
/// another route proves less than that, what data sets attain.
[[nodiscard]] double pair_lower(const accounting::PrivacyInterval& interval);

/// The verdict on the receipt that a file of this name states.
[[nodiscard]] nlohmann::ordered_json verification_json(const std::string& name,
                                                       const privacy::Receipt& receipt,
                                                       const Verification& verified);
/// The same for a receipt that protects nobody: there is nothing to verify.
[[nodiscard]] nlohmann::ordered_json unprotected_json(const std::string& name,
                                                      const privacy::Receipt& receipt);

}  // namespace tacet::report
