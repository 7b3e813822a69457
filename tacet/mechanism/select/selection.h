#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/mechanism/select/draws.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/random/choose/subset.h"
#include "tacet/random/exact/race.h"
#include "tacet/random/source/source.h"

/// The laws of selections as algorithms over random decisions. Scores stay within 2^62 of zero.
namespace tacet::mechanism::internal {

/// epsilon / (2 sensitivity), or epsilon / sensitivity if all scores move in the same direction:
/// the weight of one unit of score. It is between 2^-61 and 2^40, so products with 64-bit scores
/// fit 128 bits.
[[nodiscard]] inline random::WideRatio score_rate(RationalEpsilon epsilon, std::int64_t sensitivity,
                                                  Movement movement) {
  const random::Wide factor = movement == Movement::one_way ? 1 : 2;
  return {epsilon.numerator, factor * static_cast<random::Wide>(sensitivity) * epsilon.denominator};
}

/// sensitivity times / epsilon: the scale of discrete Laplace noise, in units of the scores.
/// UsageError above 2^40, the largest scale of its sampler.
[[nodiscard]] random::Ratio laplace_scale(std::int64_t sensitivity, std::int64_t times,
                                          RationalEpsilon epsilon);

/// Permute-and-flip (McKenna, Sheldon 2020): candidates in random order, each accepted with
/// probability exp(-rate (best - score)).
template <Draws C>
[[nodiscard]] std::int64_t permute_and_flip(std::span<const std::int64_t> scores,
                                            random::WideRatio rate, C& draws) {
  const std::int64_t best = *std::max_element(scores.begin(), scores.end());
  std::vector<std::int64_t> left(scores.size());
  std::iota(left.begin(), left.end(), 0);
  while (true) {
    // The last one left is a best one, which is always accepted: the pool cannot run dry.
    const auto place = static_cast<std::size_t>(draws.below(left.size()));
    const std::int64_t candidate = left[place];
    const auto shortfall = static_cast<std::uint64_t>(best) -
                           static_cast<std::uint64_t>(scores[static_cast<std::size_t>(candidate)]);
    if (draws.exp_decision({rate.numerator * shortfall, rate.denominator})) return candidate;
    left[place] = left.back();
    left.pop_back();
  }
}

/// The candidate whose score plus discrete Laplace noise is the largest, the first one if there is
/// a tie. Why this is private: for fixed noise on the others, a candidate wins if its noise is at
/// least some threshold, and neighbours move that threshold by at most twice the sensitivity (once,
/// if all scores move in the same direction).
template <Draws C>
[[nodiscard]] std::int64_t laplace_noisy_max(std::span<const std::int64_t> scores,
                                             random::Ratio scale, C& draws) {
  std::int64_t winner = 0;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::int64_t noisy = scores[i] + draws.laplace(scale);
    if (i > 0 && noisy <= largest) continue;
    winner = static_cast<std::int64_t>(i);
    largest = noisy;
  }
  return winner;
}

/// Noise of the sparse vector technique, in units of the scores.
struct SparseVectorScales {
  random::Ratio threshold;
  random::Ratio query;
  /// scale of fresh noise on released scores; absent: none are released
  std::optional<random::Ratio> value;
};

enum class ThresholdNoise {
  drawn_once,        ///< one noisy threshold; query noise grows with the number of positives
  redrawn_each_time  ///< a fresh noisy threshold after each positive; query noise does not grow
};

struct Positive {
  std::int64_t index;
  std::optional<std::int64_t> value;  ///< score plus fresh noise, if values are released
};

/// The noise and the thresholds of one run, in units of the scores.
struct ThresholdSettings {
  std::int64_t threshold;
  SparseVectorScales scales;
  std::int64_t max_positives;  ///< how many end the run
  ThresholdNoise noise;
  Compared compared;
};

/// One run of the sparse vector technique, query by query: which noisy scores are at or above a
/// noisy threshold, until there were `max_positives`. Every query gets its own noise, which is
/// never released.
template <Draws C>
class ThresholdRun {
 public:
  ThresholdRun(const ThresholdSettings& settings, C& draws) : settings_(settings), draws_(draws) {
    draw_threshold();
  }

  [[nodiscard]] bool ended() const { return found_ == settings_.max_positives; }
  [[nodiscard]] std::int64_t found() const { return found_; }

  struct Answer {
    bool above;
    std::optional<std::int64_t> value;  ///< score plus fresh noise, if values are released
  };
  [[nodiscard]] Answer ask(std::int64_t score) {
    const std::int64_t held =
        settings_.compared == Compared::magnitude && score < 0 ? -score : score;
    if (held + draws_.laplace(settings_.scales.query) < noisy_threshold_)
      return {false, std::nullopt};
    return positive(score);
  }

