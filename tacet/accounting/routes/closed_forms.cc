#include "tacet/accounting/routes/closed_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/numeric/infinity.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

using numeric::infinity;

/// Whether all of an event is noise on sums, of which a part of a unit costs its part.
bool is_sum(const Event& event) {
  if (const auto* composed = event.as<Composed>()) {
    return std::all_of(composed->parts.begin(), composed->parts.end(), is_sum);
  }
  if (const auto* repeated = event.as<Repeated>()) return is_sum(*repeated->base);
  return event.as<Gaussian>() != nullptr || event.as<Laplace>() != nullptr ||
         event.as<DiscreteGaussian>() != nullptr || event.as<DiscreteLaplace>() != nullptr;
}

struct PureEpsilon {
  Adjacency adjacency;

  double own(double epsilon, Adjacency stated) const {
    return stated == adjacency ? epsilon : infinity;
  }
  double operator()(const Gaussian& e) const {
    return std::isinf(e.noise_multiplier) ? 0 : infinity;
  }
  double operator()(const Laplace& e) const {
    return numeric::divide_up(distance_factor(adjacency), e.noise_multiplier);
  }
  double operator()(const DiscreteGaussian& e) const { return e.sensitivity == 0 ? 0 : infinity; }
  double operator()(const DiscreteLaplace& e) const {
    if (e.sensitivity == 0) return 0;
    return numeric::divide_up(distance_factor(adjacency) * numeric::count_up(e.sensitivity),
                              e.scale);
  }
  double operator()(const PureDp& e) const { return own(e.epsilon, e.adjacency); }
  double operator()(const ApproximateDp& e) const {
    return e.delta == 0 ? own(e.epsilon, e.adjacency) : infinity;
  }
  double operator()(const BoundedRange& e) const { return own(e.epsilon, e.adjacency); }
  double operator()(const ScoreSelection& e) const {
    return own(numeric::multiply_up(e.eta, e.range_sensitivity), e.adjacency);
  }
  double operator()(const Zcdp& e) const { return e.rho == 0 ? own(0, e.adjacency) : infinity; }
  double operator()(const Profile& e) const {
    return e.points.back().delta == 0 ? own(e.points.back().epsilon, e.adjacency) : infinity;
  }
  double operator()(const ObjectivePerturbation&) const { return infinity; }
  double operator()(const ShuffledLocal& e) const {
    // Shuffling never costs more than the local guarantee.
    return adjacency == Adjacency::replace_one ? e.local_epsilon : infinity;
  }
  double operator()(const PoissonSampled& e) const {
    if (e.rate == 0) return 0;
    if (e.rate == 1) return pure_epsilon(*e.base, adjacency);
    const double own = pure_epsilon(*e.base, adjacency);
    const double rate = unit_rate(e);
    if (!is_replaced(e, adjacency)) return std::min(amplified(rate, own), record_by_record(e, own));
    const double base = pure_epsilon(*e.base, Adjacency::add_remove);
    return std::min({own, replaced(rate, base), record_by_record(e, base)});
  }
  /// sampled_units.md, section 3: j records of a unit cost j / k of a sum's epsilon, and the mean
  /// of e^{j epsilon / k} over the binomial j is a k-th power.
  double record_by_record(const PoissonSampled& e, double whole) const {
    if (e.records_a_unit == 1 || !is_sum(*e.base) || std::isinf(whole)) return infinity;
    const double count = numeric::count_up(e.records_a_unit);
    const double one = numeric::divide_up(whole, count);
    return numeric::multiply_up(
        count, is_replaced(e, adjacency) ? replaced(e.rate, one) : amplified(e.rate, one));
  }
  double operator()(const FixedSizeSampled& e) const {
    if (e.sample_size == 0) return 0;
    if (adjacency == Adjacency::add_remove) return infinity;
    return amplified(sampled_fraction(e), pure_epsilon(*e.base, inner_adjacency(e, adjacency)));
  }
  double operator()(const Partitioned& e) const {
    if (!blocks_are_parallel(e, adjacency)) return infinity;
    double largest = 0;
    for (const auto& part : e.parts) largest = std::max(largest, pure_epsilon(part, adjacency));
    return largest;
  }
  double operator()(const Composed& e) const {
    double sum = 0;
    for (const auto& part : e.parts) sum = numeric::add_up(sum, pure_epsilon(part, adjacency));
    return sum;
  }
  double operator()(const Repeated& e) const {
    const double base = pure_epsilon(*e.base, adjacency);
    return numeric::multiply_up(base, numeric::count_up(e.count));
  }
  double operator()(const RandomlyRepeated& e) const {
    // The cap's cost in delta rules out a pure bound.
    if (e.cap != 0) return infinity;
    const double base = pure_epsilon(*e.base, adjacency);
    if (base == 0 || std::isinf(base)) return base;
    return repetition::pure_epsilon(repetition::law_of(e), base);
  }

