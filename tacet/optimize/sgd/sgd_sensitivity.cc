#include "tacet/optimize/sgd/sgd_sensitivity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/optimize/sgd/sgd_schedule.h"

namespace tacet::optimize {
namespace internal {

Visits::Visits(const SgdSchedule& schedule)
    : starts_(static_cast<std::size_t>(schedule.records) + 1, 0), steps_(schedule.order.size()) {
  for (const auto record : schedule.order) ++starts_[record + 1];
  max_ = static_cast<std::int64_t>(*std::max_element(starts_.begin(), starts_.end()));
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  const auto batch = static_cast<std::size_t>(schedule.batch);
  for (std::size_t place = 0; place < schedule.order.size(); ++place) {
    steps_[next[schedule.order[place]]++] = static_cast<std::uint32_t>(place / batch + 1);
  }
}

RootSum root_sum_bounds(double a, double c, std::int64_t m) {
  if (m <= 0) return {0, 0};
  // The integral of sqrt(a + x c) from p to q is (2/3)(q - p)(r^2 + r s + s^2)/(r + s) with
  // r, s the roots at both ends.
  const auto integral = [&](double from, double to) {
    const double r = std::sqrt(a + from * c);
    const double s = std::sqrt(a + to * c);
    const double sum = r + s;
    return sum > 0 ? 2.0 / 3 * (to - from) * (r * r + r * s + s * s) / sum : 0;
  };
  const auto count = static_cast<double>(m);
  const double ends = std::sqrt(a + c) + std::sqrt(a + count * c);
  const double upper = ends / 2 + integral(1, count);
  return {integral(0.5, count + 0.5) * (1 - 1e-12), upper * (1 + 1e-12)};
}

}  // namespace internal

namespace {

using internal::root_sum_bounds;
using internal::Visits;

using numeric::infinity;
constexpr int max_evaluations = 64;

bool without_growth(const StepLaw& law) {
  return std::ranges::all_of(law.growth, [](double kappa) { return kappa == 0; });
}

// Constant single steps, no penalty, uniform weights: sums of roots have bounds in closed form.
bool has_closed_gaps(const SgdSchedule& schedule, const IterateWeights& weights,
                     const StepLaw& law) {
  return schedule.batch == 1 && schedule.step_sizes.size() == 1 && schedule.mean_l2 == 0 &&
         law.growth.size() == 1 && law.distance.size() == 1 && weights.kind == Averaging::uniform;
}

// One step of the recursion: `visits` of the batch's records are the differing one.
double step_once(const SgdSchedule& schedule, const StepLaw& law, std::int64_t t,
                 std::int64_t visits, double s) {
  const double kappa = law.growth_at(t);
  const double grown = s > 0 ? std::sqrt(s * s + kappa * kappa) : 0;
  if (visits > 0) {
    const double hit = s + schedule.step_size(t) * law.distance_at(t);
    const double share = static_cast<double>(visits) / static_cast<double>(schedule.batch);
    s = schedule.batch == 1 ? hit : share * hit + (1 - share) * grown;
  } else {
    s = grown;
  }
  return std::min(s * schedule.shrink(t), law.diameter);
}

// Sum of sqrt(a + k c), k = 1..m, in four interleaved parts.
double root_sum(double a, double c, std::int64_t m) {
  double parts[4] = {0, 0, 0, 0};
  std::int64_t k = 1;
  for (; k + 3 <= m; k += 4) {
    for (std::int64_t i = 0; i < 4; ++i) parts[i] += std::sqrt(a + static_cast<double>(k + i) * c);
  }
  double sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);
  for (; k <= m; ++k) sum += std::sqrt(a + static_cast<double>(k) * c);
  return sum;
}

// Sum of the distances at w_1..w_T along the visits of one record; `gap` sums sqrt(a + k c).
template <typename Gap>
double closed_sum(std::span<const std::uint32_t> visits, std::int64_t steps, double jump,
                  double growth, const Gap& gap) {
  double square = 0;
  double total = 0;
  for (std::size_t k = 0; k < visits.size(); ++k) {
    const double s = std::sqrt(square) + jump;  // at w_{t+1}
    const std::int64_t t = visits[k];
    const std::int64_t next = k + 1 < visits.size() ? visits[k + 1] : steps;
    if (t + 1 <= steps) total += s;
    const std::int64_t more = std::max<std::int64_t>(0, next - (t + 1));
    total += gap(s * s, growth, more);
    square = s * s + static_cast<double>(more) * growth;
  }
  return total;
}

struct Best {
  double value = -1;
  std::int64_t record = 0;
  bool exact = true;
};

// Evaluates records from the largest bound down until no other can be larger.
template <typename Evaluate>
Best search(std::span<const double> upper, double floor, const Evaluate& evaluate) {
  std::vector<std::int64_t> candidates;
  for (std::size_t j = 0; j < upper.size(); ++j) {
    // A bound that is not a number discards nothing.
    if (!(upper[j] < floor)) candidates.push_back(static_cast<std::int64_t>(j));
  }
  const auto bound_of = [&](std::int64_t j) {
    const double bound = upper[static_cast<std::size_t>(j)];
    return std::isnan(bound) ? infinity : bound;
  };
  std::ranges::sort(candidates, [&](std::int64_t a, std::int64_t b) {
    return bound_of(a) != bound_of(b) ? bound_of(a) > bound_of(b) : a < b;
  });
  Best best;
  int evaluations = 0;
  for (const auto j : candidates) {
    if (bound_of(j) <= best.value) break;
    if (evaluations++ == max_evaluations) {
      best.exact = false;
      best.value = bound_of(j);
      break;
    }
    const double value = evaluate(j);
    if (value > best.value) {
      best.value = value;
      best.record = j;
    }
  }
  return best;
}

// Theorem B is linear where nothing grows: every visit adds its jump times the weight that later
// iterates give to it.
Best linear_route(const SgdSchedule& schedule, const IterateWeights& weights, const StepLaw& law) {
  const std::int64_t steps = schedule.steps();
  std::vector<double> reach(static_cast<std::size_t>(schedule.records), 0);
  double later = 0;  // W_t = a_{t+1} + shrink_{t+1} W_{t+1}
  const auto batch = static_cast<double>(schedule.batch);
  for (std::int64_t t = steps; t >= 1; --t) {
    later = weights.at(t + 1) + (t < steps ? schedule.shrink(t + 1) * later : 0);
    const double share =
        schedule.step_size(t) * law.distance_at(t) * schedule.shrink(t) * later / batch;
    const auto first = static_cast<std::size_t>((t - 1) * schedule.batch);
    for (std::size_t i = 0; i < static_cast<std::size_t>(schedule.batch); ++i) {
      reach[schedule.order[first + i]] += share;
    }
  }
  const auto largest = std::max_element(reach.begin(), reach.end());
  return {*largest, largest - reach.begin(), true};
}

// Upper bounds for all records, and one that the worst of them is not below: without the summands
// at the visits themselves, which both sums share.
struct ClosedBounds {
  std::vector<double> upper;
  double floor = 0;
};

ClosedBounds closed_bounds(const SgdSchedule& schedule, const StepLaw& law, const Visits& visits) {
  const std::int64_t steps = schedule.steps();
  const double jump = schedule.step_sizes[0] * law.distance[0];
  const double growth = law.growth[0] * law.growth[0];
  ClosedBounds bounds;
  for (std::int64_t j = 0; j < schedule.records; ++j) {
    double lower = 0;
    const double upper =
        closed_sum(visits.of(j), steps, jump, growth, [&](double a, double c, std::int64_t m) {
          const auto sum = root_sum_bounds(a, c, m);
          lower += sum.lower;
          return sum.upper;
        });
    bounds.upper.push_back(upper / static_cast<double>(steps));
    bounds.floor = std::max(bounds.floor, lower / static_cast<double>(steps));
  }
  return bounds;
}

Best closed_route(const SgdSchedule& schedule, const StepLaw& law, const Visits& visits) {
  const std::int64_t steps = schedule.steps();
  const double jump = schedule.step_sizes[0] * law.distance[0];
  const double growth = law.growth[0] * law.growth[0];
  const auto [upper, floor] = closed_bounds(schedule, law, visits);
  return search(upper, floor, [&](std::int64_t j) {
    return closed_sum(visits.of(j), steps, jump, growth, root_sum) / static_cast<double>(steps);
  });
}

// What a block of steps without a visit does to the square u of the distance, as bounds with
// positive coefficients: u becomes at most factor u + added, the weighted squares of the distances
// before each step sum to at most slope u + offset, the weights to `weight`.
struct Block {
  double factor = 1;
  double added = 0;
  double slope = 0;
  double offset = 0;
  double weight = 0;

