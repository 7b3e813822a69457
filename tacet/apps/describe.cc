#include "tacet/apps/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tacet/apps/coefficient_report.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/text.h"
#include "tacet/model/effects_json.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/event_tree.h"
#include "tacet/privacy/receipt_notes.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t text_width = 96;

/// Whether a run of gradient ended in what the noise's law is known of.
bool has_plain_mean(const privacy::Receipt& receipt) {
  const auto parameters = nlohmann::json::parse(receipt.parameters, nullptr, false);
  return parameters.is_object() && !parameters.contains("l2") && !parameters.contains("radius") &&
         parameters.value("averaging", "") != "polynomial";
}

}  // namespace

void warn_if_unprotected(const Console& console, const privacy::Receipt& receipt) {
  if (!receipt.is_protected()) console.warn(privacy_line(receipt));
}

std::string privacy_line(const privacy::Receipt& receipt) {
  if (!receipt.is_protected()) {
    return fmt::format("PRIVACY: NONE ({})", base::printable(receipt.unprotected_reason));
  }
  return fmt::format("privacy: epsilon {}, delta {}, {}, unit: {}",
                     privacy::rounded_up(receipt.guarantee.epsilon, 6),
                     privacy::rounded_up(receipt.guarantee.delta, 6),
                     to_string(receipt.guarantee.adjacency), base::printable(receipt.privacy_unit));
}

ordered_json coefficient_json(const model::LinearModel& model) {
  auto list = ordered_json::array();
  for (std::int64_t output = 0; output < model.output_count(); ++output) {
    const auto estimates = model.output(output);
    const auto first = static_cast<std::size_t>(output) * model.features.size();
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      ordered_json entry;
      if (model.task == model::PredictionTask::multi_class) {
        entry["class"] = model.classes[static_cast<std::size_t>(output)];
      }
      entry["name"] = model.features[i];
      entry["estimate"] = estimates[i];
      if (!model.noise_stddevs.empty()) {
        entry["noise_sd"] = model.noise_stddevs[first + i];
      }
      list.push_back(std::move(entry));
    }
  }
  return list;
}

namespace {

/// What `objective` adds moves its minimiser by at most its length over the penalty, and the output
/// noise comes on top: a bound of the root mean square of the distance of all coefficients together
/// from those without noise (docs/explanations/coefficient-noise.md). Nothing where a receipt says
/// too little.
std::optional<double> objective_distance(const privacy::Receipt& receipt, std::size_t count) {
  const auto parameters = ordered_json::parse(receipt.parameters);
  for (const auto* name : {"regularization", "objective_noise", "output_noise", "distance"}) {
    if (!parameters.contains(name) || !parameters[name].is_number()) return std::nullopt;
  }
  const auto size = static_cast<double>(count);
  const bool gaussian = privacy::holds_somewhere(receipt.events, [](const privacy::Event& event) {
    return event.as<privacy::ObjectivePerturbation>() != nullptr;
  });
  // The mean square length of noise of scale 1: Gaussian, or with the density exp(-|b|).
  const double length = std::sqrt(gaussian ? size : size * (size + 1));
  const double moved = parameters["objective_noise"].get<double>() * length /
                       parameters["regularization"].get<double>();
  return moved + parameters["output_noise"].get<double>() * length +
         parameters["distance"].get<double>();
}

}  // namespace

std::string why_no_noise(const model::ModelFile& file) {
  const auto& receipt = file.receipt;
  if (std::isinf(receipt.guarantee.epsilon)) return "the model was trained without noise";
  if (file.model.wide) return "a network's numbers have no meaning one by one";
  if (file.schema.curves) return "weights of curves have no meaning one by one";
  if (receipt.algorithm == "gradient" && noise_is_a_bound(file) && has_plain_mean(receipt)) {
    return "the steps were too few to tell how far the data pull coefficients back, and a bound "
           "without any pull would be more than three times too large. Method inference has "
           "intervals that hold sampling error too";
  }
  if (receipt.algorithm == "gradient") {
    return "their law is known for a plain mean of the iterates, without a penalty, a ball or "
           "polynomial averaging";
  }
  if (receipt.algorithm == "regularized-output") {
    return "pure noise has longer tails than the normal law that an interval would be read by";
  }
  if (receipt.algorithm == "inverse-sensitivity") {
    return "how far a draw lies from the minimum depends on the records, which are private";
  }
  if (receipt.algorithm == "sparse-groups") {
    return "they move where noise chose coordinates, and no law of that is known";
  }
  if (receipt.algorithm == "tune" || receipt.algorithm == "radius-search" ||
      receipt.algorithm == "boosting") {
    return "the run was chosen by noisy scores, which favours some noise over other";
  }
  return fmt::format(
      "what method {} adds passes through the minimiser, whose curvature is "
      "private",
      base::printable(receipt.algorithm));
}

std::string missing_noise_text(const model::ModelFile& file) {
  if (!file.model.noise_stddevs.empty()) return {};
  auto text = fmt::format("No noise sd of the coefficients: {}.", why_no_noise(file));
  if (file.receipt.algorithm == "objective") {
    if (const auto distance = objective_distance(file.receipt, file.model.coefficients.size())) {
      text += fmt::format(
          " All of them together lie at most {} from those without noise in root mean square, as "
          "the penalty alone has it.",
          privacy::rounded_up(*distance, 3));
    }
  }
  return paragraph(text);
}

ordered_json effects_json(const model::ModelFile& file) {
  auto list = ordered_json::array();
  const auto outputs = model::effects_json(file.schema, file.model);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (const auto& effect : outputs[k]) {
      ordered_json entry;
      if (file.model.task == model::PredictionTask::multi_class)
        entry["class"] = file.model.classes[k];
      entry.update(effect);
      list.push_back(std::move(entry));
    }
  }
  return list;
}

std::string guarantee_text(const privacy::Receipt& receipt) {
  if (!receipt.is_protected()) return paragraph(privacy::statement(receipt));
  auto text = privacy::short_statement(receipt) + "\n";
  const auto& condition = receipt.notes.condition;
  if (!condition.empty()) text += paragraph(base::printable(condition));
  return text;
}

std::string receipt_text(const privacy::Receipt& receipt) {
  std::string out =
      fmt::format("method: {} ({} calibration, {})\n", base::printable(receipt.algorithm),
                  receipt.calibration, base::printable(receipt.sampling));
  const auto parameters = ordered_json::parse(receipt.parameters);
  for (const auto& [key, value] : parameters.items()) {
    out +=
        fmt::format("  {:<24} {}\n", base::printable(key),
                    base::printable(value.is_string() ? value.get<std::string>() : value.dump()));
  }
  const auto notes = privacy::notes_to_json(receipt.notes);
  for (const auto& [key, value] : notes.items()) {
    if (key == "condition") continue;  // the statement has it
    out += fmt::format("{}: {}\n", key, base::printable(value.get<std::string>()));
  }
  return out + guarantee_text(receipt);
}

std::string paragraph(const std::string& text) { return wrapped(text, text_width, "") + "\n"; }

}  // namespace tacet::apps