  /// ln[(1 - q + q e^epsilon) / (1 - q + q e^-epsilon)], rounded up: replaced_record.md, section 3.
  static double replaced(double rate, double epsilon) {
    if (std::isinf(epsilon) || epsilon == 0) return epsilon;
    const double loss = pairs::mixed_loss(rate, epsilon) - pairs::mixed_loss(rate, -epsilon);
    return std::max(loss * (1 + 1e-14), std::numeric_limits<double>::denorm_min());
  }
};

}  // namespace

double amplified(double rate, double loss) {
  if (std::isinf(loss) || loss > 700 || rate == 1) return loss;
  // Products of tiny rates and losses keep at least the smallest double.
  constexpr double margin = 1e-15;  // of expm1 and log1p
  const double change = numeric::multiply_up(rate, std::expm1(loss) * (1 + margin));
  return std::min(loss, numeric::round_up(std::log1p(change) * (1 + margin)));
}

double unit_rate(const PoissonSampled& event) {
  if (event.records_a_unit == 1 || event.rate == 0 || event.rate == 1) return event.rate;
  const double log_none = static_cast<double>(event.records_a_unit) * std::log1p(-event.rate);
  constexpr double rounding = 1 + 1e-15;
  return std::min(1.0, std::max(event.rate, -std::expm1(log_none * rounding) * rounding));
}

Adjacency inner_adjacency(const FixedSizeSampled& /*event*/, Adjacency /*adjacency*/) {
  return Adjacency::replace_one;
}

double sampled_fraction(const FixedSizeSampled& event) {
  // Both counts as doubles, the numerator not below and the denominator not above its value.
  const auto population = static_cast<double>(event.population);
  const double below =
      event.population > (std::int64_t{1} << 53) ? std::nextafter(population, 0) : population;
  return std::min(1.0, numeric::divide_up(numeric::count_up(event.sample_size), below));
}

Event without_sampling(const Event& event) {
  if (const auto* sampled = event.as<PoissonSampled>()) return without_sampling(*sampled->base);
  if (const auto* repeated = event.as<Repeated>()) {
    return Repeated{repeated->count, without_sampling(*repeated->base)};
  }
  if (const auto* composed = event.as<Composed>()) {
    Composed all;
    for (const auto& part : composed->parts) all.parts.push_back(without_sampling(part));
    return all;
  }
  return event;
}

bool blocks_are_parallel(const Partitioned& event, Adjacency adjacency) {
  if (adjacency == Adjacency::zero_out) return true;
  const bool by_position = event.assignment == Assignment::by_position;
  return by_position == (adjacency == Adjacency::replace_one);
}

std::optional<double> squared_mu(const Event& event, Adjacency adjacency) {
  if (const auto* gaussian = event.as<Gaussian>()) {
    if (std::isinf(gaussian->noise_multiplier)) return 0;
    const double mu = numeric::divide_up(distance_factor(adjacency), gaussian->noise_multiplier);
    return numeric::multiply_up(mu, mu);
  }
  if (const auto* repeated = event.as<Repeated>()) {
    const auto base = squared_mu(*repeated->base, adjacency);
    if (!base) return base;
    return numeric::multiply_up(*base, numeric::count_up(repeated->count));
  }
  if (const auto* composed = event.as<Composed>()) {
    double sum = 0;
    for (const auto& part : composed->parts) {
      const auto square = squared_mu(part, adjacency);
      if (!square) return square;
      sum = numeric::add_up(sum, *square);
    }
    return sum;
  }
  if (const auto* blocks = event.as<Partitioned>()) {
    if (!blocks_are_parallel(*blocks, adjacency)) return std::nullopt;
    double largest = 0;
    for (const auto& part : blocks->parts) {
      const auto square = squared_mu(part, adjacency);
      if (!square) return square;
      largest = std::max(largest, *square);
    }
    return largest;
  }
  if (const auto* sampled = event.as<PoissonSampled>()) {
    if (sampled->rate == 0) return 0;
    if (sampled->rate == 1) return squared_mu(*sampled->base, adjacency);
  }
  return std::nullopt;
}

