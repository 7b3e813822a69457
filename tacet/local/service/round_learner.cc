#include "tacet/local/service/round_learner.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/local/vectors.h"

namespace tacet::local {
namespace {

std::size_t dimension_of(const Task& task) { return static_cast<std::size_t>(task.plan.columns); }

Learner first_learner(const Task& task) {
  if (const auto* banco = std::get_if<BancoSettings>(&task.plan.learner)) return Banco(*banco);
  return LocalSgd(std::get<LocalSgdSettings>(task.plan.learner));
}

Learner read_learner(const Task& task, std::string_view bytes) {
  auto learner = learner_from_bytes(bytes, "the learner's state");
  const auto expected = first_learner(task);
  const auto settings_of = [](const Learner& any) {
    // Its settings alone: a learner that has seen nothing.
    if (const auto* banco = std::get_if<Banco>(&any)) return to_bytes(Banco(banco->settings()));
    return to_bytes(LocalSgd(std::get<LocalSgd>(any).settings()));
  };
  if (settings_of(learner) != settings_of(expected)) {
    throw base::DataError("the learner's state is of another task");
  }
  return learner;
}

std::int64_t observed_of(const Learner& learner) {
  return std::visit([](const auto& kept) { return kept.state().observed; }, learner);
}

}  // namespace

RoundMean::RoundMean(std::size_t dimension, std::int64_t groups)
    : dimension_(dimension),
      groups_(std::max<std::int64_t>(groups, 1)),
      sums_(dimension * static_cast<std::size_t>(groups_)) {}

void RoundMean::add(std::span<const double> estimate) {
  double* sum = sums_.data() + static_cast<std::size_t>(count_ % groups_) * dimension_;
  for (std::size_t j = 0; j < dimension_; ++j) sum[j] += estimate[j];
  ++count_;
}

std::vector<double> RoundMean::mean() const {
  const auto groups = static_cast<std::size_t>(std::min(groups_, count_));
  std::vector<double> mean(dimension_);
  std::vector<double> column(groups);
  for (std::size_t j = 0; j < dimension_; ++j) {
    for (std::size_t group = 0; group < groups; ++group) {
      // Report i is in group i mod groups: the first ones have one more.
      const auto number = static_cast<std::int64_t>(group);
      const double share = -1 / static_cast<double>((count_ - number + groups_ - 1) / groups_);
      column[group] = sums_[group * dimension_ + j] * share;
    }
    std::ranges::sort(column);
    const double low = column[(groups - 1) / 2];
    mean[j] = groups % 2 == 1 ? low : (low + column[groups / 2]) / 2;
  }
  return mean;
}

void RoundMean::clear() {
  std::ranges::fill(sums_, 0.0);
  count_ = 0;
}

RoundLearner::RoundLearner(const Task& task)
    : task_(&task),
      learner_(first_learner(task)),
      mean_(dimension_of(task), task.terms.robust_groups),
      rounds_(task.plan.rounds),
      estimate_(dimension_of(task)) {}

RoundLearner::RoundLearner(const Task& task, std::string_view learner) : RoundLearner(task) {
  learner_ = read_learner(task, learner);
  round_ = observed_of(learner_);
}

RoundLearner::Step RoundLearner::add(const mechanism::Report& report) {
  mechanism::decode(report, task_->randomizer(), estimate_);
  mean_.add(estimate_);
  if (mean_.count() < task_->plan.batch) return Step::open;
  const auto mean = mean_.mean();
  mean_.clear();
  auto next = learner_;
  const auto observed = std::visit([&](auto& kept) { return kept.observe({mean}); }, next);
  if (observed == Observed::diverged || !may_be_shown(next)) return Step::diverged;
  learner_ = std::move(next);
  ++round_;
  return Step::filled;
}

std::vector<double> RoundLearner::point() const {
  std::vector<double> point(estimate_.size());
  std::visit([&](const auto& kept) { kept.point(point); }, learner_);
  return point;
}

const std::vector<double>& RoundLearner::model() const {
  return std::visit(
      [](const auto& kept) -> const auto& { return kept.model(); }, learner_);
}

bool RoundLearner::may_be_shown(const Learner& learner) const {
  std::vector<double> point(estimate_.size());
  std::visit([&](const auto& kept) { kept.point(point); }, learner);
  // Devices refuse what is longer. NaN is not below.
  return std::sqrt(dot(point, point)) <= task_->terms.largest_norm;
}

}  // namespace tacet::local