  [[nodiscard]] Block then(const Block& next) const {
    return {factor * next.factor, added * next.factor + next.added, slope + next.slope * factor,
            offset + next.offset + next.slope * added, weight + next.weight};
  }
};

// Blocks of 64, 128, 256, ... steps, so that any gap is a few explicit steps and few blocks. All
// coefficients are positive: nothing cancels, however much the penalty shrinks.
class BlockTree {
 public:
  static constexpr std::int64_t leaf = 64;

  BlockTree(const SgdSchedule& schedule, const IterateWeights& weights, const StepLaw& law) {
    const std::int64_t leaves = schedule.steps() / leaf;
    levels_.emplace_back();
    for (std::int64_t i = 0; i < leaves; ++i) {
      Block block;
      for (std::int64_t t = i * leaf + 1; t <= (i + 1) * leaf; ++t) {
        const double shrink = schedule.shrink(t) * schedule.shrink(t);
        const double kappa = law.growth_at(t);
        block = block.then({shrink, shrink * kappa * kappa, weights.at(t), 0, weights.at(t)});
      }
      levels_.back().push_back(block);
    }
    while (levels_.back().size() > 1) {
      std::vector<Block> next;
      const auto& last = levels_.back();
      for (std::size_t i = 0; i + 1 < last.size(); i += 2)
        next.push_back(last[i].then(last[i + 1]));
      levels_.push_back(std::move(next));
    }
  }

