#include "tacet/audit/subjects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/audit/training_audit.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/mechanism/noise/discrete_noise.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/point/quantile.h"
#include "tacet/mechanism/select/exponential.h"
#include "tacet/mechanism/select/noisy_max.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::audit {
namespace {

using enum privacy::Adjacency;
using mechanism::ReleaseContext;
using privacy::Adjacency;
using privacy::Guarantee;

constexpr privacy::AdjacencySet replaced{replace_one};

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

Subject gaussian(std::string_view /*name*/, const Guarantee& claim) {
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

Subject laplace(std::string_view /*name*/, const Guarantee& claim) {
  const privacy::NoiseMultiplier multiplier(privacy::distance_factor(claim.adjacency) /
                                            claim.epsilon);
  const auto event =
      mechanism::laplace_event(sum_of(optimize::Norm::l1, claim.adjacency, false), multiplier);
  Subject subject{.pair = pair_of_sums(claim.adjacency), .claim = stated(event, claim)};
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    return mechanism::release_laplace(sum_of(optimize::Norm::l1, claim.adjacency, other),
                                      multiplier, context)
        .value()[0];
  });
  return subject;
}

/// Counts in two bins: a record is there or not, or leaves one for the other.
privacy::BoundedSum counts_of(Adjacency adjacency, bool other) {
  optimize::Histogram histogram(2);
  if (other) histogram.add(0);
  if (!other && adjacency == replace_one) histogram.add(1);
  return std::move(histogram).take();
}

Subject discrete_noise(std::string_view /*name*/, const Guarantee& claim) {
  const bool pure = claim.delta == 0;
  const auto event_at = [&](double multiplier) -> privacy::Event {
    const auto sum = counts_of(claim.adjacency, false);
    const privacy::NoiseMultiplier noise(multiplier);
    return pure ? mechanism::discrete_laplace_event(sum, noise)
                : mechanism::discrete_gaussian_event(sum, noise);
  };
  const double least = accounting::min_noise(
      event_at, {privacy::Epsilon(claim.epsilon), privacy::Delta(claim.delta), claim.adjacency});
  const auto event = event_at(least);
  Subject subject{.pair = claim.adjacency == replace_one
                              ? "two counts, a record in one or in the other"
                              : "two counts, and a record more in one of them",
                  .claim = stated(event, claim)};
  if (!pure) subject.event = event;
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    auto sum = counts_of(claim.adjacency, other);
    const privacy::NoiseMultiplier noise(least);
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

/// Two candidates of which one or the other is better by one record.
mechanism::Scores votes(Adjacency adjacency, bool other) {
  return mechanism::Scores::integers(
      other ? std::vector<std::int64_t>{1, 0} : std::vector<std::int64_t>{0, 1}, 1,
      mechanism::Movement::any, adjacency);
}

/// One candidate against many others: it gains a record that all others lose, or the other way
/// round, which moves the weight of its draw by all that a draw may cost.
mechanism::Scores one_against_many(Adjacency adjacency, bool other) {
  std::vector<std::int64_t> scores(21, other ? 0 : 1);
  scores[0] = other ? 1 : 0;
  return mechanism::Scores::integers(std::move(scores), 1, mechanism::Movement::any, adjacency);
}

Subject selection(std::string_view name, const Guarantee& claim) {
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
                           return static_cast<double>(chosen.value());
                         });
  return subject;
}

Subject sparse_vector(std::string_view /*name*/, const Guarantee& claim) {
  const mechanism::SparseVectorOptions options{
      .threshold = 1, .selection_epsilon = privacy::Epsilon(claim.epsilon)};
  const auto event = mechanism::sparse_vector_event(options, claim.adjacency);
  Subject subject{
      .pair = "two queries of which one or the other is at the threshold, the other one below",
      .statistic = Statistic::cells,
      .claim = stated(event, claim)};
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    const auto found =
        mechanism::release_sparse_vector(votes(claim.adjacency, other), options, context);
    const auto& positives = found.value().positives;
    return positives.empty() ? -1.0 : static_cast<double>(positives[0].index);
  });
  return subject;
}

Subject quantile(std::string_view /*name*/, const Guarantee& claim) {
  const mechanism::QuantileQuery median{
      .level = 0.5, .grid = {0, 1, 1}, .adjacency = claim.adjacency};
  const privacy::Epsilon epsilon(claim.epsilon);
  const auto event = mechanism::quantile_event(median, epsilon);
  Subject subject{.pair = "three numbers of which two are small, or two are large",
                  .statistic = Statistic::cells,
                  .claim = stated(event, claim)};
  subject.draw = numbers(event, claim.adjacency, [=](bool other, const ReleaseContext& context) {
    std::vector<double> values{0, other ? 1.0 : 0.0, 1};
    if (!other && claim.adjacency != replace_one) values = {0, 0, 1};
    if (other && claim.adjacency != replace_one) values = {0, 0, 1, 1};
    return mechanism::release_quantile(privacy::Private<std::vector<double>>(std::move(values)),
                                       median, epsilon, context)
        .value();
  });
  return subject;
}

/// Trainings on a line: one number, no intercept, so that all of a record is in one coefficient.
data::Schema line(bool classes) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  if (classes) {
    schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  } else {
    schema.target = {"y", data::RegressionTarget{-1, 1}};
  }
  schema.intercept = false;
  schema.public_row_count = few_records;
  return schema;
}

