#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/local/learner_file.h"
#include "tacet/local/protocol/task.h"

namespace tacet::local {

/// The reports of one round, in the order in which they came: their mean, or the median of the
/// means of groups, coordinate by coordinate, where report i is in group i mod `groups`. The median
/// moves little where few devices lie; where none do it is biased towards the middle of skew noise.
/// Not for several threads at once.
class RoundMean {
 public:
  RoundMean(std::size_t dimension, std::int64_t groups);
  void add(std::span<const double> estimate);
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Of estimates of g: -g, as learners want it. At least one report has been added.
  [[nodiscard]] std::vector<double> mean() const;
  void clear();

 private:
  std::size_t dimension_;
  std::int64_t groups_;  // 1: the plain mean
  std::int64_t count_ = 0;
  std::vector<double> sums_;  // a row a group
};

/// The learner of a task, fed with reports one by one: what it does is a function of the task and
/// of the reports in their order, wherever and whenever they are fed.
/// Not for several threads at once.
class RoundLearner {
 public:
  explicit RoundLearner(const Task& task);
  /// Goes on at the beginning of a round. DataError where the bytes are no learner of the task.
  RoundLearner(const Task& task, std::string_view learner);

  enum class Step {
    open,     ///< the round wants more reports
    filled,   ///< the learner has observed a round
    diverged  ///< it would leave all bounds; it stays as it is, for ever
  };
  /// The report is one that read_frame takes for this task.
  [[nodiscard]] Step add(const mechanism::Report& report);

  [[nodiscard]] std::int64_t round() const { return round_; }           ///< rounds observed
  [[nodiscard]] std::int64_t reports() const { return mean_.count(); }  ///< of the round under way
  [[nodiscard]] bool finished() const { return round_ == rounds_; }
  /// What the devices of this round compute at.
  [[nodiscard]] std::vector<double> point() const;
  [[nodiscard]] const std::vector<double>& model() const;
  /// The learner's state; does not hold the reports of the round under way.
  [[nodiscard]] std::string bytes() const { return to_bytes(learner_); }

 private:
  [[nodiscard]] bool may_be_shown(const Learner& learner) const;

  const Task* task_;
  Learner learner_;
  RoundMean mean_;
  std::int64_t rounds_;
  std::int64_t round_ = 0;
  std::vector<double> estimate_;
};

}  // namespace tacet::local
