#include "tacet/apps/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tacet/apps/terminal/text_table.h"
#include "tacet/base/text.h"
#include "tacet/learn/plan/coefficient_noise.h"
#include "tacet/model/original_units.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/event_tree.h"
#include "tacet/privacy/receipt_notes.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t text_width = 96;
constexpr double normal_quantile = 1.959963984540054;  // 97.5% of a normal distribution

std::string output_name(const model::LinearModel& model, std::int64_t output) {
  switch (model.task) {
    case model::Task::binary:
      return fmt::format("log odds of '{}'", model.classes[1]);
    case model::Task::multi_class:
      return std::holds_alternative<model::SoftmaxLoss>(model.loss)
                 ? fmt::format("logit of '{}'", model.classes[static_cast<std::size_t>(output)])
                 : fmt::format("'{}' against the rest",
                               model.classes[static_cast<std::size_t>(output)]);
    case model::Task::regression:
      switch (model::link_of(model.loss)) {
        case model::Link::identity:
          return fmt::format("target, {:g} to {:g} mapped to -1 to 1", model.target_lower,
                             model.target_upper);
        case model::Link::logit:
          return "log odds of the target";
        case model::Link::log:
          return fmt::format("logarithm of the mean over {:g}", model.target_upper);
      }
      break;
  }
  return {};
}

/// Which features to show: all in order, or the largest estimates in order.
std::vector<std::size_t> shown_features(std::span<const double> estimates, std::size_t most) {
  const auto before = [&](std::size_t a, std::size_t b) {
    const double first = std::abs(estimates[a]);
    const double second = std::abs(estimates[b]);
    return first > second || (first == second && a < b);
  };
  std::vector<std::size_t> order;  // a heap whose front would be shown last
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    if (order.size() < most) {
      order.push_back(i);
    } else if (before(i, order.front())) {
      std::ranges::pop_heap(order, before);
      order.back() = i;
    } else {
      continue;
    }
    std::ranges::push_heap(order, before);
  }
  if (estimates.size() <= most) {
    std::ranges::sort(order);
  } else {
    std::ranges::sort_heap(order, before);
  }
  return order;
}

std::string ratio_text(double estimate, double stddev) {
  return stddev > 0 ? fmt::format("{:.1f}", estimate / stddev) : "";
}

/// Whether the path of the training was too short to show how the data pull the coefficients back.
bool noise_is_a_bound(const model::ModelFile& file) {
  if (file.receipt.algorithm != "gradient") return false;
  const auto parameters = nlohmann::json::parse(file.receipt.parameters, nullptr, false);
  if (!parameters.is_object() || !parameters.contains("steps")) return false;
  const auto& steps = parameters["steps"];
  return steps.is_number_integer() &&
         learn::only_bounds_noise(steps.get<std::int64_t>(), std::ssize(file.model.coefficients));
}

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

