#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tacet/learn/inference/regression_table.h"
#include "tacet/model/linear_model.h"
#include "tacet/privacy/decimal.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/model_panels.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"
#include "tacet/report/regression.h"

namespace tacet::report {
namespace {

constexpr std::size_t max_panels = 40;
constexpr std::size_t max_folded_panels = 40;

std::string target_name(const model::ModelFile& file) {
  const auto& column = file.schema.target->column;
  return column.empty() ? std::string("the label") : in_quotes(column);
}

/// What predicted numbers are counted from.
std::string middle_in_words(const model::LinearModel& model) {
  const bool counted = model.task == model::PredictionTask::regression &&
                       model::link_of(model.loss) == model::Link::identity;
  if (!counted) return {};
  return fmt::format(", counted from {}, the middle of its bounds",
                     number_text((model.target_lower + model.target_upper) / 2));
}

std::string what_it_is(const model::ModelFile& file, const Effects& effects) {
  auto text = fmt::format(
      "A linear model of {} with the {} loss. Each column adds a number; the intercept and all of "
      "these numbers together are the {}{}.",
      target_name(file), loss_name(file.model.loss), effects.unit, middle_in_words(file.model));
  if (effects.outputs.size() > 1) {
    text += fmt::format(
        " There is one such sum for each of {} classes; the class with the largest is predicted.",
        effects.outputs.size());
  }
  return text;
}

std::string how_to_read(const model::ModelFile& file, const Effects& effects) {
  std::string text =
      "A dot or a line is what a value adds. At 0 it adds nothing, as a category does that the "
      "schema does not list.";
  text += effects.noise_stated
              ? " The interval or the shaded band around it contains what the fit would have been "
                "without privacy's noise in about 95 of 100 trainings. It does not include "
                "sampling error, which this training did not release."
          : std::isinf(file.receipt.guarantee.epsilon)
              ? " It has no privacy noise."
              : fmt::format(
                    " Method {} states no standard deviation for the noise in its coefficients, so "
                    "no interval is drawn. It is not known how far noise moved these panels.",
                    in_quotes(file.receipt.algorithm));
  if (effects.by_length) {
    text += fmt::format(
        " Each record's row of numbers is shortened to length 1 before it counts. The panels show "
        "a row of middle length, {0}; a record is moved by the factor {0} over the length of its "
        "row: a shorter one more, a longer one less.",
        number_text(effects.row_length, 4));
  }
  return text;
}

std::string by_hand(const model::ModelFile& file, const Effects& effects) {
  const auto& model = file.model;
  std::string text =
      "Take the intercept and, for each column, the row of the record's value; between two numbers "
      "of a column the sum goes straight from one to the other, unless the column counts by "
      "logarithms or has a period. Add them up.";
  if (effects.by_length) {
    text += fmt::format(
        " Add up the squared lengths too, that of the intercept among them. If they are above 1, "
        "divide the sum by their square root and multiply it by {}; else multiply it by {}.",
        number_text(effects.row_length, 10), number_text(effects.row_length, 10));
  }
  const auto link = model::link_of(model.loss);
  if (model.task == model::PredictionTask::regression && link == model::Link::identity) {
    text += fmt::format(" The prediction is that plus {}, cut to {} to {}.",
                        number_text((model.target_lower + model.target_upper) / 2, 10),
                        number_text(model.target_lower, 10), number_text(model.target_upper, 10));
  } else if (model.task == model::PredictionTask::binary) {
    text += fmt::format(" Above 0 the prediction is {}, else {}.", in_quotes(model.classes[1]),
                        in_quotes(model.classes[0]));
    if (model.has_probabilities()) {
      text += fmt::format(" The probability of {} is 1 / (1 + exp(-sum)).",
                          in_quotes(model.classes[1]));
    }
  } else if (model.task == model::PredictionTask::multi_class) {
    text += " The class with the largest sum is predicted.";
  } else if (link == model::Link::logit) {
    text += " The prediction is 1 / (1 + exp(-sum)).";
  } else {
    text +=
        fmt::format(" The prediction is {} times exp(sum).", number_text(model.target_upper, 10));
  }
  return text;
}

void add_panels(const Effects& effects, const std::string& prefix, Section& section) {
  Beside told;
  Folded hidden;
  std::vector<std::string> hidden_names;
  std::size_t left_out = 0;
  std::size_t number = 0;
  for (const auto* effect : panels_in_order(effects)) {
    const auto name = fmt::format("{}-column-{}", prefix, ++number);
    if (effect->told_from_noise()) {
      if (told.blocks.size() < max_panels) {
        told.blocks.push_back({panel_of(effects, *effect, name)});
      } else {
        ++left_out;
      }
      continue;
    }
    hidden_names.push_back(effect->name);
    if (hidden.blocks.size() < max_folded_panels) {
      hidden.blocks.push_back({panel_of(effects, *effect, name)});
    }
  }
  if (!told.blocks.empty()) section.blocks.push_back({std::move(told)});
  if (left_out > 0) {
    section.blocks.push_back(
        {Paragraph{fmt::format("{} that stand out less are not drawn; the table below has them.",
                               counted(left_out, "more column", "more columns"))}});
  }
  if (hidden_names.empty()) return;
  hidden.summary =
      effects.curves ? fmt::format("{} less than 1 % of the variance of predictions alone: {}",
                                   counted(hidden_names.size(), "column makes", "columns make"),
                                   listed(hidden_names))
      : effects.noise_stated
          ? fmt::format("{} cannot be told from noise: {}",
                        counted(hidden_names.size(), "column", "columns"), listed(hidden_names))
          : fmt::format("{} without any effect: {}",
                        counted(hidden_names.size(), "column", "columns"), listed(hidden_names));
  if (effects.noise_stated) {
    hidden.blocks.insert(
        hidden.blocks.begin(),
        Block{
            Paragraph{"Noise alone would give such a column a range as large as this in more than "
                      "5 of 100 trainings. That does not mean that the column has no effect."}});
  }
  section.blocks.push_back({std::move(hidden)});
}

/// Which category the coefficients of each column compare the others with.
std::string references_of(const model::ModelFile& file) {
  std::string out;
  for (const auto& column : file.schema.columns) {
    const auto* rule = std::get_if<data::CategoricalColumn>(&column.rule);
    if (rule == nullptr || rule->categories.empty()) continue;
    out += fmt::format(" Categories of {} are compared with {}.", in_quotes(column.name),
                       in_quotes(rule->reference.value_or(rule->categories.front())));
  }
  return out;
}

void add_regression(const model::ModelFile& file, Section& section) {
  section.blocks.push_back({Paragraph{fmt::format(
      "Coefficients of a {} regression of {}, in the units of the file.{} A 95 % interval allows "
      "for sampling error and for privacy's noise: in about 95 of 100 studies it contains the "
      "coefficient of the population. This model explains; it is not used to predict.",
      regression_kind(file.model.loss), target_name(file), references_of(file))}});
  for (auto& doubt : regression_doubts(file.model)) {
    section.blocks.push_back({Paragraph{std::move(doubt)}});
  }
  const auto lines = learn::table_lines(learn::table_of(file.model));
  const auto corrected = learn::holm_of_slopes(lines);
  Table table{.caption = "Coefficients with 95 % intervals",
              .header = {"name", "estimate", "std. error", "from", "to", "p", "p (Holm)",
                         "noise widened, %"},
              .rows = {}};
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const auto& line = lines[k];
    if (!line.identified) {
      table.rows.push_back({line.name, "not identified at this budget", "", "", "", "", "", ""});
      continue;
    }
    table.rows.push_back({line.name, line.estimate, line.standard_error, line.low, line.high,
                          line.p, corrected[k] ? Cell(*corrected[k]) : Cell(std::string()),
                          100 * line.widened});
  }
  section.blocks.push_back({std::move(table)});
  Table tests{.caption = "Tests of several coefficients together",
              .header = {"all coefficients of", "how many", "F", "degrees of freedom", "p"},
              .rows = {}};
  for (const auto& test : terms_tested(file)) {
    if (!test.identified) {
      tests.rows.push_back({test.name, "not identified at this budget", "", "", ""});
      continue;
    }
    tests.rows.push_back(
        {test.name, test.combinations, test.statistic, test.degrees_of_freedom, test.p});
  }
  if (!tests.rows.empty()) section.blocks.push_back({std::move(tests)});
}

std::string curves_in_words(const model::ModelFile& file, const Effects& effects) {
  const auto& facts = *effects.curves;
  std::string text = fmt::format(
      "A model of {} with the {} loss: a line and {} curves of all columns together. With all "
      "numbers at their released means, and no category, it predicts {}. A panel shows how far the "
      "prediction moves from there along one column, the others held; a heat map, what two columns "
      "do together beyond what each does alone. Panels do not add up to predictions: they do not "
      "show {:.0f} % of the variance. Variances are those of records whose columns are "
      "independent, numbers normal by the released means and standard deviations.",
      target_name(file), loss_name(file.model.loss), file.schema.curves->directions,
      number_text(facts.at_means, 5), 100 * facts.rest);
  if (std::isinf(file.receipt.guarantee.epsilon)) return text + " There is no privacy noise.";
  if (!facts.noise) return text + " How far privacy's noise moves a prediction is not known.";
  return text + fmt::format(
                    " Privacy's noise in the training steps moves a prediction by a standard "
                    "deviation of at most {}. That is reached only where the data say nothing, so "
                    "that no band is drawn.",
                    privacy::rounded_up(*facts.noise, 3));
}

void add_model(const ReadResult& result, const std::string& prefix, Section& section) {
  const auto& file = *result.recorded.model;
  if (file.model.table) return add_regression(file, section);
  const auto effects = panels_of(result);
  if (!effects) {
    section.blocks.push_back({Paragraph{fmt::format(
        "A wide model of {} with the {} loss: vectors of ids and layers behind them, {} numbers. "
        "It does not add up what its columns say, so that no panel of one column would show it.",
        target_name(file), loss_name(file.model.loss), file.model.wide->numbers().size())}});
    return;
  }
  if (effects->curves) {
    section.blocks.push_back({Paragraph{curves_in_words(file, *effects)}});
    return add_panels(*effects, prefix, section);
  }
  section.blocks.push_back({Paragraph{what_it_is(file, *effects)}});
  section.blocks.push_back({Paragraph{how_to_read(file, *effects)}});
  if (file.schema.projection) {
    section.blocks.push_back({Paragraph{
        "The rows were projected. What is shown are the columns before the projection, of hashed "
        "values and words none; their noise is counted as independent."}});
  }
  add_panels(*effects, prefix, section);
  if (file.schema.projection) return;
  section.blocks.push_back({Heading{"One prediction by hand"}});
  section.blocks.push_back({Paragraph{by_hand(file, *effects)}});
  Folded folded{"What each value of each column adds", {}};
  const bool has_buckets = std::ranges::any_of(effects->columns, [](const EffectPanel& effect) {
    return effect.kind == EffectKind::buckets &&
           static_cast<std::size_t>(effect.features) > effect.points.size();
  });
  if (has_buckets) {
    folded.blocks.push_back({Paragraph{
        "Of columns with very many features only the largest stand here, so that not every "
        "prediction can be added up."}});
  }
  folded.blocks.push_back({hand_table(*effects)});
  section.blocks.push_back({std::move(folded)});
}

}  // namespace

Section model_section(const Material& material) {
  Section section{"model", "What the model says", {}};
  std::size_t models = 0;
  for (const auto& result : material.results.all) {
    models += result.kind == ResultKind::model ? 1 : 0;
  }
  std::size_t number = 0;
  for (const auto& result : material.results.all) {
    if (result.kind != ResultKind::model) continue;
    ++number;
    if (models > 1) section.blocks.push_back({Heading{in_quotes(result.name)}});
    add_model(result, fmt::format("model-{}", number), section);
  }
  return section;
}

}  // namespace tacet::report
