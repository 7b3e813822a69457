#include "tacet/audit/mechanism_subjects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/data/words/corpus.h"
#include "tacet/mechanism/noise/discrete_noise.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/point/quantile.h"
#include "tacet/mechanism/select/exponential.h"
#include "tacet/mechanism/select/noisy_max.h"
#include "tacet/mechanism/select/partition_selection.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::audit {
namespace {

using enum privacy::Adjacency;
using mechanism::ReleaseContext;
using privacy::Adjacency;
using privacy::Guarantee;

/// Releases of one number each, from one seed: `release(other, context)` is one of them.
template <typename Release>
auto numbers(const privacy::Event& event, Adjacency adjacency, Release release) {
  return [event, adjacency, release = std::move(release)](bool other, std::uint64_t seed,
                                                          std::span<double> out) {
    random::SeededSource source(seed);
    privacy::TrustingBudget budget(adjacency);
    auto reservation = budget.reserve(privacy::Repeated{std::ssize(out), event},
                                      {std::numeric_limits<double>::infinity(), 0, adjacency});
    std::uint64_t step = 0;
    for (double& number : out) {
      number = release(other, ReleaseContext{{.step = step++}, source, reservation});
    }
  };
}

/// What the accountant says of the event at the claim's delta: a claim is its upper end.
Guarantee stated(const privacy::Event& event, const Guarantee& asked) {
  return accounting::account(event, asked.adjacency, privacy::Delta(asked.delta));
}

/// A record at its bound; on the other side none, or one at the opposite end.
privacy::BoundedSum sum_of(optimize::Norm norm, Adjacency adjacency, bool other) {
  optimize::VectorSum sum(1, norm, 1, {}, 12);
  const double one[] = {1};
  const double opposite[] = {-1};
  if (other) sum.add(one);
  if (!other && adjacency == replace_one) sum.add(opposite);
  return std::move(sum).take();
}

std::string pair_of_sums(Adjacency adjacency) {
  return adjacency == replace_one ? "a sum of one record, at either end of its bound"
                                  : "a sum of nothing, and of one record at its bound";
}

}  // namespace

Subject gaussian_subject(std::string_view /*name*/, const Guarantee& claim) {
  const double mu =
      accounting::gaussian::mu_for(privacy::Epsilon(claim.epsilon), privacy::Delta(claim.delta));
  const privacy::NoiseMultiplier multiplier(privacy::distance_factor(claim.adjacency) / mu);
  const privacy::Event event = privacy::Gaussian{multiplier.value()};
  Subject subject{.pair = pair_of_sums(claim.adjacency), .claim = stated(event, claim)};
  subject.gaussian = true;
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    return mechanism::release_gaussian(sum_of(optimize::Norm::l2, claim.adjacency, other),
                                       multiplier, context)
        .value()[0];
  });
  return subject;
}

Subject laplace_subject(std::string_view /*name*/, const Guarantee& claim) {
  const privacy::NoiseMultiplier multiplier(privacy::distance_factor(claim.adjacency) /
                                            claim.epsilon);
  const auto event =
      mechanism::laplace_event(sum_of(optimize::Norm::l1, claim.adjacency, false), multiplier);
  Subject subject{.pair = pair_of_sums(claim.adjacency), .claim = stated(event, claim)};
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    const double number =
        mechanism::release_laplace(sum_of(optimize::Norm::l1, claim.adjacency, other), multiplier,
                                   context)
            .value()[0];
    // The log-likelihood ratio at its ends, beyond both sums. What lies between says less.
    const double low = claim.adjacency == replace_one ? -1 : 0;
    return (number >= 1 ? 1.0 : 0.0) - (number <= low ? 1.0 : 0.0);
  });
  return subject;
}

namespace {

/// Counts in two bins: a record is there or not, or leaves one for the other.
privacy::BoundedSum counts_of(Adjacency adjacency, bool other) {
  optimize::Histogram histogram(2);
  if (other) histogram.add(0);
  if (!other && adjacency == replace_one) histogram.add(1);
  return std::move(histogram).take();
}

}  // namespace

