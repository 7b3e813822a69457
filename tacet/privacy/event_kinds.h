#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/event_range.h"

namespace tacet::privacy {

class Event;
namespace internal {
class EventReader;
}

/// The largest number of records that a privacy unit may have in an event.
inline constexpr std::int64_t records_per_unit_limit = std::int64_t{1} << 20;

/// An Event on the heap with the semantics of a value; lets events contain events.
class EventBox {
 public:
  EventBox(Event event);  // NOLINT(google-explicit-constructor): a box stands for its content
  template <typename Kind>
  requires std::is_aggregate_v<Kind> EventBox(
      Kind kind);  // NOLINT(google-explicit-constructor): every kind is an event
  EventBox(const EventBox& other);
  EventBox(EventBox&& other) noexcept;
  EventBox& operator=(EventBox other) noexcept;
  ~EventBox();
  [[nodiscard]] const Event& operator*() const { return *content_; }
  [[nodiscard]] const Event* operator->() const { return content_.get(); }
  friend bool operator==(const EventBox& left, const EventBox& right);

 private:
  friend class internal::EventReader;
  EventBox();  ///< Holds no_event() until a value is assigned.

  std::unique_ptr<Event> content_;
};

// Every kind lists its fields once, in the order of the JSON form, with the range of each. Checks,
// writer and reader of events all go through `fields`. Conditions on several fields together are
// checked in event.cc.

/// Rounded Gaussian noise on a sum of vectors of norm at most C: standard deviation
/// `noise_multiplier` times C. The accountant applies the adjacency's distance (C or 2C).
struct Gaussian {
  double noise_multiplier;

  static constexpr const char* kind = "gaussian";
  static void fields(auto& e, auto&& field) {
    field("noise_multiplier", e.noise_multiplier, range::nonnegative);
  }
  friend bool operator==(const Gaussian&, const Gaussian&) = default;
};

/// Rounded Laplace noise of scale `noise_multiplier` times the bound C of a record's L1 norm. The
/// discrete Laplace distribution is a different one: see DiscreteLaplace.
struct Laplace {
  double noise_multiplier;

  static constexpr const char* kind = "laplace";
  static void fields(auto& e, auto&& field) {
    field("noise_multiplier", e.noise_multiplier, range::nonnegative);
  }
  friend bool operator==(const Laplace&, const Laplace&) = default;
};

/// Discrete Gaussian noise on integers: P(k) ~ exp(-k^2 / (2 sigma^2)). `sensitivity` is the bound
/// of one record's L2 norm in the same grid units; `dimension` the number of coordinates (the exact
/// scalar analysis holds for 1 only).
struct DiscreteGaussian {
  double sigma;
  std::int64_t sensitivity;
  std::int64_t dimension;

  static constexpr const char* kind = "discrete_gaussian";
  static void fields(auto& e, auto&& field) {
    field("sigma", e.sigma, range::finite);
    field("sensitivity", e.sensitivity, range::at_least(0));
    field("dimension", e.dimension, range::at_least(1));
  }
  friend bool operator==(const DiscreteGaussian&, const DiscreteGaussian&) = default;
};

/// Discrete Laplace noise on integers: P(k) ~ exp(-|k| / scale). `sensitivity` is the bound of one
/// record's L1 norm in the same grid units.
struct DiscreteLaplace {
  double scale;
  std::int64_t sensitivity;

  static constexpr const char* kind = "discrete_laplace";
  static void fields(auto& e, auto&& field) {
    field("scale", e.scale, range::finite);
    field("sensitivity", e.sensitivity, range::at_least(0));
  }
  friend bool operator==(const DiscreteLaplace&, const DiscreteLaplace&) = default;
};

/// Any mechanism proved epsilon-DP for `adjacency`.
struct PureDp {
  double epsilon;
  Adjacency adjacency;

  static constexpr const char* kind = "pure_dp";
  static void fields(auto& e, auto&& field) {
    field("epsilon", e.epsilon, range::nonnegative);
    field("adjacency", e.adjacency);
  }
  friend bool operator==(const PureDp&, const PureDp&) = default;
};

/// Any mechanism proved (epsilon, delta)-DP for `adjacency`.
struct ApproximateDp {
  double epsilon;
  double delta;
  Adjacency adjacency;

  static constexpr const char* kind = "approximate_dp";
  static void fields(auto& e, auto&& field) {
    field("epsilon", e.epsilon, range::nonnegative);
    field("delta", e.delta, range::probability);
    field("adjacency", e.adjacency);
  }
  friend bool operator==(const ApproximateDp&, const ApproximateDp&) = default;
};

/// A mechanism whose privacy loss varies by at most `epsilon` between outputs (Dong, Durfee, Rogers
/// 2020). The exponential mechanism at pure cost epsilon is one.
struct BoundedRange {
  double epsilon;
  Adjacency adjacency;

