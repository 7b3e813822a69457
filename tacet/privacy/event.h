#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/privacy/adjacency.h"

namespace tacet::privacy {

class Event;

/// The largest number of records that a privacy unit may have in an event.
inline constexpr std::int64_t most_records_a_unit = std::int64_t{1} << 20;

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
  std::unique_ptr<Event> content_;
};

/// Rounded Gaussian noise on a sum of vectors of norm at most C: standard deviation
/// `noise_multiplier` times C. The accountant applies the adjacency's distance (C or 2C).
struct Gaussian {
  double noise_multiplier;
  friend bool operator==(const Gaussian&, const Gaussian&) = default;
};

/// Rounded Laplace noise of scale `noise_multiplier` times the bound C of a record's L1 norm. The
/// discrete Laplace distribution is another one and has its own event.
struct Laplace {
  double noise_multiplier;
  friend bool operator==(const Laplace&, const Laplace&) = default;
};

/// Discrete Gaussian noise on integers: P(k) ~ exp(-k^2 / (2 sigma^2)). `sensitivity` is the bound
/// of one record's L2 norm in the same grid units; `dimension` the number of coordinates (the exact
/// scalar analysis holds for 1 only).
struct DiscreteGaussian {
  double sigma;
  std::int64_t sensitivity;
  std::int64_t dimension;
  friend bool operator==(const DiscreteGaussian&, const DiscreteGaussian&) = default;
};

/// Discrete Laplace noise on integers: P(k) ~ exp(-|k| / scale). `sensitivity` is the bound of one
/// record's L1 norm in the same grid units.
struct DiscreteLaplace {
  double scale;
  std::int64_t sensitivity;
  friend bool operator==(const DiscreteLaplace&, const DiscreteLaplace&) = default;
};

/// Any mechanism proved epsilon-DP for `adjacency`.
struct PureDp {
  double epsilon;
  Adjacency adjacency;
  friend bool operator==(const PureDp&, const PureDp&) = default;
};

/// Any mechanism proved (epsilon, delta)-DP for `adjacency`.
struct ApproximateDp {
  double epsilon;
  double delta;
  Adjacency adjacency;
  friend bool operator==(const ApproximateDp&, const ApproximateDp&) = default;
};

/// A mechanism whose loss varies by at most `epsilon` between outputs (Dong, Durfee, Rogers 2020);
/// the exponential mechanism at pure cost epsilon is one.
struct BoundedRange {
  double epsilon;
  Adjacency adjacency;
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
  friend bool operator==(const ScoreSelection&, const ScoreSelection&) = default;
};

/// Any mechanism proved rho-zCDP for `adjacency`.
struct Zcdp {
  double rho;
  Adjacency adjacency;
  friend bool operator==(const Zcdp&, const Zcdp&) = default;
};

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
  friend bool operator==(const ObjectivePerturbation&, const ObjectivePerturbation&) = default;
};

/// One report of each of `reports` honest clients through the same local randomiser at pure cost
/// `local_epsilon`, permuted by a trusted shuffler. Adjacency: replace_one.
struct ShuffledLocal {
  double local_epsilon;
  std::int64_t reports;
  friend bool operator==(const ShuffledLocal&, const ShuffledLocal&) = default;
};

/// `base` on a sample that every record joins independently with probability `rate`; the sample
/// stays secret.
///
/// Where a privacy unit may have several records, `records_a_unit` = k is how many of them can take
/// part at most; each draws its own coin. `base` states what the whole unit costs: the C of a noisy
/// sum bounds the unit's contribution, and each of its records adds at most C / k to it. With k
/// above 1 neither is the base made of samples, blocks, shuffled reports or objective perturbation,
/// nor does the event stand in a sample or a block (UsageError): nothing is proved there.
struct PoissonSampled {
  double rate;
  EventBox base;
  std::int64_t records_a_unit = 1;  ///< 1 to most_records_a_unit
  friend bool operator==(const PoissonSampled&, const PoissonSampled&) = default;
};

/// `base` on a uniform subset of `sample_size` out of `population` records, drawn afresh and kept
/// secret. What `base` samples or shuffles in turn is at most the sample; positions in it are those
/// of a list in random order.
struct FixedSizeSampled {
  std::int64_t sample_size;
  std::int64_t population;
  EventBox base;
  friend bool operator==(const FixedSizeSampled&, const FixedSizeSampled&) = default;
};