Subject discrete_noise_subject(std::string_view /*name*/, const Guarantee& claim) {
  const bool pure = claim.delta == 0;
  const auto event_at = [&](double multiplier) -> privacy::Event {
    const auto sum = counts_of(claim.adjacency, false);
    const privacy::NoiseMultiplier noise(multiplier);
    return pure ? mechanism::discrete_laplace_event(sum, noise)
                : mechanism::discrete_gaussian_event(sum, noise);
  };
  const double min = accounting::min_noise(
      event_at, {privacy::Epsilon(claim.epsilon), privacy::Delta(claim.delta), claim.adjacency});
  const auto event = event_at(min);
  Subject subject{.pair = claim.adjacency == replace_one
                              ? "two counts, a record in one or in the other"
                              : "two counts, and a record more in one of them",
                  .claim = stated(event, claim)};
  if (!pure) subject.event = event;
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    auto sum = counts_of(claim.adjacency, other);
    const privacy::NoiseMultiplier noise(min);
    const auto counts = pure ? mechanism::release_discrete_laplace(std::move(sum), noise, context)
                             : mechanism::release_discrete_gaussian(std::move(sum), noise, context);
    const auto& values = counts.value();
    if (claim.adjacency != replace_one) return values[0];
    // The log-likelihood ratio, up to its scale: of Laplace noise each count says at most one.
    if (!pure) return values[0] - values[1];
    return std::clamp(values[0], 0.0, 1.0) - std::clamp(values[1], 0.0, 1.0);
  });
  return subject;
}

namespace {

/// One candidate against many others: it gains a record that all others lose, or the other way
/// round, which moves the weight of its draw by all that a draw may cost.
mechanism::Scores one_against_many(Adjacency adjacency, bool other) {
  std::vector<std::int64_t> scores(21, other ? 0 : 1);
  scores[0] = other ? 1 : 0;
  return mechanism::Scores::integers(std::move(scores), 1, mechanism::Movement::any, adjacency);
}

}  // namespace

Subject selection_subject(std::string_view name, const Guarantee& claim) {
  const privacy::Epsilon epsilon(claim.epsilon);
  const auto event =
      name == "exponential" ? mechanism::exponential_event(epsilon, claim.adjacency)
      : name == "permute-and-flip"
          ? mechanism::permute_and_flip_event(epsilon, claim.adjacency)
          : mechanism::noisy_max_event(mechanism::NoisyMax::laplace, epsilon, claim.adjacency);
  Subject subject{.pair = "a candidate better than 20 others by a record, or worse",
                  .statistic = Statistic::cells,
                  .claim = stated(event, claim)};
  subject.draw = numbers(event, claim.adjacency,
                         [=, name = std::string(name)](bool other, const ReleaseContext& context) {
                           const auto scores = one_against_many(claim.adjacency, other);
                           const auto chosen =
                               name == "exponential"
                                   ? mechanism::select_exponential(scores, epsilon, context)
                               : name == "permute-and-flip"
                                   ? mechanism::select_permute_and_flip(scores, epsilon, context)
                                   : mechanism::select_noisy_max(mechanism::NoisyMax::laplace,
                                                                 scores, epsilon, context);
                           // All others have one law on both sides.
                           return chosen.value() == 0 ? 1.0 : 0.0;
                         });
  return subject;
}

namespace {

/// Queries that all stay below the threshold but for the last one, which moves the other way.
mechanism::Scores all_but_the_last(Adjacency adjacency, bool other) {
  std::vector<std::int64_t> queries(8, other ? 1 : 0);
  queries.back() = other ? 0 : 1;
  return mechanism::Scores::integers(std::move(queries), 1, mechanism::Movement::any, adjacency);
}

}  // namespace

Subject sparse_vector_subject(std::string_view /*name*/, const Guarantee& claim) {
  const mechanism::SparseVectorOptions options{
      .threshold = 0.5, .selection_epsilon = privacy::Epsilon(claim.epsilon)};
  const auto event = mechanism::sparse_vector_event(options, claim.adjacency);
  Subject subject{
      .pair = "eight queries, of which the last one falls by a record and all others rise",
      .statistic = Statistic::cells,
      .claim = stated(event, claim)};
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    const auto queries = all_but_the_last(claim.adjacency, other);
    const auto found = mechanism::release_sparse_vector(queries, options, context);
    const auto& positives = found.value().positives;
    if (positives.empty()) return -1.0;
    return positives[0].index == 7 ? 1.0 : 0.0;
  });
  return subject;
}

