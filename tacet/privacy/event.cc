#include "tacet/privacy/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::privacy {

EventBox::EventBox(Event event) : content_(std::make_unique<Event>(std::move(event))) {}
EventBox::EventBox(const EventBox& other) : content_(std::make_unique<Event>(*other.content_)) {}
EventBox::EventBox(EventBox&& other) noexcept = default;
EventBox& EventBox::operator=(EventBox other) noexcept {
  content_ = std::move(other.content_);
  return *this;
}
EventBox::~EventBox() = default;
bool operator==(const EventBox& left, const EventBox& right) { return *left == *right; }
bool operator==(const Partitioned& left, const Partitioned& right) = default;
bool operator==(const Composed& left, const Composed& right) = default;

namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

[[noreturn]] void refuse(const char* kind, const char* field, const char* allowed, double given) {
  throw base::UsageError(fmt::format("{}.{} must be {}, got {}", kind, field, allowed, given));
}

// Minus zero counts as negative: what divides by it gets the wrong sign.
bool negative(double value) { return !(value >= 0) || std::signbit(value); }

void need_nonnegative(const char* kind, const char* field, double value) {
  if (negative(value)) refuse(kind, field, "0 or more", value);
}

void need_finite_nonnegative(const char* kind, const char* field, double value) {
  if (negative(value) || !std::isfinite(value)) refuse(kind, field, "finite and 0 or more", value);
}

void need_positive(const char* kind, const char* field, double value) {
  if (!(value > 0) || !std::isfinite(value)) refuse(kind, field, "positive and finite", value);
}

void need_probability(const char* kind, const char* field, double value) {
  if (negative(value) || value > 1) refuse(kind, field, "in [0, 1]", value);
}

void need_at_least(const char* kind, const char* field, std::int64_t value, std::int64_t least) {
  if (value < least) {
    throw base::UsageError(
        fmt::format("{}.{} must be {} or more, got {}", kind, field, least, value));
  }
}

void check_profile(const Profile& profile) {
  if (profile.points.empty()) throw base::UsageError("profile.points must hold at least one point");
  double epsilon = -1;
  double delta = 2;
  for (const auto& point : profile.points) {
    need_finite_nonnegative("profile", "epsilon", point.epsilon);
    need_probability("profile", "delta", point.delta);
    if (!(point.epsilon > epsilon) || !(point.delta < delta)) {
      throw base::UsageError("profile.points must have ascending epsilons and descending deltas");
    }
    epsilon = point.epsilon;
    delta = point.delta;
  }
}

void check_repetition(const RandomlyRepeated& event) {
  const auto* kind = "randomly_repeated";
  need_at_least(kind, "cap", event.cap, 0);
  switch (event.law) {
    case RepetitionLaw::truncated_negative_binomial:
      if (!(event.eta > -1) || !std::isfinite(event.eta)) {
        refuse(kind, "eta", "above -1 and finite", event.eta);
      }
      if (!(event.gamma > 0 && event.gamma < 1)) refuse(kind, "gamma", "in (0, 1)", event.gamma);
      return;
    case RepetitionLaw::poisson:
      need_positive(kind, "mean", event.mean);
      return;
    case RepetitionLaw::binomial:
      need_at_least(kind, "trials", event.trials, 1);
      if (!(event.probability > 0 && event.probability < 1)) {
        refuse(kind, "probability", "in (0, 1)", event.probability);
      }
      return;
  }
  throw base::InternalError("a repetition law outside its enumeration");
}

void check_objective(const ObjectivePerturbation& event) {
  const auto* kind = "objective_perturbation";
  need_positive(kind, "sigma", event.sigma);
  need_positive(kind, "lipschitz", event.lipschitz);
  need_finite_nonnegative(kind, "smoothness", event.smoothness);
  need_positive(kind, "regularization", event.regularization);
  need_finite_nonnegative(kind, "tolerance", event.tolerance);
  need_positive(kind, "output_sigma", event.output_sigma);
}

void check_selection(const ScoreSelection& event) {
  const auto* kind = "score_selection";
  need_finite_nonnegative(kind, "eta", event.eta);
  need_finite_nonnegative(kind, "score_bound", event.score_bound);
  need_finite_nonnegative(kind, "l2_sensitivity", event.l2_sensitivity);
  need_finite_nonnegative(kind, "range_sensitivity", event.range_sensitivity);
  need_at_least(kind, "candidates", event.candidates, 1);
  need_at_least(kind, "support", event.support, 0);
}

/// Refuses what reads more records out of a sample than it holds.
struct WithinSample {
  std::int64_t size;

  void need(const char* field, std::int64_t count) const {
    if (count <= size) return;
    throw base::UsageError(fmt::format(
        "{} must be at most the {} records of the sample around it, got {}", field, size, count));
  }
  // Its own base was checked against its own, smaller sample.
  void operator()(const FixedSizeSampled& e) const {
    need("fixed_size_sampled.population", e.population);
  }
  void operator()(const ShuffledLocal& e) const { need("shuffled_local.reports", e.reports); }
  void operator()(const PoissonSampled& e) const { of(*e.base); }
  void operator()(const Repeated& e) const { of(*e.base); }
  void operator()(const RandomlyRepeated& e) const { of(*e.base); }
  void operator()(const Composed& e) const { all(e.parts); }
  void operator()(const Partitioned& e) const { all(e.parts); }
  template <typename Leaf>
  void operator()(const Leaf&) const {}

  void of(const Event& event) const { std::visit(*this, event.node()); }
  void all(const std::vector<Event>& parts) const {
    for (const auto& part : parts) of(part);
  }
};