namespace {

/// How often squared_mu rounds for an event, at most; infinity where it may be far above the truth.
double roundings(const Event& event) {
  double sum = 4;
  if (const auto* gaussian = event.as<Gaussian>()) {
    // Squares of smaller mu come near the smallest doubles.
    constexpr double largest_noise = 1e140;
    const bool tiny = gaussian->noise_multiplier > largest_noise;
    return tiny && std::isfinite(gaussian->noise_multiplier) ? infinity : sum;
  }
  if (const auto* repeated = event.as<Repeated>()) return sum + roundings(*repeated->base);
  if (const auto* sampled = event.as<PoissonSampled>()) return sum + roundings(*sampled->base);
  if (const auto* composed = event.as<Composed>()) {
    for (const auto& part : composed->parts) sum += 1 + roundings(part);
  }
  if (const auto* blocks = event.as<Partitioned>()) {
    for (const auto& part : blocks->parts) sum += roundings(part);
  }
  return sum;
}

}  // namespace

double mu_below(const Event& event, Adjacency adjacency) {
  const auto square = squared_mu(event, adjacency);
  if (!square || *square == 0) return 0;
  return std::max(0.0, std::sqrt(*square) * (1 - 0x1p-52 * roundings(event)));
}

namespace {

/// Whether what is known of an event is a guarantee stated for whole records, so that an emptied
/// record is one as well.
bool has_stated(const Event& event) {
  const auto any = [](const std::vector<Event>& parts) {
    return std::any_of(parts.begin(), parts.end(), has_stated);
  };
  if (const auto* composed = event.as<Composed>()) return any(composed->parts);
  if (const auto* blocks = event.as<Partitioned>()) return any(blocks->parts);
  if (const auto* repeated = event.as<Repeated>()) return has_stated(*repeated->base);
  if (const auto* sampled = event.as<PoissonSampled>()) return has_stated(*sampled->base);
  if (const auto* tuned = event.as<RandomlyRepeated>()) return has_stated(*tuned->base);
  return event.as<PureDp>() != nullptr || event.as<ApproximateDp>() != nullptr ||
         event.as<BoundedRange>() != nullptr || event.as<ScoreSelection>() != nullptr ||
         event.as<Zcdp>() != nullptr || event.as<Profile>() != nullptr;
}

}  // namespace

bool is_replaced(const PoissonSampled& event, Adjacency adjacency) {
  return adjacency == Adjacency::replace_one ||
         (adjacency == Adjacency::zero_out && has_stated(*event.base));
}

double pure_epsilon(const Event& event, Adjacency adjacency) {
  return std::visit(PureEpsilon{adjacency}, event.node());
}

namespace {

/// Sums of a whole event; nothing where a part has no pure or (epsilon, delta) bound.
struct Basic {
  using Bound = std::optional<BasicBound>;
  Adjacency adjacency;

  Bound operator()(const ApproximateDp& e) const {
    if (e.adjacency != adjacency) return std::nullopt;
    return BasicBound{e.epsilon, e.delta};
  }
  Bound operator()(const Profile& e) const {
    if (e.adjacency != adjacency) return std::nullopt;
    return BasicBound{e.points.back().epsilon, e.points.back().delta};
  }
  Bound operator()(const PoissonSampled& e) const {
    if (e.rate < 1 && is_replaced(e, adjacency)) return replaced(e);
    const auto base = basic_composition(*e.base, adjacency);
    return base ? sampled(*base, unit_rate(e)) : base;  // Balle, Barthe, Gaboardi 2018, theorem 8
  }
  Bound operator()(const FixedSizeSampled& e) const {
    if (adjacency == Adjacency::add_remove) return std::nullopt;
    const auto base = basic_composition(*e.base, inner_adjacency(e, adjacency));
    const double rate = sampled_fraction(e);
    return base ? sampled(*base, rate) : base;  // theorem 9 there
  }
  Bound operator()(const Repeated& e) const {
    const auto base = basic_composition(*e.base, adjacency);
    if (!base) return base;
    const double count = numeric::count_up(e.count);
    return BasicBound{numeric::multiply_up(base->epsilon, count),
                      numeric::multiply_up(base->delta, count)};
  }
  Bound operator()(const Composed& e) const {
    return over(e.parts, [](double a, double b) { return numeric::add_up(a, b); });
  }
  Bound operator()(const Partitioned& e) const {
    if (!blocks_are_parallel(e, adjacency)) return std::nullopt;
    return over(e.parts, [](double a, double b) { return std::max(a, b); });
  }
  template <typename Other>
  Bound operator()(const Other&) const {
    return std::nullopt;
  }

