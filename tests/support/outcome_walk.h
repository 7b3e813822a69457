#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tacet/random/choose/exponential_choice.h"
#include "tacet/random/noise/discrete.h"

namespace tacet::test {

inline double value(random::WideRatio x) {
  return static_cast<double>(x.numerator) / static_cast<double>(x.denominator);
}

/// Decisions that walk through every outcome: each run follows a path of choices, and carries its
/// probability. Discrete Laplace noise is cut off at `reach` scales.
class Walk {
 public:
  explicit Walk(double reach = 31) : reach_(reach) {}

  std::uint64_t below(std::uint64_t n) {
    return choose(n, [n](std::uint64_t) { return 1 / static_cast<double>(n); });
  }
  bool exp_decision(random::WideRatio x) {
    const double p = std::exp(-value(x));
    if (p == 1) return true;
    return choose(2, [p](std::uint64_t i) { return i == 1 ? p : 1 - p; }) == 1;
  }
  std::int64_t laplace(random::Ratio scale) {
    const double t = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
    const auto reach = static_cast<std::uint64_t>(std::ceil(reach_ * t));
    const double factor = std::tanh(0.5 / t);  // (1 - e^(-1/t)) / (1 + e^(-1/t))
    const auto place = choose(2 * reach + 1, [&](std::uint64_t i) {
      const double k = static_cast<double>(i) - static_cast<double>(reach);
      return factor * std::exp(-std::fabs(k) / t);
    });
    return static_cast<std::int64_t>(place) - static_cast<std::int64_t>(reach);
  }
  std::int64_t geometric(random::Ratio scale) {
    const double t = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
    const auto reach = static_cast<std::uint64_t>(std::ceil(reach_ * t));
    const auto above = choose(reach + 1, [&](std::uint64_t i) {
      return -std::expm1(-1 / t) * std::exp(-static_cast<double>(i) / t);
    });
    return static_cast<std::int64_t>(above);
  }
  std::int64_t misses(random::Ratio scale, std::int64_t threshold, std::int64_t most) {
    const double t = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
    const auto cut = static_cast<std::int64_t>(std::ceil(reach_ * t));
    double hit = 0;
    double miss = 0;
    for (std::int64_t k = -cut; k <= cut; ++k) {
      (k >= threshold ? hit : miss) +=
          std::tanh(0.5 / t) * std::exp(-std::fabs(static_cast<double>(k)) / t);
    }
    const auto last = static_cast<std::uint64_t>(most);
    const auto place = choose(last + 1, [&](std::uint64_t i) {
      return std::pow(miss, static_cast<double>(i)) * (i == last ? 1 : hit);
    });
    return static_cast<std::int64_t>(place);
  }

  /// Runs `once` for every path; adds up the probability of each result.
  template <typename Result>
  std::map<Result, double> law(const std::function<Result(Walk&)>& once) {
    std::map<Result, double> result;
    path_.clear();
    do {
      place_ = 0;
      probability_ = 1;
      const Result outcome = once(*this);
      result[outcome] += probability_;
    } while (advance());
    return result;
  }

 private:
  struct Step {
    std::uint64_t choice;
    std::uint64_t choices;
  };

  template <typename Probability>
  std::uint64_t choose(std::uint64_t n, const Probability& probability) {
    if (place_ == path_.size()) path_.push_back({0, n});
    const std::uint64_t choice = path_[place_++].choice;
    probability_ *= probability(choice);
    return choice;
  }

  bool advance() {
    while (!path_.empty() && path_.back().choice + 1 == path_.back().choices) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().choice;
    return true;
  }

  double reach_;
  std::vector<Step> path_;
  std::size_t place_ = 0;
  double probability_ = 1;
};

}  // namespace tacet::test
