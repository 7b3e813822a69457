#include "tacet/api/mechanism.h"

#include <utility>

#include "tacet/api/inside.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/point/quantile.h"
#include "tacet/mechanism/select/generalized_exponential.h"
#include "tacet/mechanism/select/noisy_max.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/mechanism/select/top_k.h"
#include "tacet/run/own_source.h"

namespace tacet::api {
namespace {

constexpr auto noise_of_max = mechanism::NoisyMax::exponential;

mechanism::Movement kind_of(Movement movement) {
  return movement == Movement::one_way ? mechanism::Movement::one_way : mechanism::Movement::any;
}

mechanism::QuantileQuery asked(const QuantileQuery& query) {
  return {.level = query.level,
          .grid = {query.lower, query.upper, query.step},
          .adjacency = query.adjacency};
}

mechanism::SparseVectorOptions asked(const SparseVector& query) {
  return {.threshold = query.threshold,
          .max_positives = query.max_positives,
          .selection_epsilon = query.epsilon,
          .value_epsilon = query.value_epsilon};
}

}  // namespace

Scores Scores::integers(std::vector<std::int64_t> values, std::int64_t sensitivity,
                        Movement movement, privacy::Adjacency adjacency) {
  return Inside::scores(
      mechanism::Scores::integers(std::move(values), sensitivity, kind_of(movement), adjacency));
}

Scores Scores::rounded(std::span<const double> values, double sensitivity, Movement movement,
                       privacy::Adjacency adjacency) {
  return Inside::scores(
      mechanism::Scores::rounded(values, sensitivity, kind_of(movement), adjacency));
}

Scores Scores::generalized(std::span<const double> errors, std::span<const double> sensitivities,
                           privacy::Epsilon epsilon, double failure, privacy::Adjacency adjacency) {
  return Inside::scores(
      mechanism::generalized_scores(errors, sensitivities, epsilon, failure, adjacency));
}

privacy::Event quantile_event(const QuantileQuery& query, privacy::Epsilon epsilon) {
  return mechanism::quantile_event(asked(query), epsilon);
}

privacy::Event selection_event(privacy::Epsilon epsilon, privacy::Adjacency adjacency) {
  return mechanism::permute_and_flip_event(epsilon, adjacency);
}

privacy::Event noisy_max_event(privacy::Epsilon epsilon, privacy::Adjacency adjacency) {
  return mechanism::noisy_max_event(noise_of_max, epsilon, adjacency);
}

privacy::Event top_event(std::int64_t count, privacy::Epsilon epsilon_each,
                         privacy::Adjacency adjacency) {
  return mechanism::top_event(count, epsilon_each, adjacency);
}

privacy::Event sparse_vector_event(const SparseVector& query, privacy::Adjacency adjacency) {
  return mechanism::sparse_vector_event(asked(query), adjacency);
}

struct Releases::Held {
  Held(privacy::Reservation& given, std::optional<Random> from)
      : permit(given), kept(std::move(from)), source(Inside::of(kept ? &*kept : nullptr)) {}

  /// The next address of noise; no other release has it.
  mechanism::ReleaseContext next() { return {{step++, 0}, source.get(), permit}; }

  privacy::Reservation& permit;
  std::optional<Random> kept;  // declared before `source`, which it outlives
  run::internal::OwnSource source;
  std::uint64_t step = 0;
};

Releases::Releases(privacy::Reservation& permit)
    : held_(std::make_shared<Held>(permit, std::nullopt)) {}

Releases::Releases(privacy::Reservation& permit, const Random& random)
    : held_(std::make_shared<Held>(permit, random)) {}

std::vector<double> Releases::gaussian(Sum sum, privacy::NoiseMultiplier multiplier) {
  return mechanism::release_gaussian(Inside::take(sum), multiplier, held_->next()).take();
}

double Releases::quantile(std::span<const double> values, const QuantileQuery& query,
                          privacy::Epsilon epsilon) {
  const privacy::Private<std::vector<double>> own(
      std::vector<double>(values.begin(), values.end()));
  return mechanism::release_quantile(own, asked(query), epsilon, held_->next()).value();
}

std::int64_t Releases::select(const Scores& scores, privacy::Epsilon epsilon) {
  return mechanism::select_permute_and_flip(Inside::of(scores), epsilon, held_->next()).value();
}

std::int64_t Releases::noisy_max(const Scores& scores, privacy::Epsilon epsilon) {
  return mechanism::select_noisy_max(noise_of_max, Inside::of(scores), epsilon, held_->next())
      .value();
}

std::vector<std::int64_t> Releases::top(const Scores& scores, std::int64_t count,
                                        privacy::Epsilon epsilon_each) {
  return mechanism::select_top(Inside::of(scores), count, epsilon_each, held_->next()).take();
}

std::vector<Positive> Releases::sparse_vector(const Scores& queries, const SparseVector& query) {
  const auto answer =
      mechanism::release_sparse_vector(Inside::of(queries), asked(query), held_->next());
  std::vector<Positive> found;
  for (const auto& positive : answer.value().positives) {
    found.push_back({positive.index, positive.value});
  }
  return found;
}

}  // namespace tacet::api