/// How records are assigned to the blocks of Partitioned: by what is public, or at least taken to
/// be (a position, an attribute, a coin that is published). Where a coin stays secret the bounds
/// hold as well, but nobody knows then in which block to look, so that they need not be attained.
enum class Assignment {
  by_position,  ///< by a record's index (an epoch of fixed batches): an insertion moves the others
  by_record     ///< by the record alone: an insertion moves nobody else
};

/// Disjoint blocks of records, each read by one of `parts` only (events that occur several times
/// need be listed once). Where it is repeated the blocks may differ from one time to the next.
struct Partitioned {
  Assignment assignment;
  std::vector<Event> parts;
  friend bool operator==(const Partitioned&, const Partitioned&);
};

/// All of `parts`, one after the other, each may depend on what the earlier ones released.
struct Composed {
  std::vector<Event> parts;
  friend bool operator==(const Composed&, const Composed&);
};

/// `base` `count` times.
struct Repeated {
  std::int64_t count;
  EventBox base;
  friend bool operator==(const Repeated&, const Repeated&) = default;
};

/// Law of the number of repetitions K of private tuning.
enum class RepetitionLaw {
  truncated_negative_binomial,  ///< shape eta > -1 and gamma in (0, 1); K >= 1
  poisson,                      ///< mean
  binomial                      ///< trials, probability
};

/// `base` repeated K times, K secret and drawn from a public law; only the best run is released.
/// Unused numbers of a law are 0. `cap` > 0 cuts K there (its cost is added to delta); 0: no cap.
struct RandomlyRepeated {
  RepetitionLaw law;
  double eta;
  double gamma;
  double mean;
  std::int64_t trials;
  double probability;
  std::int64_t cap;
  EventBox base;
  friend bool operator==(const RandomlyRepeated&, const RandomlyRepeated&) = default;
};

namespace internal {
template <typename Kind, typename Variant>
struct IsAlternative;
template <typename Kind, typename... Kinds>
struct IsAlternative<Kind, std::variant<Kinds...>>
    : std::bool_constant<(std::is_same_v<Kind, Kinds> || ...)> {};
}  // namespace internal

/// What a release cost: a small tree with value semantics. Constructing one checks its ranges; a
/// violation is a UsageError that names the field.
class Event {
 public:
  using Node = std::variant<Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, PureDp,
                            ApproximateDp, BoundedRange, ScoreSelection, Zcdp, Profile,
                            ObjectivePerturbation, ShuffledLocal, PoissonSampled, FixedSizeSampled,
                            Partitioned, Composed, Repeated, RandomlyRepeated>;

  template <typename Kind>
  requires internal::IsAlternative<Kind, Node>::value Event(
      Kind node)  // NOLINT(google-explicit-constructor): every kind is an event
      : node_(std::move(node)) {
    check();
  }

  [[nodiscard]] const Node& node() const { return node_; }
  template <typename Kind>
  [[nodiscard]] const Kind* as() const {
    return std::get_if<Kind>(&node_);
  }
  friend bool operator==(const Event& left, const Event& right) {
    return left.node_ == right.node_;
  }

 private:
  void check() const;

  Node node_;
};

template <typename Kind>
requires std::is_aggregate_v<Kind> EventBox::EventBox(Kind kind)
    : EventBox(Event(std::move(kind))) {}

/// The kind's name in the JSON form ("gaussian", "poisson_sampled", ...).
[[nodiscard]] std::string kind_name(const Event& event);

/// Nothing was released: costs nothing.
[[nodiscard]] Event no_event();

/// JSON form, version 1. Infinity is written "inf".
[[nodiscard]] std::string event_to_json(const Event& event, int indent = -1);

/// Reads the JSON form strictly: an unknown kind, version or key, a missing or repeated key, a
/// value out of range, a text over max_event_bytes, a tree deeper than max_event_depth or of more
/// than max_event_nodes nodes is a DataError that says where.
[[nodiscard]] Event event_from_json(std::string_view text);

inline constexpr std::size_t max_event_bytes = std::size_t{1} << 20;
inline constexpr int max_event_depth = 32;
inline constexpr int max_event_nodes = 20000;

}  // namespace tacet::privacy