  // The largest block that starts at step t and ends before step `end`; its length, or 0.
  [[nodiscard]] std::int64_t longest(std::int64_t t, std::int64_t end, const Block*& block) const {
    if ((t - 1) % leaf != 0) return 0;
    auto index = static_cast<std::size_t>((t - 1) / leaf);
    std::int64_t length = 0;
    for (std::size_t level = 0; level < levels_.size(); ++level, index /= 2) {
      const std::int64_t size = leaf << level;
      if (t + size > end || index >= levels_[level].size()) break;
      block = &levels_[level][index];
      length = size;
      if (index % 2 != 0) break;
    }
    return length;
  }

 private:
  std::vector<std::vector<Block>> levels_;
};

// Upper bound for one record: explicit steps near its visits, blocks by Cauchy and Schwarz between.
double general_bound(const SgdSchedule& schedule, const IterateWeights& weights, const StepLaw& law,
                     std::span<const std::uint32_t> visits, const BlockTree& tree) {
  if (visits.empty()) return 0;
  const std::int64_t steps = schedule.steps();
  double s = 0;
  double sum = 0;
  std::size_t k = 0;
  for (std::int64_t t = visits[0]; t <= steps;) {
    const std::int64_t next = k < visits.size() ? visits[k] : steps + 1;
    const Block* block = nullptr;
    if (const auto length = tree.longest(t, next, block); length > 0) {
      sum += std::sqrt(block->weight * (block->slope * s * s + block->offset));
      s = std::min(std::sqrt(block->factor * s * s + block->added), law.diameter);
      t += length;
      continue;
    }
    std::int64_t multiplicity = 0;
    for (; k < visits.size() && visits[k] == t; ++k) ++multiplicity;
    sum += weights.at(t) * s;
    s = step_once(schedule, law, t, multiplicity, s);
    ++t;
  }
  return (sum + weights.at(steps + 1) * s) * (1 + 1e-12);
}

double evaluate_record(const SgdSchedule& schedule, const IterateWeights& weights,
                       const StepLaw& law, std::span<const std::uint32_t> visits) {
  if (visits.empty()) return 0;
  const std::int64_t steps = schedule.steps();
  double s = 0;
  double sum = 0;
  std::size_t k = 0;
  for (std::int64_t t = visits[0]; t <= steps; ++t) {
    std::int64_t multiplicity = 0;
    for (; k < visits.size() && visits[k] == t; ++k) ++multiplicity;
    sum += weights.at(t) * s;
    s = step_once(schedule, law, t, multiplicity, s);
  }
  return sum + weights.at(steps + 1) * s;
}

void check(const SgdSchedule& schedule, const IterateWeights& weights, const StepLaw& law) {
  schedule.validate();
  if (weights.steps != schedule.steps()) {
    throw base::InternalError("weights and schedule differ in their steps");
  }
  const auto fits = [&](const std::vector<double>& values) {
    return (values.size() == 1 || static_cast<std::int64_t>(values.size()) == schedule.steps()) &&
           std::ranges::all_of(values, [](double v) { return v >= 0 && std::isfinite(v); });
  };
  if (!fits(law.growth) || !fits(law.distance) || !(law.diameter > 0)) {
    throw base::InternalError("a step law holds finite numbers of at least 0, one or one a step");
  }
}

std::vector<double> general_bounds(const SgdSchedule& schedule, const IterateWeights& weights,
                                   const StepLaw& law, const Visits& visits) {
  const BlockTree tree(schedule, weights, law);
  std::vector<double> upper(static_cast<std::size_t>(schedule.records));
  for (std::int64_t j = 0; j < schedule.records; ++j) {
    upper[static_cast<std::size_t>(j)] = general_bound(schedule, weights, law, visits.of(j), tree);
  }
  return upper;
}

Best best_of(const SgdSchedule& schedule, const IterateWeights& weights, const StepLaw& law,
             const Visits& visits) {
  if (has_closed_gaps(schedule, weights, law)) return closed_route(schedule, law, visits);
  const auto upper = general_bounds(schedule, weights, law, visits);
  return search(upper, 0, [&](std::int64_t j) {
    return evaluate_record(schedule, weights, law, visits.of(j));
  });
}

std::int64_t max_visits_of(const SgdSchedule& schedule) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(schedule.records), 0);
  for (const auto record : schedule.order) ++counts[record];
  return *std::ranges::max_element(counts);
}

}  // namespace