  static constexpr const char* kind = "bounded_range";
  static void fields(auto& e, auto&& field) {
    field("epsilon", e.epsilon, range::nonnegative);
    field("adjacency", e.adjacency);
  }
  friend bool operator==(const BoundedRange&, const BoundedRange&) = default;
};

/// One draw of the exponential mechanism with weights exp(eta u) over `candidates` scores u in
/// [0, score_bound], where neighbours change at most `support` scores, by at most `l2_sensitivity`
/// in L2 norm and with differences inside a range of `range_sensitivity`.
struct ScoreSelection {
  double eta;
  double score_bound;
  double l2_sensitivity;
  double range_sensitivity;
  std::int64_t candidates;
  std::int64_t support;
  Adjacency adjacency;

  static constexpr const char* kind = "score_selection";
  static void fields(auto& e, auto&& field) {
    field("eta", e.eta, range::finite);
    field("score_bound", e.score_bound, range::finite);
    field("l2_sensitivity", e.l2_sensitivity, range::finite);
    field("range_sensitivity", e.range_sensitivity, range::finite);
    field("candidates", e.candidates, range::at_least(1));
    field("support", e.support, range::at_least(0));
    field("adjacency", e.adjacency);
  }
  friend bool operator==(const ScoreSelection&, const ScoreSelection&) = default;
};

/// Any mechanism proved rho-zCDP for `adjacency`.
struct Zcdp {
  double rho;
  Adjacency adjacency;

  static constexpr const char* kind = "zcdp";
  static void fields(auto& e, auto&& field) {
    field("rho", e.rho, range::nonnegative);
    field("adjacency", e.adjacency);
  }
  friend bool operator==(const Zcdp&, const Zcdp&) = default;
};

/// One point of a Profile.
struct ProfilePoint {
  double epsilon;
  double delta;
  friend bool operator==(const ProfilePoint&, const ProfilePoint&) = default;
};

/// Any mechanism proved (epsilon_i, delta_i)-DP for every listed point, in both orders of the
/// neighbours; epsilons >= 0 ascending, deltas descending.
struct Profile {
  std::vector<ProfilePoint> points;
  Adjacency adjacency;

  static constexpr const char* kind = "profile";
  static void fields(auto& e, auto&& field) {
    field("points", e.points);
    field("adjacency", e.adjacency);
  }
  friend bool operator==(const Profile&, const Profile&) = default;
};

/// Objective perturbation in its approximate-minimum form: Gaussian noise `sigma` on the gradient
/// of a sum of losses with per-record slope bound `lipschitz` and curvature bound `smoothness`,
/// strong convexity `regularization`; the minimiser found to gradient norm `tolerance` and released
/// with Gaussian noise `output_sigma`.
struct ObjectivePerturbation {
  double sigma;
  double lipschitz;
  double smoothness;
  double regularization;
  double tolerance;
  double output_sigma;

  static constexpr const char* kind = "objective_perturbation";
  static void fields(auto& e, auto&& field) {
    field("sigma", e.sigma, range::positive);
    field("lipschitz", e.lipschitz, range::positive);
    field("smoothness", e.smoothness, range::finite);
    field("regularization", e.regularization, range::positive);
    field("tolerance", e.tolerance, range::finite);
    field("output_sigma", e.output_sigma, range::positive);
  }
  friend bool operator==(const ObjectivePerturbation&, const ObjectivePerturbation&) = default;
};

/// One report of each of `reports` honest clients through the same local randomiser at pure cost
/// `local_epsilon`, permuted by a trusted shuffler. Adjacency: replace_one.
struct ShuffledLocal {
  double local_epsilon;
  std::int64_t reports;

  static constexpr const char* kind = "shuffled_local";
  static void fields(auto& e, auto&& field) {
    field("local_epsilon", e.local_epsilon, range::nonnegative);
    field("reports", e.reports, range::at_least(1));
  }
  friend bool operator==(const ShuffledLocal&, const ShuffledLocal&) = default;
};

/// `base` on a sample that every record joins independently with probability `rate`; the sample
/// stays secret.
///
/// Where a privacy unit may have several records, at most `max_records_per_unit` = k of them count;
/// each joins by its own random draw. `base` states what the whole unit costs: the C of a noisy sum
/// bounds the unit's contribution, and each of its records adds at most C / k to it. With k above 1
/// there is a proof only if the base contains no samples, blocks, shuffled reports or objective
/// perturbation, and if no sample or block contains this event. Otherwise UsageError.
struct PoissonSampled {
  double rate;
  EventBox base;
  std::int64_t max_records_per_unit = 1;  ///< 1 to records_per_unit_limit