/// Of samples of several records a unit.
struct SeveralRecords {
  bool operator()(const PoissonSampled& e) const { return e.records_a_unit > 1 || of(*e.base); }
  bool operator()(const FixedSizeSampled& e) const { return of(*e.base); }
  bool operator()(const Repeated& e) const { return of(*e.base); }
  bool operator()(const RandomlyRepeated& e) const { return of(*e.base); }
  bool operator()(const Composed& e) const { return any(e.parts); }
  bool operator()(const Partitioned& e) const { return any(e.parts); }
  template <typename Leaf>
  bool operator()(const Leaf&) const {
    return false;
  }

  static bool of(const Event& event) { return std::visit(SeveralRecords{}, event.node()); }
  static bool any(const std::vector<Event>& parts) {
    return std::any_of(parts.begin(), parts.end(), [](const Event& part) { return of(part); });
  }
};

void refuse_several_records(const char* kind, bool inside) {
  if (!inside) return;
  throw base::UsageError(
      fmt::format("{} counts single records, but holds a Poisson sample of units with several "
                  "records (records_a_unit), for which nothing is proved there; take the sample "
                  "alone",
                  kind));
}

/// Refuses what counts single records and so says nothing about a unit of several.
struct OfWholeUnits {
  [[noreturn]] static void refuse_kind(const char* kind) {
    throw base::UsageError(
        fmt::format("poisson_sampled.records_a_unit must be 1 around {}, for which nothing is "
                    "proved about units of several records",
                    kind));
  }
  void operator()(const PoissonSampled&) const { refuse_kind("poisson_sampled"); }
  void operator()(const FixedSizeSampled&) const { refuse_kind("fixed_size_sampled"); }
  void operator()(const Partitioned&) const { refuse_kind("partitioned"); }
  void operator()(const ShuffledLocal&) const { refuse_kind("shuffled_local"); }
  void operator()(const ObjectivePerturbation&) const { refuse_kind("objective_perturbation"); }
  void operator()(const Repeated& e) const { of(*e.base); }
  void operator()(const RandomlyRepeated& e) const { of(*e.base); }
  void operator()(const Composed& e) const {
    for (const auto& part : e.parts) of(part);
  }
  template <typename Leaf>
  void operator()(const Leaf&) const {}

  static void of(const Event& event) { std::visit(OfWholeUnits{}, event.node()); }
};

void check_poisson(const PoissonSampled& event) {
  need_probability("poisson_sampled", "rate", event.rate);
  need_at_least("poisson_sampled", "records_a_unit", event.records_a_unit, 1);
  if (event.records_a_unit > most_records_a_unit) {
    throw base::UsageError(fmt::format("poisson_sampled.records_a_unit must be at most {}, got {}",
                                       most_records_a_unit, event.records_a_unit));
  }
  if (event.records_a_unit > 1) OfWholeUnits::of(*event.base);
  refuse_several_records("poisson_sampled", SeveralRecords::of(*event.base));
}

}  // namespace

void Event::check() const {
  std::visit(
      Overloaded{
          [](const Gaussian& e) {
            need_nonnegative("gaussian", "noise_multiplier", e.noise_multiplier);
          },
          [](const Laplace& e) {
            need_nonnegative("laplace", "noise_multiplier", e.noise_multiplier);
          },
          [](const DiscreteGaussian& e) {
            need_finite_nonnegative("discrete_gaussian", "sigma", e.sigma);
            need_at_least("discrete_gaussian", "sensitivity", e.sensitivity, 0);
            need_at_least("discrete_gaussian", "dimension", e.dimension, 1);
          },
          [](const DiscreteLaplace& e) {
            need_finite_nonnegative("discrete_laplace", "scale", e.scale);
            need_at_least("discrete_laplace", "sensitivity", e.sensitivity, 0);
          },
          [](const PureDp& e) { need_nonnegative("pure_dp", "epsilon", e.epsilon); },
          [](const ApproximateDp& e) {
            need_nonnegative("approximate_dp", "epsilon", e.epsilon);
            need_probability("approximate_dp", "delta", e.delta);
          },
          [](const BoundedRange& e) { need_nonnegative("bounded_range", "epsilon", e.epsilon); },
          [](const ScoreSelection& e) { check_selection(e); },
          [](const Zcdp& e) { need_nonnegative("zcdp", "rho", e.rho); },
          [](const Profile& e) { check_profile(e); },
          [](const ObjectivePerturbation& e) { check_objective(e); },
          [](const ShuffledLocal& e) {
            need_nonnegative("shuffled_local", "local_epsilon", e.local_epsilon);
            need_at_least("shuffled_local", "reports", e.reports, 1);
          },
          [](const PoissonSampled& e) { check_poisson(e); },
          [](const FixedSizeSampled& e) {
            need_at_least("fixed_size_sampled", "sample_size", e.sample_size, 0);
            need_at_least("fixed_size_sampled", "population", e.population, 1);
            if (e.sample_size > e.population) {
              throw base::UsageError(fmt::format(
                  "fixed_size_sampled.sample_size must be at most the population {}, got {}",
                  e.population, e.sample_size));
            }
            WithinSample{e.sample_size}.of(*e.base);
            refuse_several_records("fixed_size_sampled", SeveralRecords::of(*e.base));
          },
          [](const Partitioned& e) {
            if (e.parts.empty()) throw base::UsageError("partitioned.parts must not be empty");
            refuse_several_records("partitioned", SeveralRecords::any(e.parts));
          },
          [](const Composed&) {},
          [](const Repeated& e) { need_at_least("repeated", "count", e.count, 1); },
          [](const RandomlyRepeated& e) { check_repetition(e); }},
      node_);
}

Event no_event() { return Composed{{}}; }

}  // namespace tacet::privacy