SgdSensitivity sgd_sensitivity(const SgdSchedule& schedule, const IterateWeights& weights,
                               const StepLaw& law) {
  check(schedule, weights, law);
  SgdSensitivity result;
  Best best;
  if (without_growth(law)) {
    best = linear_route(schedule, weights, law);
    result.max_visits = max_visits_of(schedule);
  } else {
    const Visits visits(schedule);
    best = best_of(schedule, weights, law, visits);
    result.max_visits = visits.max();
  }
  result.value = std::min(best.value, law.diameter);
  result.record = best.record;
  result.exact = best.exact;
  // Sums of positive terms: relative errors of a few units in the last place a term.
  const double terms = static_cast<double>(schedule.steps() + schedule.batch);
  result.bound = std::min(result.value * (1 + 1e-9) * (1 + 8 * terms * numeric::unit_roundoff),
                          law.diameter * numeric::up_ulps(4));
  return result;
}

double record_sensitivity(const SgdSchedule& schedule, const IterateWeights& weights,
                          const StepLaw& law, std::int64_t record) {
  check(schedule, weights, law);
  return evaluate_record(schedule, weights, law, Visits(schedule).of(record));
}

std::vector<double> internal::sensitivity_bounds(const SgdSchedule& schedule,
                                                 const IterateWeights& weights, const StepLaw& law,
                                                 bool general) {
  check(schedule, weights, law);
  const Visits visits(schedule);
  if (general || !has_closed_gaps(schedule, weights, law)) {
    return general_bounds(schedule, weights, law, visits);
  }
  return closed_bounds(schedule, law, visits).upper;
}

}  // namespace tacet::optimize
