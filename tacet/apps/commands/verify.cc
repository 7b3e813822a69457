#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/apps/account_result.h"
#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/patience.h"
#include "tacet/apps/recorded_cost.h"
#include "tacet/apps/terminal/text_table.h"
#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/learn/wide/word_plan.h"
#include "tacet/local/local_simulation.h"
#include "tacet/privacy/cipher_share.h"
#include "tacet/privacy/receipt.h"
#include "tacet/privacy/rounded_up.h"
#include "tacet/privacy/statement.h"
#include "tacet/select/plan.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;
using privacy::Receipt;

constexpr std::string_view verify_examples =
    "  tacet verify model.json --protected && publish model.json\n"
    "  tacet verify model.json --json   the same for a program\n"
    "\n"
    "Recomputes the guarantee from the receipt alone. Exit code 5 when what is stated does not\n"
    "follow from the events, the cipher's term included, or when the parameters, the unit or the\n"
    "sentence about privacy contradict it. An unprotected model states nothing and says so; with\n"
    "--protected it is refused with exit code 5 too. What was not checked is listed: no file can\n"
    "prove that its events are what was really run.\n";

/// What the events of a receipt cost at what the cipher leaves of its delta.
struct Verification {
  accounting::PrivacyInterval epsilon;
  double cipher_share;  ///< what noise from the cipher takes of delta, or adds to a pure guarantee
  double delta_left;    ///< for the events
  learn::ReceiptCheck parameters;
  std::string fault;  ///< why the statement does not follow, or contradicts itself; empty: it does
};

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
  if (interval.upper > 0 && receipt.cipher_delta < privacy::least_cipher_term(receipt.events)) {
    return fmt::format(
        "the receipt states {} for the cipher, less than its events must have drawn ({:.3g})",
        receipt.cipher_delta, privacy::least_cipher_term(receipt.events));
  }
  return {};
}

/// The parameters, and the promise in words, which another release may have worded otherwise.
learn::ReceiptCheck checked_parameters(const RecordedResult& result) {
  const auto& receipt = result.receipt;
  std::vector<const learn::Method*> known(learn::methods().begin(), learn::methods().end());
  known.insert(known.end(), local::local_methods().begin(), local::local_methods().end());
  known.push_back(&learn::words_method());
  known.insert(known.end(), select::choices().begin(), select::choices().end());
  auto check = learn::check_receipt(receipt, result.model ? &*result.model : nullptr, known);
  if (result.statement) {
    const auto own = privacy::statement(receipt);
    // The numbers and the neighbours, which every release puts first.
    const auto promise = own.substr(0, own.find(". "));
    if (*result.statement == own) {
      check.checked.emplace_back("the sentence about privacy");
    } else if (receipt.software_version == base::version ||
               !result.statement->starts_with(promise)) {
      check.faults.emplace_back("the sentence about privacy is not that of the receipt");
    } else {
      check.unchecked.emplace_back("the sentence about privacy, of another version");
    }
  }
  if (!result.other_keys.empty()) {
    check.unchecked.push_back(
        fmt::format("the other keys of the file: {}", fmt::join(result.other_keys, ", ")));
  }
  return check;
}

Verification verification_of(const RecordedResult& result, base::WorkMeter& work) {
  const auto& receipt = result.receipt;
  const auto& stated = receipt.guarantee;
  if (stated.delta >= 1) {
    throw base::GuaranteeError("the receipt states delta 1, which promises nothing");
  }
  const auto left = privacy::delta_left(stated, receipt.cipher_delta);
  const auto interval = recompute(receipt, left, work);
  Verification verified{interval, privacy::cipher_share(stated.epsilon, receipt.cipher_delta),
                        left.value(), checked_parameters(result),
                        fault_of(receipt, interval, left)};
  if (verified.fault.empty() && !verified.parameters.faults.empty()) {
    verified.fault = fmt::format("{}", fmt::join(verified.parameters.faults, "; "));
  }
  return verified;
}

ordered_json stated_json(const std::string& path, const Receipt& receipt) {
  ordered_json out;
  out["file"] = path;
  out["protected"] = receipt.is_protected();
  out["stated"] = {{"epsilon", json_number(receipt.guarantee.epsilon)},
                   {"delta", receipt.guarantee.delta},
                   {"adjacency", to_string(receipt.guarantee.adjacency)}};
  out["privacy_unit"] = receipt.privacy_unit;
  return out;
}