  /// Asks `count` queries of score 0 at once. Returns the number of negative answers before the
  /// first positive one, whose value must then be asked for; `count` if there is none.
  [[nodiscard]] std::int64_t negatives_of_zeros(std::int64_t count) {
    return draws_.misses(settings_.scales.query, noisy_threshold_, count);
  }
  /// Whether a query with a score of at most `max_score` needs noise above average to be positive.
  /// If so, the next two functions answer many of them quickly.
  [[nodiscard]] bool rarely_positive(std::int64_t max_score) const {
    return noisy_threshold_ - max_score >= 1;
  }
  /// How many of `count` such queries are negative, whatever their score, before the first that may
  /// not be.
  [[nodiscard]] std::int64_t sure_negatives(std::int64_t max_score, std::int64_t count) {
    return draws_.misses(settings_.scales.query, noisy_threshold_ - max_score, count);
  }
  /// The answer to that query: its noise is at least what `max_score` lacks, and its excess over
  /// that is geometric.
  [[nodiscard]] Answer ask_possible(std::int64_t score, std::int64_t max_score) {
    const std::int64_t noise =
        noisy_threshold_ - max_score + draws_.geometric(settings_.scales.query);
    if (score + noise < noisy_threshold_) return {false, std::nullopt};
    return positive(score);
  }
  /// The answer to a query that is known to be positive.
  [[nodiscard]] Answer positive(std::int64_t score) {
    Answer answer{true, std::nullopt};
    // Fresh: the noise that decided must not be seen.
    if (settings_.scales.value) answer.value = score + draws_.laplace(*settings_.scales.value);
    ++found_;
    if (!ended() && settings_.noise == ThresholdNoise::redrawn_each_time) draw_threshold();
    return answer;
  }

 private:
  void draw_threshold() {
    noisy_threshold_ = settings_.threshold + draws_.laplace(settings_.scales.threshold);
  }

  ThresholdSettings settings_;
  C& draws_;
  std::int64_t noisy_threshold_ = 0;
  std::int64_t found_ = 0;
};

/// The positive answers of a run over all scores in order.
template <Draws C>
[[nodiscard]] std::vector<Positive> above_threshold(std::span<const std::int64_t> scores,
                                                    ThresholdRun<C>& run) {
  std::vector<Positive> found;
  for (std::size_t i = 0; i < scores.size() && !run.ended(); ++i) {
    const auto answer = run.ask(scores[i]);
    if (answer.above) found.push_back({static_cast<std::int64_t>(i), answer.value});
  }
  return found;
}

/// Queries with scores in [0, max_score], one after the other. Those that are negative whatever
/// their score is are counted all at once.
template <Draws C>
class BoundedQueries {
 public:
  BoundedQueries(ThresholdRun<C>& run, std::int64_t max_score) : run_(run), max_score_(max_score) {}

  /// The answer to the next query; `left` queries, including this one, are still to come.
  [[nodiscard]] typename ThresholdRun<C>::Answer ask(std::int64_t score, std::int64_t left) {
    if (!run_.rarely_positive(max_score_)) return run_.ask(score);
    if (sure_ < 0) sure_ = run_.sure_negatives(max_score_, left);
    if (sure_ > 0) {
      --sure_;
      return {false, std::nullopt};
    }
    forget();
    return run_.ask_possible(score, max_score_);
  }
  /// After a positive answer the threshold may be another one.
  void forget() { sure_ = -1; }

 private:
  ThresholdRun<C>& run_;
  std::int64_t max_score_;
  std::int64_t sure_ = -1;  // number of the next queries that are surely negative; -1: not drawn
};

/// The same law as above_threshold, over `population` scores of which the unlisted ones are 0,
/// without a draw for each of these. `listed` ascends by index. If all scores are in [0,
/// max_score], most listed ones need no draw either.
template <Draws C>
[[nodiscard]] std::vector<Positive> sparse_above_threshold(
    std::int64_t population, std::span<const random::ScoredCandidate> listed, ThresholdRun<C>& run,
    std::int64_t max_score = std::int64_t{1} << 61) {
  std::vector<Positive> found;
  BoundedQueries<C> bounded(run, max_score);
  std::int64_t next = 0;
  for (std::size_t place = 0; place <= listed.size() && !run.ended(); ++place) {
    const std::int64_t end = place < listed.size() ? listed[place].index : population;
    while (next < end && !run.ended()) {
      next += run.negatives_of_zeros(end - next);
      if (next == end) break;
      found.push_back({next++, run.positive(0).value});
      bounded.forget();
    }
    if (run.ended() || place == listed.size()) break;
    const auto answer =
        bounded.ask(listed[place].score, static_cast<std::int64_t>(listed.size() - place));
    if (answer.above) {
      found.push_back({end, answer.value});
      bounded.forget();
    }
    next = end + 1;
  }
  return found;
}

}  // namespace tacet::mechanism::internal

namespace tacet::mechanism {

/// `count` of `population` candidates, ascending, with equal probability for all subsets. It reads
/// no record and costs nothing. UsageError unless 0 <= count <= population.
[[nodiscard]] inline std::vector<std::int64_t> choose_uniformly(std::int64_t count,
                                                                std::int64_t population,
                                                                NoiseAddress address,
                                                                random::Source& source) {
  return random::uniform_subset(
      source.claim(random::Purpose::selection, address.step, address.tensor), count, population);
}

}  // namespace tacet::mechanism
