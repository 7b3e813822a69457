#include "tacet/report/verification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/base/progress.h"
#include "tacet/choose/plan.h"
#include "tacet/learn/words/word_plan.h"
#include "tacet/local/local_simulation.h"
#include "tacet/privacy/prg_share.h"
#include "tacet/privacy/statement.h"
#include "tacet/report/json.h"
#include "tacet/run/known_releases.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;
using privacy::Receipt;

/// Narrower intervals only where the usual one does not reach the stated epsilon: another release
/// of tacet may have computed it to more digits.
accounting::PrivacyInterval recompute(const Receipt& receipt, privacy::Delta delta,
                                      base::WorkMeter& work) {
  const auto& stated = receipt.guarantee;
  auto interval = accounting::epsilon_interval(receipt.events, stated.adjacency, delta,
                                               {.attained = true, .work = &work});
  for (const double tolerance : {1e-4, 1e-5}) {
    if (interval.upper <= stated.epsilon || interval.lower > stated.epsilon) break;
    interval =
        accounting::epsilon_interval(receipt.events, stated.adjacency, delta,
                                     {.tolerance = tolerance, .attained = true, .work = &work});
  }
  return interval;
}

std::string fault_of(const Receipt& receipt, const accounting::PrivacyInterval& interval,
                     privacy::Delta left) {
  const auto& stated = receipt.guarantee;
  if (!(interval.upper <= stated.epsilon)) {
    const bool refuted = interval.attained > stated.epsilon;
    return fmt::format(
        "the receipt states epsilon {} at delta {}, but its events {} {} at {}, which the cipher "
        "leaves of delta",
        stated.epsilon, stated.delta, refuted ? "cost at least" : "are proved only for",
        refuted ? interval.attained : interval.upper, left.value());
  }
  if (interval.upper > 0 && receipt.prg_slack < privacy::min_prg_slack(receipt.events)) {
    return fmt::format(
        "the receipt states {} for the cipher, less than its events must have drawn ({:.3g})",
        receipt.prg_slack, privacy::min_prg_slack(receipt.events));
  }
  return {};
}

/// The parameters, and the promise in words.
learn::ReceiptCheck checked_parameters(const RecordedResult& result) {
  const auto& receipt = result.receipt;
  std::vector<const learn::Method*> known(learn::methods().begin(), learn::methods().end());
  known.insert(known.end(), local::local_methods().begin(), local::local_methods().end());
  known.push_back(&learn::words_method());
  known.insert(known.end(), choose::choices().begin(), choose::choices().end());
  auto check = learn::check_receipt(receipt, result.model ? &*result.model : nullptr, known,
                                    run::known_releases());
  if (result.statement) {
    const auto own = privacy::statement(receipt);
    if (*result.statement == own) {
      check.checked.emplace_back("the sentence about privacy");
    } else {
      check.faults.emplace_back("the sentence about privacy is not that of the receipt");
    }
  }
  if (!result.other_keys.empty()) {
    check.unchecked.push_back(
        fmt::format("the other keys of the file: {}", fmt::join(result.other_keys, ", ")));
  }
  return check;
}

ordered_json stated_json(const std::string& name, const Receipt& receipt) {
  ordered_json out;
  out["file"] = name;
  out["protected"] = receipt.is_protected();
  out["stated"] = {{"epsilon", json_number(receipt.guarantee.epsilon)},
                   {"delta", receipt.guarantee.delta},
                   {"adjacency", to_string(receipt.guarantee.adjacency)}};
  out["privacy_unit"] = receipt.privacy_unit;
  return out;
}

}  // namespace

Verification verification_of(const RecordedResult& result, base::WorkMeter& work) {
  const auto& receipt = result.receipt;
  const auto& stated = receipt.guarantee;
  if (stated.delta >= 1) {
    throw base::GuaranteeError("the receipt states delta 1, which promises nothing");
  }
  const auto left = privacy::delta_left(stated, receipt.prg_slack);
  const auto interval = recompute(receipt, left, work);
  Verification verified{interval, privacy::prg_share(stated.epsilon, receipt.prg_slack),
                        left.value(), checked_parameters(result),
                        fault_of(receipt, interval, left)};
  if (verified.fault.empty() && !verified.parameters.faults.empty()) {
    verified.fault = fmt::format("{}", fmt::join(verified.parameters.faults, "; "));
  }
  if (!verified.fault.empty()) {
    verified.verdict = Verdict::does_not_follow;
  } else if (!verified.parameters.too_long.empty()) {
    verified.verdict = Verdict::cannot_be_judged;
    verified.fault = verified.parameters.too_long;
  } else if (!verified.parameters.known) {
    verified.verdict = Verdict::cannot_be_judged;
    verified.fault = fmt::format(
        "the receipt cannot be judged by this version, which knows no algorithm '{}'; use the "
        "version of tacet that wrote it ({})",
        receipt.algorithm, receipt.software_version);
  }
  return verified;
}

std::string to_string(Verdict verdict) {
  using enum Verdict;
  static constexpr auto names = base::names<Verdict>({{follows, "follows"},
                                                      {does_not_follow, "does not follow"},
                                                      {cannot_be_judged, "cannot be judged"}});
  return names.of(verdict);
}

double pair_lower(const accounting::PrivacyInterval& interval) {
  return std::max(interval.lower, interval.attained);
}

ordered_json verification_json(const std::string& name, const Receipt& receipt,
                               const Verification& verified) {
  auto out = stated_json(name, receipt);
  out["recomputed"] = {{"epsilon_lower", json_number(verified.epsilon.attained)},
                       {"epsilon_upper", json_number(verified.epsilon.upper)},
                       {"pair_lower", json_number(pair_lower(verified.epsilon))},
                       {"route", verified.epsilon.route}};
  out["prg_slack"] = receipt.prg_slack;
  out["prg_share"] = verified.prg_share;
  out["delta_left"] = verified.delta_left;
  out["software_version"] = receipt.software_version;
  out["checked"] = verified.parameters.checked;
  out["not_checked"] = verified.parameters.unchecked;
  out["faults"] = verified.parameters.faults;
  out["verdict"] = to_string(verified.verdict);
  if (!receipt.notes.condition.empty()) out["condition"] = receipt.notes.condition;
  return out;
}

ordered_json unprotected_json(const std::string& name, const Receipt& receipt) {
  auto out = stated_json(name, receipt);
  out["verdict"] = "unprotected";
  out["unprotected_reason"] = receipt.unprotected_reason;
  return out;
}

}  // namespace tacet::report
