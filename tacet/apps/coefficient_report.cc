#include "tacet/apps/coefficient_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/text.h"
#include "tacet/learn/plan/coefficient_noise.h"
#include "tacet/model/column_effects.h"
#include "tacet/model/original_units.h"

namespace tacet::apps {
namespace {

using model::ColumnEffect;

constexpr double normal_quantile = 1.959963984540054;  // 97.5% of a normal distribution
// A line of its own for more coefficients than these would take longer than their training.
constexpr std::size_t max_named = std::size_t{1} << 18;

std::string output_name(const model::LinearModel& model, std::int64_t output) {
  switch (model.task) {
    case model::PredictionTask::binary:
      return fmt::format("log odds of '{}'", model.classes[1]);
    case model::PredictionTask::multi_class:
      return std::holds_alternative<model::SoftmaxLoss>(model.loss)
                 ? fmt::format("logit of '{}'", model.classes[static_cast<std::size_t>(output)])
                 : fmt::format("'{}' against the rest",
                               model.classes[static_cast<std::size_t>(output)]);
    case model::PredictionTask::regression:
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

/// Whether each coefficient belongs to a column of the schema that can be named.
bool has_columns(const model::ModelFile& file) {
  return file.model.coefficients.size() <= max_named &&
         file.schema.encoded_column_count() == file.model.feature_count();
}

/// Columns that cannot be named stand for themselves; only those that are shown are kept, so that
/// nothing as large as the model is made of them.
std::vector<ColumnEffect> unnamed_lines(const model::LinearModel& model, std::int64_t output,
                                        std::size_t max_rows) {
  const auto estimates = model.output(output);
  const auto first = static_cast<std::size_t>(output) * estimates.size();
  const auto size = [&](std::size_t i) {
    if (model.noise_stddevs.empty()) return std::abs(estimates[i]);
    const double stddev = model.noise_stddevs[first + i];
    return stddev > 0 ? std::abs(estimates[i]) / stddev : 0.0;
  };
  const auto before = [&](std::size_t a, std::size_t b) {
    return size(a) > size(b) || (size(a) == size(b) && a < b);
  };
  std::vector<std::size_t> order;  // a heap whose front would be shown last
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    if (order.size() == max_rows) {
      if (!before(i, order.front())) continue;
      std::ranges::pop_heap(order, before);
      order.pop_back();
    }
    order.push_back(i);
    std::ranges::push_heap(order, before);
  }
  std::ranges::sort_heap(order, before);
  std::vector<ColumnEffect> lines;
  for (const auto i : order) {
    lines.push_back({.name = model.features[i], .features = {i}});
    if (!model.noise_stddevs.empty()) lines.back().clearness = size(i);
  }
  return lines;
}

/// The clearest first, the intercept last; without noise the largest estimates where not all fit.
void put_in_order(const model::ModelFile& file, std::int64_t output, std::size_t max_rows,
                  std::vector<ColumnEffect>& lines) {
  const auto estimates = file.model.output(output);
  const bool by_noise = !file.model.noise_stddevs.empty();
  if (!by_noise && lines.size() <= max_rows) return;
  const auto size = [&](const ColumnEffect& line) {
    return by_noise ? line.clearness : std::abs(estimates[line.features.back()]);
  };
  std::ranges::stable_sort(lines, [&](const ColumnEffect& a, const ColumnEffect& b) {
    if (a.intercept != b.intercept) return b.intercept;
    return size(a) > size(b);
  });
}

/// How many columns stand clear of the noise; columns of several outputs count apart, the intercept
/// does not.
class Clear {
 public:
  explicit Clear(std::size_t coefficients) : threshold_(model::clearness_of_noise(coefficients)) {}

  template <typename Name>
  void add(double clearness, const Name& name) {
    ++all;
    if (clearness <= threshold_) return;
    ++columns;
    if (clearness <= largest_) return;
    largest_ = clearness;
    first = name();
  }

  std::size_t columns = 0;
  std::size_t all = 0;
  std::string first;

 private:
  double threshold_;
  double largest_ = 0;
};

double clearness_of(const model::LinearModel& model, std::size_t coefficient) {
  const double stddev = model.noise_stddevs[coefficient];
  return stddev > 0 ? std::abs(model.coefficients[coefficient]) / stddev : 0;
}

Clear clear_of_noise(const model::ModelFile& file) {
  const auto& model = file.model;
  const auto features = model.features.size();
  if (!has_columns(file)) {
    Clear out(model.coefficients.size());
    for (std::size_t i = 0; i < model.coefficients.size(); ++i) {
      out.add(clearness_of(model, i), [&] { return model.features[i % features]; });
    }
    return out;
  }
  const auto outputs = model::column_effects(file.schema, model);
  std::size_t coefficients = 0;
  for (const auto& line : outputs.front()) {
    coefficients += line.intercept ? 0 : outputs.size() * line.features.size();
  }
  Clear out(coefficients);
  for (const auto& lines : outputs) {
    for (const auto& line : lines) {
      if (!line.intercept) out.add(line.clearness, [&] { return line.name; });
    }
  }
  return out;
}

/// Whether effects are in the target's own unit, which coefficients are not.
bool effects_on_scale(const model::LinearModel& model) {
  return model.task == model::PredictionTask::regression &&
         model::link_of(model.loss) == model::Link::identity;
}

std::string curves_text(const model::LinearModel& model, const std::vector<ColumnEffect>& lines) {
  TextTable table({effects_on_scale(model) ? "curve, change of the target" : "curve, effect",
                   "smallest", "largest", "shape", "steepest between"});
  for (const auto& line : lines) {
    table.add({line.name, fmt::format("{:.4g}", line.curve->min),
               fmt::format("{:.4g}", line.curve->max), line.curve->direction,
               line.curve->steepest});
  }
  return table.text();
}

std::vector<std::string> coefficient_row(const model::LinearModel& model, std::int64_t output,
                                         const ColumnEffect& line) {
  const auto i = line.features[0];
  const double estimate = model.output(output)[i];
  std::vector<std::string> row{model.features[i], fmt::format("{:.4f}", estimate)};
  if (model.noise_stddevs.empty()) return row;
  const double stddev =
      model.noise_stddevs[static_cast<std::size_t>(output) * model.features.size() + i];
  row.push_back(fmt::format("{:.4f}", stddev));
  row.push_back(stddev > 0 ? fmt::format("{:.1f}", estimate / stddev) : "");
  row.push_back(fmt::format("{:.4f} to {:.4f}", estimate - normal_quantile * stddev,
                            estimate + normal_quantile * stddev));
  return row;
}

struct ShownLines {
  std::vector<ColumnEffect> lines;
  std::size_t all;  ///< of which these are the first
};

ShownLines shown_lines(const model::ModelFile& file, std::vector<ColumnEffect> lines,
                       std::int64_t output, std::size_t max_rows) {
  put_in_order(file, output, max_rows, lines);
  const auto all = lines.size();
  if (all > max_rows) lines.resize(max_rows);
  return {std::move(lines), all};
}

std::string one_output_text(const model::ModelFile& file, std::int64_t output,
                            const ShownLines& shown) {
  const auto& model = file.model;
  std::vector<std::string> header{output_name(model, output), "estimate"};
  if (!model.noise_stddevs.empty()) {
    const auto* noise_sd = noise_is_a_bound(file) ? "noise sd at most" : "noise sd";
    header.insert(header.end(), {noise_sd, "estimate/sd", "95%, privacy's noise alone"});
  }
  TextTable table(header);
  std::vector<ColumnEffect> curves;
  for (const auto& line : shown.lines) {
    if (line.curve) {
      curves.push_back(line);
    } else {
      table.add(coefficient_row(model, output, line));
    }
  }
  auto out = shown.lines.size() > curves.size() ? table.text() : output_name(model, output) + "\n";
  if (!curves.empty()) out += "\n" + curves_text(model, curves);
  if (shown.lines.size() < shown.all) {
    out += fmt::format("... the {} {} of {} columns; `tacet show` prints all\n", shown.lines.size(),
                       model.noise_stddevs.empty() ? "largest" : "clearest", shown.all);
  }
  return out;
}

bool has_bounded_numbers(const data::Schema& schema) {
  return std::ranges::any_of(schema.columns, [](const data::Column& column) {
    const auto* rule = std::get_if<data::NumericColumn>(&column.rule);
    return rule != nullptr && rule->line_count() == 1;
  });
}

std::string effect_note(const model::ModelFile& file) {
  const auto range = model::scale_range(file.schema);
  std::string note =
      "A step of a number is the one that the schema names (`step`), else half the distance of its "
      "bounds. A category counts against none; the difference between two categories is the "
      "difference of their effects.";
  if (has_bounded_numbers(file.schema)) {
    note +=
        " Numbers beyond their bounds in the schema were clipped to them: there a step changes "
        "nothing.";
  }
  if (range.longest_row != range.shortest_row) {
    note += fmt::format(
        " Row scaling clip1 divides a record by its own length: effects are those of a complete "
        "record of middle length; in the longest ones they are {:.2g} times as large, in the "
        "shortest {:.2g} times.",
        std::sqrt((1 + std::pow(range.longest_row / range.shortest_row, 2)) / 2),
        std::sqrt((1 + std::pow(range.shortest_row / range.longest_row, 2)) / 2));
  }
  if (!file.model.noise_stddevs.empty()) {
    note += " Behind +- stands the standard deviation of privacy's noise alone.";
  }
  return paragraph(note);
}

std::vector<std::string> effect_row(const ColumnEffect& line, bool odds) {
  std::vector<std::string> row{line.name, line.step,
                               line.noise
                                   ? fmt::format("{:.4g} +- {:.2g}", line.effect, *line.noise)
                                   : fmt::format("{:.5g}", line.effect)};
  if (odds) row.push_back(fmt::format("{:.4g}", std::exp(line.effect)));
  return row;
}

}  // namespace

bool noise_is_a_bound(const model::ModelFile& file) {
  if (file.receipt.algorithm != "gradient") return false;
  const auto parameters = nlohmann::json::parse(file.receipt.parameters, nullptr, false);
  if (!parameters.is_object() || !parameters.contains("steps")) return false;
  const auto& steps = parameters["steps"];
  return steps.is_number_integer() &&
         learn::only_bounds_noise(steps.get<std::int64_t>(), std::ssize(file.model.coefficients));
}

std::string coefficient_text(const model::ModelFile& file, std::size_t max_rows) {
  const auto& model = file.model;
  const bool named = has_columns(file);
  auto columns =
      named ? model::column_effects(file.schema, model) : std::vector<std::vector<ColumnEffect>>();
  std::string out;
  for (std::int64_t output = 0; output < model.output_count(); ++output) {
    const auto shown =
        named ? shown_lines(file, std::move(columns[static_cast<std::size_t>(output)]), output,
                            max_rows)
              : ShownLines{unnamed_lines(model, output, max_rows), model.features.size()};
    out += (output > 0 ? "\n" : "") + one_output_text(file, output, shown);
  }
  if (file.model.noise_stddevs.empty()) return out;
  const auto clear = clear_of_noise(file);
  if (clear.all == 0 || clear.columns > 0) return out;
  return out + paragraph(
                   "This order is only noise: none of the estimates is larger than pure noise "
                   "would make one of them.");
}

std::string effects_text(const model::ModelFile& file) {
  if (!has_columns(file)) return {};
  const bool on_scale = effects_on_scale(file.model);
  const bool odds = file.model.has_probabilities();
  auto columns = model::column_effects(file.schema, file.model);
  std::string out;
  for (std::int64_t output = 0; output < file.model.output_count(); ++output) {
    std::vector<std::string> header{
        on_scale ? "change of the target" : output_name(file.model, output), "for a step of",
        "effect"};
    if (odds) header.emplace_back("odds ratio");
    TextTable table(header);
    auto& lines = columns[static_cast<std::size_t>(output)];
    put_in_order(file, output, lines.size(), lines);
    for (const auto& line : lines) {
      if (!line.curve) table.add(effect_row(line, odds));
    }
    out += table.text();
  }
  return out + "\n" + effect_note(file);
}

std::string signal_text(const model::ModelFile& file) {
  if (file.model.noise_stddevs.empty()) return fmt::format("not known: {}", why_no_noise(file));
  const auto clear = clear_of_noise(file);
  if (clear.all == 0) return "the model has no column beside its intercept";
  const bool pairs = file.model.output_count() > 1;
  const auto all = fmt::format("{} {}", clear.all, pairs ? "pairs of class and column" : "columns");
  if (clear.columns == 0) {
    return fmt::format("none: nothing in the {} is distinguishable from privacy's noise",
                       clear.all == 1 ? std::string("only column") : all);
  }
  const auto which =
      clear.all == 1 ? fmt::format("the only column, {}, is distinguishable from privacy's noise",
                                   base::printable(clear.first))
                     : fmt::format(
                           "{} of {} {} distinguishable from privacy's noise, {} most "
                           "clearly",
                           clear.columns, all, clear.columns == 1 ? "is" : "are",
                           base::printable(clear.first));
  return which + "; the error of the sample comes on top";
}

}  // namespace tacet::apps
