#include "tacet/local/service/round_learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::local {
namespace {

// The longest estimate has 2^60 to 2^61 units: room for rounding in 63 bits.
constexpr int unit_bits = 60;

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

RoundMean::RoundMean(std::size_t dimension, std::int64_t groups, double trim, double longest)
    : dimension_(dimension),
      trim_(trim),
      unit_(std::ldexp(1.0, std::ilogb(longest) - unit_bits)),
      sizes_(static_cast<std::size_t>(std::max<std::int64_t>(groups, 1))),
      sums_(dimension * sizes_.size()) {}

void RoundMean::add(std::span<const double> estimate, std::int64_t group) {
  const auto row = static_cast<std::size_t>(group);
  Sum* sum = sums_.data() + row * dimension_;
  const double units = 1 / unit_;
  for (std::size_t j = 0; j < dimension_; ++j) sum[j] += std::llrint(estimate[j] * units);
  ++sizes_[row];
  ++count_;
}

std::vector<double> RoundMean::mean() const {
  std::vector<double> mean(dimension_);
  std::vector<double> column;
  for (std::size_t j = 0; j < dimension_; ++j) {
    column.clear();
    for (std::size_t group = 0; group < sizes_.size(); ++group) {
      if (sizes_[group] == 0) continue;
      const double sum = static_cast<double>(sums_[group * dimension_ + j]) * unit_;
      column.push_back(sum * (-1 / static_cast<double>(sizes_[group])));
    }
    std::ranges::sort(column);
    const auto max = (column.size() - 1) / 2;
    const auto out =
        std::min(max, static_cast<std::size_t>(trim_ * static_cast<double>(column.size())));
    double sum = column[out];
    for (std::size_t i = out + 1; i < column.size() - out; ++i) sum += column[i];
    mean[j] = sum / static_cast<double>(column.size() - 2 * out);
  }
  return mean;
}

void RoundMean::clear() {
  std::ranges::fill(sums_, 0);
  std::ranges::fill(sizes_, 0);
  count_ = 0;
}

RoundLearner::RoundLearner(const Task& task, GroupOrder order)
    : task_(&task),
      order_(std::move(order)),
      learner_(first_learner(task)),
      mean_(dimension_of(task), task.terms.robust_groups, task.terms.trim,
            task.randomizer().noise().max_norm),
      rounds_(task.plan.rounds),
      estimate_(dimension_of(task)) {}

RoundLearner::RoundLearner(const Task& task, GroupOrder order, std::string_view learner)
    : RoundLearner(task, std::move(order)) {
  learner_ = read_learner(task, learner);
  round_ = observed_of(learner_);
}

RoundLearner::Step RoundLearner::add(const mechanism::Report& report) {
  const bool cut = mechanism::decode(report, task_->randomizer(), estimate_);
  const auto place = mean_.count();
  cut_ = cut || (place > 0 && cut_);
  if (place == 0) {
    groups_ = order_.of_round(round_, task_->plan.batch,
                              std::max<std::int64_t>(task_->terms.robust_groups, 1));
  }
  mean_.add(estimate_, groups_[static_cast<std::size_t>(place)]);
  if (mean_.count() < task_->plan.batch) return Step::open;
  const auto mean = mean_.mean();
  mean_.clear();
  std::visit([&](auto& kept) { kept.observe({.mean = mean, .cut = cut_}); }, learner_);
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

BoundedRounds RoundLearner::bounded() const {
  return std::visit([](const auto& kept) { return kept.state().bounded; }, learner_);
}

bool RoundLearner::diverged() const {
  return std::visit([](const auto& kept) { return kept.diverged(); }, learner_);
}

}  // namespace tacet::local