/// What makes the pair of a training's records as far apart as its proof allows for.
choose::Request request_of(std::string_view method, const Guarantee& claim) {
  choose::Request request(claim.adjacency);
  request.set("method", std::string(method.substr(0, method.find('/'))));
  request.set("epsilon", claim.epsilon).set("delta", claim.delta);
  if (method.starts_with("gradient")) {
    request.set("clipping-norm", 0.25).set("step-size", 0.1).set("knots", "none");
    request.set("steps", std::int64_t{method == "gradient" ? 1 : 4});
    if (method == "gradient/poisson") request.set("batch-size", 3);
    if (method == "gradient/fixed-size") request.set("batch-size", 3).set("sampling", "fixed_size");
    if (method == "gradient/partition") request.set("batch-size", 3).set("sampling", "partition");
  } else if (method == "output" || method == "phased") {
    request.set("loss", "hinge").set("step-size", 0.05);
  } else if (method == "objective") {
    request.set("l2", 1.0 / 6);
  } else if (method == "regularized-output") {
    request.set("loss", "smoothed_hinge").set("loss-parameter", 0.1).set("l2", 20.0 / 6);
  } else if (method == "ladder" || method == "localized" || method == "growth" ||
             method == "phased-erm") {
    request.set("radius", 4);
  }
  return request;
}

Subject training(std::string_view name, const Guarantee& claim) {
  const bool classes = name != "adassp" && name != "inverse-sensitivity";
  auto schema = line(classes);
  if (claim.adjacency == add_remove && name == "adassp") schema.public_row_count.reset();
  return training_subject(choose::plan(request_of(name, claim), schema));
}

constexpr std::int64_t many = 100000;
constexpr std::int64_t some = 20000;

const NamedAudit table[] = {
    {"gaussian", "gaussian", "Gaussian noise on a sum", privacy::every_adjacency,
     privacy::no_adjacency, many, gaussian},
    {"laplace", "laplace", "Laplace noise on a sum", privacy::no_adjacency,
     privacy::every_adjacency, many, laplace},
    {"discrete-noise", "discrete noise", "discrete noise on counts", privacy::every_adjacency,
     privacy::every_adjacency, many, discrete_noise},
    {"exponential", "selection", "the exponential mechanism", privacy::no_adjacency,
     privacy::every_adjacency, many, selection},
    {"permute-and-flip", "selection", "permute-and-flip", privacy::no_adjacency,
     privacy::every_adjacency, many, selection},
    {"noisy-max", "selection", "report noisy max with Laplace noise", privacy::no_adjacency,
     privacy::every_adjacency, many, selection},
    {"sparse-vector", "sparse vector", "which query is above a threshold", privacy::no_adjacency,
     privacy::every_adjacency, many, sparse_vector},
    {"quantile", "quantile", "a median of few numbers", privacy::no_adjacency,
     privacy::every_adjacency, many, quantile},
    {"gradient", "gradient", "one step over all records", privacy::every_adjacency,
     privacy::no_adjacency, some, training},
    {"gradient/poisson", "gradient", "four steps over Poisson samples", privacy::every_adjacency,
     privacy::no_adjacency, some, training},
    {"gradient/fixed-size", "gradient", "four steps over samples of fixed size", replaced,
     privacy::no_adjacency, some, training},
    {"gradient/partition", "gradient", "four steps over the blocks of passes", replaced,
     privacy::no_adjacency, some, training},
    {"output", "output", "a whole training", replaced, privacy::no_adjacency, some, training},
    {"objective",
     "objective",
     "a whole training",
     {add_remove, replace_one},
     {add_remove, replace_one},
     some,
     training},
    {"regularized-output",
     "regularized-output",
     "a whole training",
     {add_remove, replace_one},
     {add_remove, replace_one},
     some,
     training},
    {"ladder", "chains of phases", "a whole training", replaced, replaced, some, training},
    {"localized", "chains of phases", "a whole training", replaced, replaced, some, training},
    {"phased-erm", "chains of phases", "a whole training", replaced, replaced, some, training},
    {"adassp",
     "adassp",
     "a whole training",
     {add_remove, replace_one},
     privacy::no_adjacency,
     some,
     training},
};

}  // namespace

std::span<const NamedAudit> named_audits() { return table; }

const NamedAudit& find_audit(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &NamedAudit::name);
  if (found != std::end(table)) return *found;
  std::string names;
  for (const auto& one : table) names += (names.empty() ? "" : ", ") + std::string(one.name);
  throw base::UsageError("there is no audit '{}'; there are {}", name, names);
}

Subject subject_of(const NamedAudit& audit, const Guarantee& claim) {
  const auto& proved = claim.delta > 0 ? audit.with_delta : audit.pure;
  const auto& instead = claim.delta > 0 ? audit.pure : audit.with_delta;
  if (!proved.has(claim.adjacency)) {
    if (instead.has(claim.adjacency)) {
      if (claim.delta > 0) throw base::UsageError("{} is pure: leave out `delta`", audit.name);
      throw base::UsageError("{} needs a `delta` above 0", audit.name);
    }
    throw base::UsageError("{} is proved under {}, not under {}", audit.name,
                           to_string(proved.empty() ? instead : proved),
                           privacy::to_string(claim.adjacency));
  }
  if (!(claim.epsilon > 0) || !std::isfinite(claim.epsilon)) {
    throw base::UsageError("`epsilon` must be above 0 and finite, got {}", claim.epsilon);
  }
  return audit.make(audit.name, claim);
}

double usual_delta(const NamedAudit& audit) { return audit.pure.empty() ? 1e-5 : 0; }

Adjacency usual_adjacency(const NamedAudit& audit) {
  const auto& proved = audit.pure.empty() ? audit.with_delta : audit.pure;
  return proved.has(add_remove) ? add_remove : replace_one;
}

}  // namespace tacet::audit