  static BasicBound sampled(const BasicBound& base, double rate) {
    return {amplified(rate, base.epsilon), numeric::multiply_up(rate, base.delta)};
  }
  /// replaced_record.md, section 3: delta is q delta (1 + e^{epsilon' - epsilon}).
  static Bound replaced(const PoissonSampled& e) {
    const auto base = basic_composition(*e.base, Adjacency::add_remove);
    if (!base || std::isinf(base->epsilon)) return base;
    const double rate = unit_rate(e);
    const double epsilon = PureEpsilon::replaced(rate, base->epsilon);
    const double growth = (1 + std::exp(epsilon - base->epsilon)) * (1 + 1e-14);
    return BasicBound{epsilon, std::min(1.0, numeric::multiply_up(
                                                 growth, numeric::multiply_up(rate, base->delta)))};
  }
  template <typename Combine>
  Bound over(const std::vector<Event>& parts, const Combine& combine) const {
    BasicBound sum{0, 0};
    for (const auto& part : parts) {
      const auto one = basic_composition(part, adjacency);
      if (!one) return one;
      sum = {combine(sum.epsilon, one->epsilon), combine(sum.delta, one->delta)};
    }
    return sum;
  }
};

}  // namespace

std::optional<BasicBound> basic_composition(const Event& event, Adjacency adjacency) {
  if (const double pure = pure_epsilon(event, adjacency); std::isfinite(pure)) {
    return BasicBound{pure, 0};
  }
  return std::visit(Basic{adjacency}, event.node());
}

namespace {

/// The first kind in an event that compares two records, or two samples of one size, and so says
/// nothing of a sample with a record against the same one without.
struct NeedsAnotherRecord {
  std::string operator()(const PureDp& e) const { return stated(e, "pure_dp"); }
  std::string operator()(const ApproximateDp& e) const { return stated(e, "approximate_dp"); }
  std::string operator()(const BoundedRange& e) const { return stated(e, "bounded_range"); }
  std::string operator()(const ScoreSelection& e) const { return stated(e, "score_selection"); }
  std::string operator()(const Zcdp& e) const { return stated(e, "zcdp"); }
  std::string operator()(const Profile& e) const { return stated(e, "profile"); }
  std::string operator()(const ShuffledLocal&) const { return "shuffled_local"; }
  std::string operator()(const FixedSizeSampled&) const { return "fixed_size_sampled"; }
  std::string operator()(const Partitioned& e) const {
    return blocks_are_parallel(e, Adjacency::add_remove) ? first(e.parts) : "partitioned";
  }
  std::string operator()(const Composed& e) const { return first(e.parts); }
  std::string operator()(const Repeated& e) const { return of(*e.base); }
  std::string operator()(const RandomlyRepeated& e) const { return of(*e.base); }
  std::string operator()(const PoissonSampled& e) const { return of(*e.base); }
  template <typename Leaf>
  std::string operator()(const Leaf&) const {
    return {};
  }

  template <typename Stated>
  static std::string stated(const Stated& event, const char* kind) {
    return event.adjacency == Adjacency::add_remove ? "" : kind;
  }
  static std::string of(const Event& event) {
    return std::visit(NeedsAnotherRecord{}, event.node());
  }
  static std::string first(const std::vector<Event>& parts) {
    for (const auto& part : parts) {
      if (auto kind = of(part); !kind.empty()) return kind;
    }
    return {};
  }
};

struct Refusal {
  Adjacency adjacency;

