#include "tacet/mechanism/select/sparse_vector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/select/group_scores.h"
#include "tacet/mechanism/select/sparse_vector_plan.h"

namespace tacet::mechanism {
namespace {

constexpr std::int64_t max_positives_allowed = std::int64_t{1} << 20;
constexpr double largest_threshold = 0x1p61;

void check(const SparseVectorOptions& options) {
  if (!std::isfinite(options.threshold)) {
    throw base::UsageError("the threshold must be a finite number, got {}", options.threshold);
  }
  if (options.max_positives < 1 || options.max_positives > max_positives_allowed) {
    throw base::UsageError("the number of positives must lie in 1..{}, got {}",
                           max_positives_allowed, options.max_positives);
  }
  if (!(options.threshold_share >= 0 && options.threshold_share < 1)) {
    throw base::UsageError("the threshold's share of epsilon must lie between 0 and 1, got {}",
                           options.threshold_share);
  }
}

/// epsilon / c rounded down, so that c of them cost at most epsilon.
privacy::Epsilon each_of(privacy::Epsilon epsilon, std::int64_t c) {
  return c == 1 ? epsilon
                : privacy::Epsilon(std::nextafter(epsilon.value() / static_cast<double>(c), 0.0));
}

bool redrawn(const SparseVectorOptions& options) {
  return options.form == SparseVectorForm::redrawn_threshold;
}

}  // namespace

namespace internal {

SparseVectorShares sparse_vector_shares(const SparseVectorOptions& options, Movement movement) {
  const std::int64_t c = options.max_positives;
  const auto stretch =
      redrawn(options) ? each_of(options.selection_epsilon, c) : options.selection_epsilon;
  // Minimises the variance of the difference of both noises, for a given sum of the costs.
  const auto uses =
      static_cast<double>((movement == Movement::one_way ? 1 : 2) * (redrawn(options) ? 1 : c));
  const double ratio = std::pow(uses, 2.0 / 3);
  const double own = options.threshold_share > 0 ? stretch.value() * options.threshold_share
                                                 : stretch.value() / (1 + ratio);
  const RationalEpsilon threshold = round_down(privacy::Epsilon(own));
  // The difference of two doubles within a factor of 2^20 has one rounding.
  const RationalEpsilon query = round_down(privacy::Epsilon(
      std::nextafter(stretch.value() - std::nextafter(threshold.value(), 1e9), 0.0)));
  std::optional<RationalEpsilon> value;
  if (options.value_epsilon) value = round_down(each_of(*options.value_epsilon, c));
  return {threshold, query, value};
}

SparseVectorScales sparse_vector_scales(const SparseVectorOptions& options,
                                        std::int64_t sensitivity, Movement movement) {
  const auto shares = sparse_vector_shares(options, movement);
  const std::int64_t uses =
      (movement == Movement::one_way ? 1 : 2) * (redrawn(options) ? 1 : options.max_positives);
  SparseVectorScales scales{laplace_scale(sensitivity, 1, shares.threshold),
                            laplace_scale(sensitivity, uses, shares.query), std::nullopt};
  if (shares.value) scales.value = laplace_scale(sensitivity, 1, *shares.value);
  return scales;
}

}  // namespace internal

SparseVectorOptions zhang2021_sparse_vector(std::int64_t max_positives, double threshold,
                                            const privacy::Guarantee& stated) {
  if (!(stated.delta > 0 && stated.delta < 1 && stated.epsilon > 0)) {
    throw base::UsageError("Lemma 4 states a positive epsilon at a delta between 0 and 1");
  }
  // sigma(e) = D sqrt(32 c ln(2/delta)) / e; thresholds have scale sigma(.95 epsilon), comparisons
  // twice that, values 2 sigma(.05 epsilon). A stretch costs D/b1 + 2D/b2 = 2 D/b1, a value D/b3.
  const auto c = static_cast<double>(max_positives);
  const double root = std::sqrt(32 * c * std::log(2 / stated.delta));
  return {.form = SparseVectorForm::redrawn_threshold,
          .compared = Compared::magnitude,
          .threshold = threshold,
          .max_positives = max_positives,
          .selection_epsilon = privacy::Epsilon(c * 2 * 0.95 * stated.epsilon / root),
          .value_epsilon = privacy::Epsilon(c * 0.05 * stated.epsilon / (2 * root)),
          .threshold_share = 0.5};
}

privacy::Event sparse_vector_event(const SparseVectorOptions& options,
                                   privacy::Adjacency adjacency) {
  check(options);
  const std::int64_t c = options.max_positives;
  const auto pure = [&](privacy::Epsilon epsilon) -> privacy::Event {
    return privacy::PureDp{epsilon.value(), adjacency};
  };
  const auto times = [&](privacy::Epsilon epsilon) -> privacy::Event {
    return privacy::Repeated{c, pure(each_of(epsilon, c))};
  };
  // docs/proofs/selection.md, section 4: One threshold for all c positives costs the epsilon of the
  // selection once. If it is drawn again, each stretch costs its share. Values have their own noise
  // and cost.
  std::vector<privacy::Event> parts;
  parts.push_back(redrawn(options) ? times(options.selection_epsilon)
                                   : pure(options.selection_epsilon));
  if (options.value_epsilon) parts.push_back(times(*options.value_epsilon));
  return parts.size() == 1 ? parts.front() : privacy::Composed{std::move(parts)};
}

namespace {

using internal::StreamDraws;
using internal::ThresholdNoise;
using internal::ThresholdRun;

internal::ThresholdSettings run_settings(const SparseVectorOptions& options,
                                         std::int64_t sensitivity, Movement movement, double unit) {
  // If scores grow together, some may come closer to 0 and others not.
  const auto moves = options.compared == Compared::magnitude ? Movement::any : movement;
  return {static_cast<std::int64_t>(std::clamp(std::nearbyint(options.threshold / unit),
                                               -largest_threshold, largest_threshold)),
          internal::sparse_vector_scales(options, sensitivity, moves), options.max_positives,
          redrawn(options) ? ThresholdNoise::redrawn_each_time : ThresholdNoise::drawn_once,
          options.compared};
}

SparseVectorAnswer in_units(const std::vector<internal::Positive>& found, double unit) {
  SparseVectorAnswer answer;
  for (const auto& positive : found) {
    std::optional<double> value;
    if (positive.value) value = static_cast<double>(*positive.value) * unit;
    answer.positives.push_back({positive.index, value});
  }
  return answer;
}

}  // namespace

privacy::Released<SparseVectorAnswer> release_sparse_vector(const Scores& queries,
                                                            const SparseVectorOptions& options,
                                                            const ReleaseContext& context) {
  const auto event = sparse_vector_event(options, queries.adjacency());
  const auto settings =
      run_settings(options, queries.sensitivity(), queries.movement(), queries.unit());
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  StreamDraws draws(context.claim(random::Purpose::selection));
  ThresholdRun run(settings, draws);
  return {access, in_units(internal::above_threshold(queries.open(access), run), queries.unit()),
          event};
}

namespace {

/// The event that was paid, and the source of its noise.
struct Paid {
  privacy::Event event;
  random::BlockClaim claim;
};

privacy::Released<SparseVectorAnswer> sparse_run(const SparseScores& queries,
                                                 const SparseVectorOptions& options, Paid paid) {
  const auto settings = run_settings(options, queries.sensitivity(), queries.movement(), 1);
  const auto access = AccessKeys::key();
  StreamDraws draws(std::move(paid.claim));
  ThresholdRun run(settings, draws);
  const std::int64_t max_score =
      queries.bounds() ? queries.bounds()->score_bound : std::int64_t{1} << 61;
  auto found =
      internal::sparse_above_threshold(queries.population(), queries.open(access), run, max_score);
  return {access, in_units(found, 1), std::move(paid.event)};
}

template <typename Means>
random::BlockClaim claim_of(const Means& context) {
  return context.source.claim(random::Purpose::selection, context.address.step,
                              context.address.tensor);
}

/// Settings that no sampler takes are refused before anything is paid.
privacy::Event checked_event(const SparseScores& queries, const SparseVectorOptions& options) {
  (void)run_settings(options, queries.sensitivity(), queries.movement(), 1);
  return sparse_vector_event(options, queries.adjacency());
}

template <typename Means>
privacy::Released<SparseVectorAnswer> paid_run(const SparseScores& queries,
                                               const SparseVectorOptions& options,
                                               const Means& context) {
  auto event = internal::pay(queries.sample(), checked_event(queries, options), context);
  return sparse_run(queries, options, {std::move(event), claim_of(context)});
}

}  // namespace

privacy::Released<SparseVectorAnswer> release_sparse_vector(const SparseScores& queries,
                                                            const SparseVectorOptions& options,
                                                            const ReleaseContext& context) {
  return paid_run(queries, options, context);
}

privacy::Released<SparseVectorAnswer> release_sparse_vector(const SparseScores& queries,
                                                            const SparseVectorOptions& options,
                                                            const PermitContext& context) {
  return paid_run(queries, options, context);
}

privacy::Released<SparseVectorAnswer> release_sparse_vector(const GroupScores& queries,
                                                            const SparseVectorOptions& options,
                                                            const GroupContext& context) {
  context.payer.take(queries, checked_event(queries.scores(), options));
  return sparse_run(queries.scores(), options, {context.payer.event(), claim_of(context)});
}

struct InteractiveSparseVector::Run {
  Run(const internal::ThresholdSettings& settings, random::BlockClaim claim)
      : draws(std::move(claim)), answers(settings, draws) {}