namespace {

/// Numbers at the lower end of a grid with a place below them, and one that is there or moves to
/// the far end: then the lowest place is one step further from the median, and all places above the
/// numbers are one step nearer. These are many, so that what all of them weigh moves as much.
std::vector<double> about_the_median(Adjacency adjacency, double far, bool other) {
  if (adjacency != replace_one) {
    return other ? std::vector<double>{1, far} : std::vector<double>{1};
  }
  return {other ? far : 0, 1, 1};
}

}  // namespace

Subject quantile_subject(std::string_view /*name*/, const Guarantee& claim) {
  const double above = claim.adjacency == replace_one
                           ? std::ceil(20 * std::exp(std::min(claim.epsilon, 10.0) / 2))
                           : 30;
  const mechanism::QuantileQuery median{
      .level = 0.5, .grid = {0, 1 + above, 1}, .adjacency = claim.adjacency};
  const privacy::Epsilon epsilon(claim.epsilon);
  const auto event = mechanism::quantile_event(median, epsilon);
  Subject subject{.pair = claim.adjacency == replace_one
                              ? "three numbers, the smallest of which becomes the largest"
                              : "a number, and one more far above it",
                  .statistic = Statistic::cells,
                  .claim = stated(event, claim)};
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    const privacy::Private<std::vector<double>> values(
        about_the_median(claim.adjacency, 1 + above, other));
    // The lowest place, that of the numbers, and all above them.
    return std::min(2.0, mechanism::release_quantile(values, median, epsilon, context).value());
  });
  return subject;
}

namespace {

/// Texts with a word that `units` units have.
data::OpenCorpus texts_with(std::int64_t units) {
  std::string texts;
  for (std::int64_t i = 0; i < units; ++i) texts += "word\n";
  return data::read_open_corpus(data::memory_source(texts, "texts"), "texts", {});
}

/// Words that a single unit has are rare by their delta. What there is to see is the noisy count of
/// a word that many have; it is released on both sides but once in 10^12 runs.

}  // namespace

Subject partition_selection_subject(std::string_view /*name*/, const Guarantee& claim) {
  const auto rule_at = [=](double noise) {
    return mechanism::PartitionRule{privacy::NoiseMultiplier(noise), claim.delta / 4};
  };
  const auto event_at = [=](double noise) {
    return mechanism::partition_selection_event(rule_at(noise), claim.adjacency);
  };
  const double min = accounting::min_noise(
      event_at, {privacy::Epsilon(claim.epsilon), privacy::Delta(claim.delta), claim.adjacency});
  const auto rule = rule_at(min);
  const auto many = static_cast<std::int64_t>(mechanism::partition_threshold(rule) + 8 * min);
  struct Texts {
    data::OpenCorpus one;
    data::OpenCorpus other;
  };
  const auto texts = std::make_shared<const Texts>(Texts{texts_with(many), texts_with(many + 1)});
  const auto counts_of = [](const data::OpenCorpus& corpus) {
    return optimize::word_presence(corpus, {.draws = [](std::int64_t /*unit*/) { return 0U; }});
  };
  Subject subject{.pair = "a word that many units have, and one unit more",
                  .claim = stated(event_at(min), claim)};
  subject.gaussian = true;
  subject.draw = numbers(event_at(min), claim.adjacency,
                         [=, one = counts_of(texts->one), another = counts_of(texts->other)](
                             bool other, const ReleaseContext& context) {
                           static_cast<void>(texts);  // which the counts name words of
                           const auto found = mechanism::select_partitions(
                               other ? another : one, rule, claim.adjacency, context);
                           return found.value().empty() ? 0 : found.value()[0].count;
                         });
  return subject;
}

}  // namespace tacet::audit