  std::string mismatch(const char* kind, Adjacency stated) const {
    if (stated == adjacency) return {};
    return fmt::format(
        "{} was proved for {} neighbours and says nothing under {}; state what is proved for {}, "
        "or "
        "account for {}",
        kind, to_string(stated), to_string(adjacency), to_string(adjacency), to_string(stated));
  }
  std::string operator()(const PureDp& e) const { return mismatch("pure_dp", e.adjacency); }
  std::string operator()(const ApproximateDp& e) const {
    if (e.delta >= 1) {
      return "approximate_dp with delta 1 promises nothing, whatever its epsilon; state the delta "
             "below 1 that was proved";
    }
    return mismatch("approximate_dp", e.adjacency);
  }
  std::string operator()(const BoundedRange& e) const {
    return mismatch("bounded_range", e.adjacency);
  }
  std::string operator()(const ScoreSelection& e) const {
    return mismatch("score_selection", e.adjacency);
  }
  std::string operator()(const Zcdp& e) const { return mismatch("zcdp", e.adjacency); }
  std::string operator()(const Profile& e) const {
    if (e.points.back().delta >= 1) {
      return "a profile that lists no delta below 1 promises nothing; list a point that was proved";
    }
    return mismatch("profile", e.adjacency);
  }
  std::string operator()(const ShuffledLocal&) const {
    return mismatch("shuffled_local", Adjacency::replace_one);
  }
  std::string operator()(const PoissonSampled& e) const {
    if (adjacency != Adjacency::add_remove && e.rate > 0 && e.rate < 1) {
      if (const auto kind = NeedsAnotherRecord::of(*e.base); !kind.empty()) {
        return fmt::format(
            "a Poisson sample holds a record or does not, and {} says nothing about a record more "
            "or less, so no bound is proved under {}; state it for add_remove, use samples of "
            "fixed size, or leave the sampling out",
            kind, to_string(adjacency));
      }
      return refusal(*e.base, Adjacency::add_remove);
    }
    return refusal(*e.base, adjacency);
  }
  std::string operator()(const FixedSizeSampled& e) const {
    if (adjacency == Adjacency::add_remove) {
      return "a record more displaces another one from a sample of fixed size, so no bound is "
             "proved for fixed_size_sampled under add_remove; use Poisson sampling or replace_one";
    }
    return refusal(*e.base, inner_adjacency(e, adjacency));
  }
  std::string operator()(const Partitioned& e) const {
    if (!blocks_are_parallel(e, adjacency)) {
      return adjacency == Adjacency::add_remove
                 ? "a record more shifts the others between blocks formed by position, so no bound "
                   "is proved for them under add_remove; form the blocks by record, or use "
                   "replace_one"
                 : "a replaced record may change its block when blocks are formed by record, so no "
                   "bound is proved for them under replace_one; form the blocks by position, or "
                   "use add_remove";
    }
    return first(e.parts);
  }
  std::string operator()(const Composed& e) const { return first(e.parts); }
  std::string operator()(const Repeated& e) const { return refusal(*e.base, adjacency); }
  std::string operator()(const RandomlyRepeated& e) const {
    auto reason = refusal(*e.base, adjacency);
    if (!reason.empty() || repetition::depth(e) <= repetition::deepest_profile) return reason;
    if (std::isfinite(pure_epsilon(e, adjacency)) || rdp::curve(e, adjacency)) return {};
    return fmt::format(
        "more than {} tunings inside one another have a bound only where all have a truncated "
        "negative binomial law without a cap and the run a Renyi bound, or where all is pure; "
        "tune in one level over all combinations",
        repetition::deepest_profile);
  }
  template <typename Leaf>
  std::string operator()(const Leaf&) const {
    return {};
  }

  std::string first(const std::vector<Event>& parts) const {
    for (const auto& part : parts) {
      auto reason = refusal(part, adjacency);
      if (!reason.empty()) return reason;
    }
    return {};
  }
};

}  // namespace

std::string refusal(const Event& event, Adjacency adjacency) {
  return std::visit(Refusal{adjacency}, event.node());
}

namespace {

/// Upper bound of the chance that a unit is in any sample.
struct Participation {
  double operator()(const PoissonSampled& e) const {
    return numeric::multiply_up(unit_rate(e), of(*e.base));
  }
  double operator()(const FixedSizeSampled& e) const {
    return numeric::multiply_up(sampled_fraction(e), of(*e.base));
  }
  double operator()(const Repeated& e) const {
    return numeric::multiply_up(numeric::count_up(e.count), of(*e.base));
  }
  double operator()(const Composed& e) const {
    double total = 0;
    for (const auto& part : e.parts) total = numeric::add_up(total, of(part));
    return total;
  }
  template <typename Other>
  double operator()(const Other&) const {
    return 1;
  }
  static double of(const Event& event) { return std::visit(Participation{}, event.node()); }
};

}  // namespace

double participation(const Event& event) { return std::min(1.0, Participation::of(event)); }

}  // namespace tacet::accounting::internal