  StreamDraws draws;
  ThresholdRun<StreamDraws> answers;
};

InteractiveSparseVector::InteractiveSparseVector(const SparseVectorOptions& options,
                                                 const QueryKind& kind,
                                                 const ReleaseContext& context)
    : kind_(kind), event_(sparse_vector_event(options, kind.adjacency)) {
  // A query of this kind shows the unit of all of them.
  const std::array<double, 1> zero{0};
  const auto one = Scores::rounded(zero, kind.sensitivity, kind.movement, kind.adjacency);
  const auto settings = run_settings(options, one.sensitivity(), kind.movement, one.unit());
  context.reservation.debit(event_);
  run_ = std::make_unique<Run>(settings, context.claim(random::Purpose::selection));
}

InteractiveSparseVector::~InteractiveSparseVector() = default;

bool InteractiveSparseVector::ended() const { return run_->answers.ended(); }

privacy::Released<InteractiveSparseVector::Answer> InteractiveSparseVector::ask(
    const privacy::Private<double>& query) {
  if (ended()) {
    throw base::BudgetError(
        "this run has given its {} positive answers and answers nothing more; a further run costs "
        "again",
        run_->answers.found());
  }
  const auto access = AccessKeys::key();
  const std::array<double, 1> value{query.open(access)};
  const auto score = Scores::rounded(value, kind_.sensitivity, kind_.movement, kind_.adjacency);
  const auto reply = run_->answers.ask(score.open(access).front());
  std::optional<double> shown;
  if (reply.value) shown = static_cast<double>(*reply.value) * score.unit();
  return {access, Answer{reply.above, shown}, event_};
}

}  // namespace tacet::mechanism
