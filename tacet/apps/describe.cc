#include "tacet/apps/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "tacet/apps/text_table.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t text_width = 96;

std::string output_name(const model::LinearModel& model, std::int64_t output) {
  switch (model.task) {
    case model::Task::binary:
      return fmt::format("log odds of '{}'", model.classes[1]);
    case model::Task::multi_class:
      return fmt::format("'{}' against the rest", model.classes[static_cast<std::size_t>(output)]);
    case model::Task::regression:
      return fmt::format("target, {:g} to {:g} mapped to -1 to 1", model.target_lower,
                         model.target_upper);
  }
  return {};
}

/// Which features to show: all in order, or the largest estimates in order.
std::vector<std::size_t> shown_features(std::span<const double> estimates, std::size_t most) {
  std::vector<std::size_t> order(estimates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return std::abs(estimates[i]); });
  order.resize(most);
  return order;
}

std::string ratio_text(double estimate, double deviation) {
  return deviation > 0 ? fmt::format("{:.1f}", estimate / deviation) : "";
}

}  // namespace

void warn_if_unprotected(const Console& console, const privacy::Receipt& receipt) {
  if (!receipt.is_protected()) console.warn(privacy_line(receipt));
}

std::string privacy_line(const privacy::Receipt& receipt) {
  if (!receipt.is_protected()) {
    return fmt::format("PRIVACY: NONE ({})", receipt.unprotected_reason);
  }
  return fmt::format("privacy: epsilon {:g}, delta {:g}, {}, unit: {}", receipt.guarantee.epsilon,
                     receipt.guarantee.delta, to_string(receipt.guarantee.adjacency),
                     receipt.privacy_unit);
}

std::string coefficient_text(const model::LinearModel& model, std::size_t most_rows) {
  std::string out;
  const bool with_noise = !model.noise_deviations.empty();
  for (std::int64_t output = 0; output < model.output_count(); ++output) {
    const auto estimates = model.output(output);
    const auto first = static_cast<std::size_t>(output) * model.features.size();
    std::vector<std::string> header{output_name(model, output), "estimate"};
    if (with_noise) header.insert(header.end(), {"noise sd", "estimate/sd"});
    TextTable table(header);
    const auto shown = shown_features(estimates, most_rows);
    for (const auto i : shown) {
      std::vector<std::string> row{model.features[i], fmt::format("{:.4f}", estimates[i])};
      if (with_noise) {
        const double deviation = model.noise_deviations[first + i];
        row.push_back(fmt::format("{:.4f}", deviation));
        row.push_back(ratio_text(estimates[i], deviation));
      }
      table.add(row);
    }
    out += (output > 0 ? "\n" : "") + table.text();
    if (shown.size() < estimates.size()) {
      out += fmt::format("... the {} largest of {} coefficients; `tacet show` prints all\n",
                         shown.size(), estimates.size());
    }
  }
  return out;
}

ordered_json coefficient_json(const model::LinearModel& model) {
  auto list = ordered_json::array();
  for (std::int64_t output = 0; output < model.output_count(); ++output) {
    const auto estimates = model.output(output);
    const auto first = static_cast<std::size_t>(output) * model.features.size();
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      ordered_json entry;
      if (model.task == model::Task::multi_class) {
        entry["class"] = model.classes[static_cast<std::size_t>(output)];
      }
      entry["name"] = model.features[i];
      entry["estimate"] = estimates[i];
      if (!model.noise_deviations.empty()) {
        entry["noise_sd"] = model.noise_deviations[first + i];
      }
      list.push_back(std::move(entry));
    }
  }
  return list;
}

ordered_json json_number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::string receipt_text(const privacy::Receipt& receipt) {
  std::string out = fmt::format("method: {} ({} calibration, {})\n", receipt.algorithm,
                                receipt.calibration, receipt.sampling);
  const auto parameters = ordered_json::parse(receipt.parameters);
  for (const auto& [key, value] : parameters.items()) {
    out += fmt::format("  {:<24} {}\n", key,
                       value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out + paragraph(privacy::statement(receipt));
}

std::string paragraph(const std::string& text) { return wrapped(text, text_width, "") + "\n"; }

}  // namespace tacet::apps
