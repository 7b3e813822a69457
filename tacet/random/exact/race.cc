#include "tacet/random/exact/race.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/random/exact/real_interval.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::random {
namespace {

using internal::Approximate;
using internal::RealInterval;
using internal::TwoStageUniform;

void check_race(std::int64_t population, std::span<const ScoredCandidate> listed, double weight,
                std::int64_t count) {
  if (population < 0 || count < 0 || count > population) {
    throw base::UsageError(
        "a selection of {} from {} candidates is impossible; the count must lie in [0, {}]", count,
        population, std::max<std::int64_t>(population, 0));
  }
  // Logarithms of finishing times are compared to 2^-600 of weight * score, which is below 2^128.
  // Scores are secret, so whether a race can be decided must not depend on them.
  if (!(weight >= 0 && weight <= 0x1p64)) {
    throw base::UsageError("the weight of a score must lie in [0, 2^64], got {}", weight);
  }
  internal::check_candidates(population, listed);
}

/// Bounds of the logarithm of a finishing time. Places below listed.size() are listed candidates;
/// later places are the first, second, ... finisher among the others.
template <class Number>
struct Finish {
  Number low;
  Number high;
  std::size_t place;
};

/// The first `count` places in order; empty if bounds overlap where the order matters.
template <class Number>
std::vector<std::size_t> order_if_certain(std::vector<Finish<Number>>& runners, std::size_t count) {
  const auto earlier = [](const Finish<Number>& a, const Finish<Number>& b) {
    return a.low < b.low || (a.low == b.low && a.place < b.place);
  };
  std::partial_sort(runners.begin(), runners.begin() + static_cast<std::ptrdiff_t>(count),
                    runners.end(), earlier);
  std::vector<std::size_t> order;
  // The bounds are sorted by their lower ends, so all later ones begin after the lower end of the
  // next one.
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 1 < runners.size()) {
      const auto next = i + 1 < count
                            ? runners.begin() + static_cast<std::ptrdiff_t>(i + 1)
                            : std::min_element(runners.begin() + static_cast<std::ptrdiff_t>(count),
                                               runners.end(), earlier);
      if (!(runners[i].high < next->low)) return {};
    }
    order.push_back(runners[i].place);
  }
  return order;
}

/// The race of `listed` against the first `others` of `rest` unlisted candidates.
class Race {
 public:
  Race(Stream& stream, const internal::Runners& runners)
      : listed_(runners.listed), weight_(runners.weight), rest_(runners.rest) {
    const auto count = listed_.size() + runners.others;
    for (std::size_t i = 0; i < count; ++i) uniforms_.emplace_back(stream);
  }

  std::vector<std::size_t> first(Stream& stream, std::size_t count,
                                 internal::Arithmetic arithmetic) {
    std::vector<std::size_t> order;
    if (arithmetic == internal::Arithmetic::doubles_first) {
      auto rough = rough_finishes();
      order = order_if_certain(rough, count);
      if (order.size() == count) return order;
    }
    for (TwoStageUniform& uniform : uniforms_) uniform.complete(stream);
    auto fine = fine_finishes();
    order = order_if_certain(fine, count);
    if (order.size() != count) {
      throw base::InternalError("512 random bits did not decide a race; the generator is broken");
    }
    return order;
  }

 private:
  [[nodiscard]] std::vector<Finish<double>> rough_finishes() const {
    std::vector<Finish<double>> runners;
    runners.reserve(uniforms_.size());
    Approximate time;
    for (std::size_t i = 0; i < uniforms_.size(); ++i) {
      const Approximate e = internal::exponential_of_word(uniforms_[i].word());
      double handicap = 0;
      if (i < listed_.size()) {
        time = e;
        handicap = weight_ * static_cast<double>(listed_[i].score);
      } else {
        const auto left =
            static_cast<double>(rest_ - static_cast<std::int64_t>(i - listed_.size()));
        const double sum = (i == listed_.size() ? 0 : time.value) + e.value / left;
        const double error = (i == listed_.size() ? 0 : time.error) + e.error / left;
        time = {sum, error + sum * numeric::ulps(4)};
      }
      const double key = internal::certain_log(time.value) - handicap;
      // ln moves by at most error / (value - error). The last terms cover three roundings.
      const double relative = time.error < time.value / 2 ? 2 * time.error / time.value : HUGE_VAL;
      const double reach =
          relative + numeric::ulps(128) * (1 + std::fabs(key) + std::fabs(handicap));
      runners.push_back({key - reach, key + reach, i});
    }
    return runners;
  }

