#include "tacet/choose/score.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/evaluation.h"
#include "tacet/optimize/sums/score_sum.h"

namespace tacet::choose {
namespace {

double usual_cap(const model::LinearModel& model) {
  // Whatever the guarantee, the cap is the same.
  const learn::EvaluationOptions any{.epsilon = privacy::Epsilon(1),
                                     .delta = privacy::Delta(1e-6),
                                     .adjacency = privacy::Adjacency::add_remove};
  return learn::plan_evaluation(model, any).loss_cap.value_or(1);
}

}  // namespace

ScoreRule score_rule(const model::LinearModel& model, std::optional<Score> wanted) {
  const bool number = model.classes.empty();
  const auto score = wanted.value_or(number ? Score::loss : Score::accuracy);
  if (score == Score::accuracy && number) {
    throw base::UsageError(
        "score accuracy is for classes, but the target is a number; use `score=loss`");
  }
  if (score == Score::loss && model.classes.size() > 2) {
    throw base::UsageError(
        "score loss is for two classes and numbers: several classes have no single loss; use "
        "`score=accuracy`");
  }
  return {score, score == Score::loss ? usual_cap(model) : 1};
}

ScoreRule common_rule(const model::LinearModel& model) {
  if (model.classes.empty() || model.classes.size() > 2) return score_rule(model, std::nullopt);
  constexpr double clip = 4;
  return {Score::loss, model::loss_value(model.loss, -clip, 1), clip};
}

Scorer::Scorer(const model::LinearModel& model, const data::Dataset& records, ScoreRule rule)
    : model_(model),
      records_(records),
      rule_(rule),
      margins_(static_cast<std::size_t>(model.output_count())) {}

double Scorer::of(std::int64_t row) {
  if (!records_.labelled(row)) return 0;  // as every record is, within [0, 1]
  model::margins(model_, records_, row, margins_);
  if (!std::ranges::all_of(margins_, [](double margin) { return std::isfinite(margin); })) return 0;
  const double label = records_.label(row);
  if (rule_.score == Score::accuracy) {
    const auto actual = model_.task == model::PredictionTask::binary
                            ? (label > 0 ? 1 : 0)
                            : static_cast<std::int64_t>(label);
    return model::predicted_class(model_, margins_) == actual ? 1 : 0;
  }
  const double clip = rule_.margin_clip;
  const bool number = model_.classes.empty();
  const double margin = number && rule_.as_shipped ? model::clipped_margin(model_, margins_[0])
                                                   : std::clamp(margins_[0], -clip, clip);
  const double loss = model::loss_value(model_.loss, margin, label);
  return std::isfinite(loss) ? 1 - std::clamp(loss / rule_.cap, 0.0, 1.0) : 0;
}

// Units are numbered by first appearance.
bool Scorer::counts(std::int64_t row) {
  if (!records_.has_units()) return true;
  if (records_.unit_of(row) != units_seen_) return false;
  ++units_seen_;
  return true;
}

privacy::BoundedSum score_sum(const model::LinearModel& model, const data::Dataset& records,
                              ScoreRule rule, privacy::Adjacency adjacency, int norm_bits) {
  optimize::ScoreSum sum(1, norm_bits,
                         adjacency == privacy::Adjacency::replace_one
                             ? optimize::ScoreOrigin::half
                             : optimize::ScoreOrigin::zero);
  Scorer(model, records, rule).each([&](double score) { sum.add(std::array{score}); });
  return std::move(sum).take();
}

std::int64_t scored_count(const data::Dataset& records) {
  return records.has_units() ? records.unit_count() : records.rows();
}

std::int64_t unit_sum(const model::LinearModel& model, const data::Dataset& records,
                      ScoreRule rule) {
  std::int64_t sum = 0;
  Scorer(model, records, rule).each([&](double score) {
    sum += static_cast<std::int64_t>(std::floor(score * static_cast<double>(score_units) + 0.5));
  });
  return sum;
}

bool is_finite(const model::LinearModel& model) {
  return std::ranges::all_of(model.coefficients, [](double value) { return std::isfinite(value); });
}

}  // namespace tacet::choose
