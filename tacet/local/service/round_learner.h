#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/local/learner_file.h"
#include "tacet/local/protocol/task.h"
#include "tacet/local/service/group_order.h"

namespace tacet::local {

/// The reports of one round: their mean, or of the means of groups, coordinate by coordinate, the
/// mean of those that are left when a share of the smallest and of the largest ones is left out: a
/// share of 1/2 leaves the median. Means of groups move little where devices lie in few of them;
/// where none do their trimmed mean has more noise, and is biased towards the middle of skew noise.
/// Sums are of integers, so that the plain mean is a function of the set of reports: any order of
/// them, and any way of sharing them among servers, gives the same bits.
/// Not for several threads at once.
class RoundMean {
 public:
  /// No estimate is longer than `longest`, up to rounding. Each coordinate is rounded to a multiple
  /// of less than 2^-60 of that.
  RoundMean(std::size_t dimension, std::int64_t groups, double trim, double longest);
  /// `group` is below the number of groups.
  void add(std::span<const double> estimate, std::int64_t group);
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// For estimates of g: -g, as learners need it. At least one report must have been added.
  [[nodiscard]] std::vector<double> mean() const;
  void clear();

 private:
  // 2^64 estimates of 2^62 units fit.
  __extension__ using Sum = __int128;

  std::size_t dimension_;
  double trim_;
  double unit_;  // of the sums; a power of two
  std::int64_t count_ = 0;
  std::vector<std::int64_t> sizes_;  // of the groups; one group: the plain mean
  std::vector<Sum> sums_;            // one row per group
};

/// The learner of a task, fed with reports one by one: what it does is a function of the task and
/// of the reports in their order, and with groups of the server's secret order, wherever and
/// whenever they are fed. No report stops it.
/// Not for several threads at once.
class RoundLearner {
 public:
  RoundLearner(const Task& task, GroupOrder order);
  /// Goes on at the beginning of a round. DataError where the bytes are no learner of the task.
  RoundLearner(const Task& task, GroupOrder order, std::string_view learner);

  enum class Step {
    open,   ///< the round wants more reports
    filled  ///< the learner has observed a round
  };
  /// The report is one that read_frame takes for this task.
  [[nodiscard]] Step add(const mechanism::Report& report);

  [[nodiscard]] std::int64_t round() const { return round_; }           ///< rounds observed
  [[nodiscard]] std::int64_t reports() const { return mean_.count(); }  ///< of the round under way
  [[nodiscard]] bool finished() const { return round_ == rounds_; }
  /// What the devices of this round compute at.
  [[nodiscard]] std::vector<double> point() const;
  [[nodiscard]] const std::vector<double>& model() const;
  /// Rounds that met a bound, and whether too many did.
  [[nodiscard]] BoundedRounds bounded() const;
  [[nodiscard]] bool diverged() const;
  [[nodiscard]] const Learner& learner() const { return learner_; }
  /// The learner's state; does not hold the reports of the round under way.
  [[nodiscard]] std::string bytes() const { return to_bytes(learner_); }

 private:
  const Task* task_;
  GroupOrder order_;
  Learner learner_;
  RoundMean mean_;
  std::vector<std::int64_t> groups_;  // of the places of the round under way; made with the first
  std::int64_t rounds_;
  std::int64_t round_ = 0;
  std::vector<double> estimate_;
  bool cut_ = false;  // an estimate of the round under way was longer than honest ones
};

}  // namespace tacet::local