  [[nodiscard]] std::vector<Finish<internal::Real>> fine_finishes() const {
    std::vector<Finish<internal::Real>> runners;
    runners.reserve(uniforms_.size());
    RealInterval time;
    for (std::size_t i = 0; i < uniforms_.size(); ++i) {
      const RealInterval e = internal::exponential_of(uniforms_[i]);
      RealInterval handicap;
      if (i < listed_.size()) {
        time = e;
        const internal::Real score(listed_[i].score);
        handicap = internal::interval(weight_) * RealInterval{score, score};
      } else {
        const internal::Real left(rest_ - static_cast<std::int64_t>(i - listed_.size()));
        const RealInterval gap = e / RealInterval{left, left};
        time = i == listed_.size() ? gap : time + gap;
      }
      const RealInterval key = internal::log(time) - handicap;
      runners.push_back({key.low, key.high, i});
    }
    return runners;
  }

  std::span<const ScoredCandidate> listed_;
  double weight_;
  std::int64_t rest_;
  std::vector<TwoStageUniform> uniforms_;
};

/// Draws unlisted candidates without replacement, uniformly among those left: a Fisher-Yates
/// shuffle of their ranks that stores only the entries it has touched.
class PartitionCandidates {
 public:
  PartitionCandidates(std::span<const ScoredCandidate> listed, std::int64_t rest)
      : listed_(listed), left_(rest) {}

  std::int64_t next(Stream& stream) {
    const auto drawn =
        static_cast<std::int64_t>(uniform_below(stream, static_cast<std::uint64_t>(left_)));
    const std::int64_t rank = entry(drawn);
    moved_[drawn] = entry(--left_);
    // The candidate of a rank: skip every listed index with at most that many unlisted ones before
    // it.
    std::size_t low = 0;
    std::size_t high = listed_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (listed_[middle].index - static_cast<std::int64_t>(middle) <= rank) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return rank + static_cast<std::int64_t>(low);
  }

 private:
  [[nodiscard]] std::int64_t entry(std::int64_t place) const {
    const auto found = moved_.find(place);
    return found == moved_.end() ? place : found->second;
  }

  std::span<const ScoredCandidate> listed_;
  std::int64_t left_;
  std::unordered_map<std::int64_t, std::int64_t> moved_;
};

}  // namespace

void internal::check_candidates(std::int64_t population, std::span<const ScoredCandidate> listed) {
  bool ascending = listed.empty() || (listed[0].index >= 0 && listed.back().index < population);
  // No branch per candidate, since there may be very many.
  for (std::size_t i = 1; i < listed.size(); ++i) {
    ascending &= listed[i - 1].index < listed[i].index;
  }
  if (ascending) return;
  throw base::UsageError(
      "listed candidates must lie in the population, each once, ascending by index");
}

std::vector<std::size_t> internal::race_order(Stream& stream, const Runners& runners,
                                              std::size_t count, Arithmetic arithmetic) {
  return Race(stream, runners).first(stream, count, arithmetic);
}

std::vector<std::int64_t> exponential_race(BlockClaim claim, std::int64_t population,
                                           std::span<const ScoredCandidate> listed, double weight,
                                           std::int64_t count) {
  check_race(population, listed, weight, count);
  Stream stream(std::move(claim));
  const std::int64_t rest = population - static_cast<std::int64_t>(listed.size());
  const auto others = static_cast<std::size_t>(std::min(count, rest));
  const auto order =
      internal::race_order(stream, {listed, weight, rest, others}, static_cast<std::size_t>(count),
                           internal::Arithmetic::doubles_first);
  PartitionCandidates unlisted(listed, rest);
  std::vector<std::int64_t> chosen;
  for (const std::size_t place : order) {
    chosen.push_back(place < listed.size() ? listed[place].index : unlisted.next(stream));
  }
  return chosen;
}

}  // namespace tacet::random