std::string coefficient_text(const model::ModelFile& file, std::size_t max_rows) {
  const auto& model = file.model;
  const auto* noise_sd = noise_is_a_bound(file) ? "noise sd at most" : "noise sd";
  std::string out;
  const bool with_noise = !model.noise_stddevs.empty();
  for (std::int64_t output = 0; output < model.output_count(); ++output) {
    const auto estimates = model.output(output);
    const auto first = static_cast<std::size_t>(output) * model.features.size();
    std::vector<std::string> header{output_name(model, output), "estimate"};
    if (with_noise) {
      header.insert(header.end(), {noise_sd, "estimate/sd", "95%, privacy's noise alone"});
    }
    TextTable table(header);
    const auto shown = shown_features(estimates, max_rows);
    for (const auto i : shown) {
      std::vector<std::string> row{model.features[i], fmt::format("{:.4f}", estimates[i])};
      if (with_noise) {
        const double stddev = model.noise_stddevs[first + i];
        row.push_back(fmt::format("{:.4f}", stddev));
        row.push_back(ratio_text(estimates[i], stddev));
        row.push_back(fmt::format("{:.4f} to {:.4f}", estimates[i] - normal_quantile * stddev,
                                  estimates[i] + normal_quantile * stddev));
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

std::string missing_noise_text(const model::ModelFile& file) {
  if (!file.model.noise_stddevs.empty()) return {};
  const auto& receipt = file.receipt;
  const auto why = [&]() -> std::string {
    if (std::isinf(receipt.guarantee.epsilon)) return "the model was trained without noise";
    if (receipt.algorithm == "gradient" && noise_is_a_bound(file) && has_plain_mean(receipt)) {
      return "it is not known; the steps were too few to tell how far the data pull coefficients "
             "back, and their path shows that a bound without any pull would be more than three "
             "times too large. Method inference has intervals that hold sampling error too";
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
  };
  auto text = fmt::format("No noise sd of the coefficients: {}.", why());
  if (receipt.algorithm == "objective") {
    if (const auto distance = objective_distance(receipt, file.model.coefficients.size())) {
      text += fmt::format(
          " All of them together lie at most {} from those without noise in root mean square, as "
          "the penalty alone has it.",
          privacy::rounded_up(*distance, 3));
    }
  }
  return paragraph(text);
}

namespace {

struct EffectNoise {
  double longest_row;
  double shortest_row;
};

/// Standard deviations of the noise in the effects of one coefficient each, which are
/// linear in it. A point of a curve has none: its line and its hat function share their noise in a
/// way that nobody states.
std::vector<std::optional<EffectNoise>> noise_of_effects(
    const model::ModelFile& file, std::int64_t output,
    const std::vector<model::UnitEffect>& effects) {
  std::vector<std::optional<EffectNoise>> out(effects.size());
  if (file.model.noise_stddevs.empty()) return out;
  auto moved = file.model;
  for (std::size_t i = 0; i < moved.coefficients.size(); ++i) {
    moved.coefficients[i] += moved.noise_stddevs[i];
  }
  const auto after = model::original_units(file.schema, moved, output);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (effects[i].step.starts_with("to ")) continue;
    out[i] = EffectNoise{std::abs(after[i].longest_row - effects[i].longest_row),
                         std::abs(after[i].shortest_row - effects[i].shortest_row)};
  }
  return out;
}

std::string with_noise(double effect, std::optional<double> noise) {
  return noise ? fmt::format("{:.4g} +- {:.2g}", effect, *noise) : fmt::format("{:.5g}", effect);
}

}  // namespace

std::string original_units_text(const model::ModelFile& file) {
  const auto range = model::scale_range(file.schema);
  const bool one_length = range.longest_row == range.shortest_row;
  const bool on_scale = file.model.task == model::Task::regression &&
                        model::link_of(file.model.loss) == model::Link::identity;
  std::string out;
  for (std::int64_t output = 0; output < file.model.output_count(); ++output) {
    std::vector<std::string> header{
        on_scale ? "change of the target" : output_name(file.model, output), "for a step of"};
    const bool odds = file.model.has_probabilities();
    const auto add_header = [&](const char* effect) {
      header.emplace_back(effect);
      if (odds) header.emplace_back("odds ratio");
    };
    add_header(one_length ? "effect" : "in the longest row");
    if (!one_length) add_header("in the shortest");
    TextTable table(header);
    const auto effects = model::original_units(file.schema, file.model, output);
    const auto noise = noise_of_effects(file, output, effects);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const auto& effect = effects[i];
      std::vector<std::string> row{effect.name, effect.step};
      const auto add = [&](double value, std::optional<double> stddev) {
        row.push_back(with_noise(value, stddev));
        if (odds) row.push_back(fmt::format("{:.4g}", std::exp(value)));
      };
      using Stddev = std::optional<double>;
      add(effect.longest_row, noise[i] ? Stddev(noise[i]->longest_row) : Stddev());
      if (!one_length) {
        add(effect.shortest_row, noise[i] ? Stddev(noise[i]->shortest_row) : Stddev());
      }
      table.add(row);
    }
    out += table.text();
  }
  const auto* noise_note = " Behind +- stands the standard deviation of privacy's noise alone.";
  return out + "\n" +
         paragraph(
             std::string(
                 one_length
                     ? "Effects are in the units of the file. A category counts against none; the "
                       "difference between two categories is the difference of their effects."
                     : "Effects are in the units of the file. Row scaling clip1 divides a record "
                       "by its own length, so a step moves a long record less than a short one: "
                       "the two columns are the extremes over complete records, and hold for two "
                       "records of that same length. A category counts against none.") +
             (file.model.noise_stddevs.empty() ? "" : noise_note));
}

ordered_json original_units_json(const model::ModelFile& file) {
  auto list = ordered_json::array();
  for (std::int64_t output = 0; output < file.model.output_count(); ++output) {
    const auto effects = model::original_units(file.schema, file.model, output);
    const auto noise = noise_of_effects(file, output, effects);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const auto& effect = effects[i];
      ordered_json entry;
      if (file.model.task == model::Task::multi_class) {
        entry["class"] = file.model.classes[static_cast<std::size_t>(output)];
      }
      entry["name"] = effect.name;
      entry["step"] = effect.step;
      entry["longest_row"] = effect.longest_row;
      entry["shortest_row"] = effect.shortest_row;
      if (noise[i]) {
        entry["noise_sd_longest_row"] = noise[i]->longest_row;
        entry["noise_sd_shortest_row"] = noise[i]->shortest_row;
      }
      list.push_back(std::move(entry));
    }
  }
  return list;
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
  return out + paragraph(privacy::statement(receipt));
}

std::string paragraph(const std::string& text) { return wrapped(text, text_width, "") + "\n"; }

}  // namespace tacet::apps
