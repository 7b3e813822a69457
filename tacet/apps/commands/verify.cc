#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>

#include "tacet/apps/account_result.h"
#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/recorded_cost.h"
#include "tacet/apps/shared_options.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/base/version.h"
#include "tacet/model/export/export.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/receipt.h"
#include "tacet/privacy/statement.h"
#include "tacet/report/verification.h"

namespace tacet::apps {
namespace {

using privacy::Receipt;

constexpr std::string_view verify_examples =
    "  tacet verify model.json --protected && publish model.json\n"
    "  tacet verify model.json --json   the same for a program\n"
    "  tacet verify model.json --export model.c   also whether that is an export of the model\n"
    "\n"
    "Recomputes the guarantee from the receipt alone. Exit code 5 when what is stated does not\n"
    "follow from the events, the PRG slack included, when the parameters, the unit or the\n"
    "sentence about privacy contradict it, when training would have refused what is stated, or\n"
    "when this version does not know the algorithm and cannot judge it. An unprotected model "
    "states nothing and says so; with\n"
    "--protected it is refused with exit code 5 too. What was not checked is listed: no file can\n"
    "prove that its events are what was really run.\n";

void print_unprotected(const Console& console, const std::string& path, const Receipt& receipt) {
  if (console.json()) {
    console.result(json_text(report::unprotected_json(path, receipt)));
    return;
  }
  console.result(fmt::format("verdict  UNPROTECTED\n\n{}", paragraph(privacy::statement(receipt))));
}

/// What does not follow is not to be overlooked.
std::string verdict_in_words(report::Verdict verdict) {
  auto words = report::to_string(verdict);
  if (verdict != report::Verdict::follows) {
    std::ranges::transform(words, words.begin(), [](unsigned char c) { return std::toupper(c); });
  }
  return words;
}

void print_text(const Console& console, const Receipt& receipt,
                const report::Verification& verified) {
  const auto& stated = receipt.guarantee;
  const auto& epsilon = verified.epsilon;
  TextTable table({"verdict", verdict_in_words(verified.verdict)});
  table.add({"stated epsilon", fmt::format("{}", stated.epsilon)});
  table.add({"stated delta", fmt::format("{}", stated.delta)});
  table.add({"adjacency", to_string(stated.adjacency)});
  table.add({"privacy unit", receipt.privacy_unit});
  table.add({"recomputed epsilon", fmt::format("{} to {}", epsilon.attained, epsilon.upper)});
  table.add({"route", route_in_words(epsilon.route)});
  table.add({"PRG slack", fmt::format("{:.3g}", receipt.prg_slack)});
  table.add({stated.delta > 0 ? "its part of delta" : "it adds to delta 0",
             privacy::rounded_up(verified.prg_share, 3)});
  table.add({"left for the events", fmt::format("{}", verified.delta_left)});
  console.result(table.text());
  if (!verified.fault.empty()) return;
  const auto& parameters = verified.parameters;
  console.result("\n" + paragraph(interval_in_words(epsilon, "epsilon")) + guarantee_text(receipt) +
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
                "Model file, another result with a receipt, a receipt (JSON), or a fitted schema",
                Form::required);
    options.flag("--protected", must_protect_, "Refuse a model that promises no privacy");
    options.add("--export", export_, "FILE",
                "Refuse this file unless `tacet export` writes it for the model, byte for byte");
    patience_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    if (!export_.empty()) compare_export(console);
    auto work = patience_.meter(cancel);
    const auto result = read_result(model_);
    const auto& receipt = result.receipt;
    if (!receipt.is_protected()) {
      warn_if_unprotected(console, receipt);
      print_unprotected(console, model_, receipt);
      if (must_protect_) throw base::GuaranteeError("'{}' promises no privacy", model_);
      return;
    }
    const auto verified = report::verification_of(result, work);
    if (console.json()) {
      console.result(json_text(report::verification_json(model_, receipt, verified)));
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
  /// Writes it anew, by the options that it states.
  void compare_export(const Console& console) const {
    const auto file = model::load_model(model_);
    const auto text = base::read_file(export_, base::limits::model_bytes);
    const auto options = model::options_of_export(text, export_);
    if (model::export_model(file, options) != text) {
      throw base::GuaranteeError(
          "'{}' is not what this version exports of '{}': it was changed, is of another model, or "
          "another version wrote it; export the model again",
          export_, model_);
    }
    console.say(fmt::format("'{}' is an export of '{}'.", export_, model_));
  }

  std::string model_;
  std::string export_;
  PatienceOption patience_;
  bool must_protect_ = false;
};

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }

}  // namespace tacet::apps