  static constexpr const char* kind = "poisson_sampled";
  static void fields(auto& e, auto&& field) {
    field("rate", e.rate, range::probability);
    field("max_records_per_unit", e.max_records_per_unit,
          range::CountRange{1, records_per_unit_limit, 1});
    field("base", e.base);
  }
  friend bool operator==(const PoissonSampled&, const PoissonSampled&) = default;
};

/// `base` on a uniform subset of `sample_size` out of `population` records, drawn afresh and kept
/// secret. Samples and shuffles inside of `base` have at most `sample_size` records. Positions in
/// the sample are those of a list in random order.
struct FixedSizeSampled {
  std::int64_t sample_size;
  std::int64_t population;
  EventBox base;

  static constexpr const char* kind = "fixed_size_sampled";
  static void fields(auto& e, auto&& field) {
    field("sample_size", e.sample_size, range::at_least(0));
    field("population", e.population, range::at_least(1));
    field("base", e.base);
  }
  friend bool operator==(const FixedSizeSampled&, const FixedSizeSampled&) = default;
};

/// How records are assigned to the blocks of Partitioned. The assignment is public or assumed to
/// be: a position, an attribute, a published random draw. If the draw stays secret, the bounds hold
/// too, but they may be larger than necessary, since nobody knows in which block to look.
enum class Assignment {
  by_position,  ///< by a record's index (an epoch of fixed batches): an insertion moves the others
  by_record     ///< by the record alone: an insertion moves nobody else
};

/// As JSON writes it.
[[nodiscard]] const char* to_string(Assignment assignment);

/// Disjoint blocks of records, each read by one of `parts` only. An event that occurs several times
/// need be listed only once. If it is repeated, the blocks may differ from one time to the next.
struct Partitioned {
  Assignment assignment;
  std::vector<Event> parts;

  static constexpr const char* kind = "partitioned";
  static void fields(auto& e, auto&& field) {
    field("assignment", e.assignment);
    field("parts", e.parts);
  }
  friend bool operator==(const Partitioned&, const Partitioned&);
};

/// All of `parts`, one after the other. Each may depend on what the earlier ones released.
struct Composed {
  std::vector<Event> parts;

  static constexpr const char* kind = "composed";
  static void fields(auto& e, auto&& field) { field("parts", e.parts); }
  friend bool operator==(const Composed&, const Composed&);
};

/// `base` `count` times.
struct Repeated {
  std::int64_t count;
  EventBox base;

  static constexpr const char* kind = "repeated";
  static void fields(auto& e, auto&& field) {
    field("count", e.count, range::at_least(1));
    field("base", e.base);
  }
  friend bool operator==(const Repeated&, const Repeated&) = default;
};

/// Law of the number of repetitions K of private selection.
enum class RepetitionLaw {
  truncated_negative_binomial,  ///< shape eta > -1 and gamma in (0, 1); K >= 1
  poisson,                      ///< mean
  binomial                      ///< trials, probability
};

/// As JSON writes it.
[[nodiscard]] const char* to_string(RepetitionLaw law);

/// `base` repeated K times, K secret and drawn from a public law; only the best run is released.
/// Unused numbers of a law are 0. `cap` > 0 cuts K off there, which adds to delta; 0 means no cap.
struct RandomlyRepeated {
  RepetitionLaw law;
  double eta;
  double gamma;
  double mean;
  std::int64_t trials;
  double probability;
  std::int64_t cap;
  EventBox base;

  static constexpr const char* kind = "randomly_repeated";
  static void fields(auto& e, auto&& field) {
    field("law", e.law);
    if (e.law == RepetitionLaw::truncated_negative_binomial) {
      field("eta", e.eta, range::above_minus_one);
      field("gamma", e.gamma, range::inner_probability);
    } else if (e.law == RepetitionLaw::poisson) {
      field("mean", e.mean, range::positive);
    } else {
      field("trials", e.trials, range::at_least(1));
      field("probability", e.probability, range::inner_probability);
    }
    field("cap", e.cap, range::at_least(0));
    field("base", e.base);
  }
  friend bool operator==(const RandomlyRepeated&, const RandomlyRepeated&) = default;
};

/// A kind that states a guarantee for neighbours of its own adjacency.
template <typename Kind>
concept StatesGuarantee = requires(const Kind& e) {
  e.adjacency;
};
/// A kind around one event, and one around a list of them.
template <typename Kind>
concept HasBase = requires(const Kind& e) {
  e.base;
};
template <typename Kind>
concept HasParts = requires(const Kind& e) {
  e.parts;
};

}  // namespace tacet::privacy