void print_unprotected(const Console& console, const std::string& path, const Receipt& receipt) {
  if (console.json()) {
    auto out = stated_json(path, receipt);
    out["verdict"] = "unprotected";
    out["unprotected_reason"] = receipt.unprotected_reason;
    console.result(json_text(out));
    return;
  }
  console.result(fmt::format("verdict  UNPROTECTED\n\n{}", paragraph(privacy::statement(receipt))));
}

void print_json(const Console& console, const std::string& path, const Receipt& receipt,
                const Verification& verified) {
  auto out = stated_json(path, receipt);
  out["recomputed"] = {{"epsilon_lower", json_number(verified.epsilon.attained)},
                       {"epsilon_upper", json_number(verified.epsilon.upper)},
                       {"pair_lower", json_number(pair_lower(verified.epsilon))},
                       {"route", verified.epsilon.route}};
  out["cipher_delta"] = receipt.cipher_delta;
  out["cipher_share"] = verified.cipher_share;
  out["delta_left"] = verified.delta_left;
  out["software_version"] = receipt.software_version;
  out["checked"] = verified.parameters.checked;
  out["not_checked"] = verified.parameters.unchecked;
  out["faults"] = verified.parameters.faults;
  out["verdict"] = verified.fault.empty() ? "follows" : "does not follow";
  console.result(json_text(out));
}

void print_text(const Console& console, const Receipt& receipt, const Verification& verified) {
  const auto& stated = receipt.guarantee;
  const auto& epsilon = verified.epsilon;
  TextTable table({"verdict", verified.fault.empty() ? "follows" : "DOES NOT FOLLOW"});
  table.add({"stated epsilon", fmt::format("{}", stated.epsilon)});
  table.add({"stated delta", fmt::format("{}", stated.delta)});
  table.add({"adjacency", to_string(stated.adjacency)});
  table.add({"privacy unit", receipt.privacy_unit});
  table.add({"recomputed epsilon", fmt::format("{} to {}", epsilon.attained, epsilon.upper)});
  table.add({"route", route_in_words(epsilon.route)});
  table.add({"cipher's term", fmt::format("{:.3g}", receipt.cipher_delta)});
  table.add({stated.delta > 0 ? "its part of delta" : "it adds to delta 0",
             privacy::rounded_up(verified.cipher_share, 3)});
  table.add({"left for the events", fmt::format("{}", verified.delta_left)});
  console.result(table.text());
  if (!verified.fault.empty()) return;
  const auto& parameters = verified.parameters;
  console.result("\n" + paragraph(interval_in_words(epsilon, "epsilon")) +
                 paragraph(privacy::statement(receipt)) +
                 paragraph(parameters.checked.empty()
                               ? std::string("Of the parameters nothing was checked.")
                               : fmt::format("Checked against each other: {}.",
                                             fmt::join(parameters.checked, ", "))) +
                 paragraph(fmt::format("Not checked: {}.", fmt::join(parameters.unchecked, "; "))));
}

class Verify : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "verify", "Recompute the guarantee of a model from its receipt", verify_examples);
    options.add("model", model_, "FILE",
                "Model file, another result with a receipt, or a receipt (JSON)", Form::required);
    options.flag("--protected", must_protect_, "Refuse a model that promises no privacy");
    patience_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    auto work = patience_.meter(cancel);
    const auto result = read_result(model_);
    const auto& receipt = result.receipt;
    if (!receipt.is_protected()) {
      warn_if_unprotected(console, receipt);
      print_unprotected(console, model_, receipt);
      if (must_protect_) throw base::GuaranteeError("'{}' promises no privacy", model_);
      return;
    }
    const auto verified = verification_of(result, work);
    if (console.json()) {
      print_json(console, model_, receipt, verified);
    } else {
      print_text(console, receipt, verified);
    }
    if (receipt.software_version != base::version) {
      console.say(fmt::format("The model is of tacet {}; this is {}.", receipt.software_version,
                              base::version));
    }
    if (!verified.fault.empty()) throw base::GuaranteeError("'{}': {}", model_, verified.fault);
  }

 private:
  std::string model_;
  Patience patience_;
  bool must_protect_ = false;
};

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }

}  // namespace tacet::apps
