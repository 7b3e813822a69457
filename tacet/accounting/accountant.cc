#include "tacet/accounting/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tacet/accounting/dedicated_bound.h"
#include "tacet/accounting/dominating.h"
#include "tacet/accounting/group_privacy.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/private_selection.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/refusal.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/accounting/shapes/event_work.h"
#include "tacet/accounting/shapes/grouping.h"
#include "tacet/accounting/shapes/rewrite.h"
#include "tacet/base/error.h"
#include "tacet/numeric/infinity.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting {
namespace {

using numeric::infinity;

void refuse_unproved(const Event& event, Adjacency adjacency) {
  if (const auto reason = internal::refusal(event, adjacency); !reason.empty()) {
    throw base::GuaranteeError(reason);
  }
}

/// What costs nothing.
PrivacyInterval no_cost() { return {0, 0, true, "none", 0}; }

/// Ends around a value that data sets attain.
PrivacyInterval around(double lower, double upper, const char* route) {
  return {lower, upper, true, route, lower};
}

/// The closed form of an event that is Gaussian noise throughout.
PrivacyInterval gaussian_epsilon(const Event& event, Adjacency adjacency, double square,
                                 Delta delta) {
  const double upper = gaussian::epsilon(numeric::sqrt_up(square), delta);
  if (std::isinf(upper)) return around(upper, upper, "gaussian");
  return around(gaussian::epsilon_below(internal::mu_below(event, adjacency), delta), upper,
                "gaussian");
}
PrivacyInterval gaussian_delta(const Event& event, Adjacency adjacency, double square,
                               double epsilon) {
  const auto end = [epsilon](double mu, double side) {
    return std::exp(gaussian::log_delta(mu, epsilon) +
                    side * gaussian::relative_error(mu, epsilon));
  };
  return around(end(internal::mu_below(event, adjacency), -1),
                std::min(1.0, end(numeric::sqrt_up(square), 1)), "gaussian");
}

/// Takes a bound of another route where it is smaller.
void offer(PrivacyInterval& best, double upper, const char* route) {
  if (upper < best.upper || best.route.empty()) {
    best.upper = upper;
    best.route = route;
  }
}

/// The lower end of what data sets attain of an event whose dominating pair they do not.
template <typename Pld>
double attained_end(const Event& event, Adjacency adjacency, const Pld& by_pld) {
  const auto part = internal::lower_attained(event, adjacency);
  if (!part) return 0;
  try {
    return by_pld(*part).lower;
  } catch (const base::NumericError&) {
    return 0;
  }
}

/// Checks the ends against each other. Where no data sets attain the pair, another route may prove
/// less than the pair costs; its lower end then says nothing.
void settle(PrivacyInterval& best) {
  if (best.lower_is_attained) best.attained = std::max(best.attained, best.lower);
  if (best.attained > best.upper) {
    throw base::InternalError(
        fmt::format("two accountants contradict each other: at least {}, at most {} (route {}); "
                    "please report this",
                    best.attained, best.upper, best.route));
  }
  if (best.lower > best.upper) best.lower = 0;
}

/// Few uses are a part of more, which cost no less: where a few rare ones leave a wide interval,
/// that of two to eight times as many may end lower.
template <typename Pld>
void offer_more_uses(const Event& event, Adjacency adjacency, const AccountOptions& options,
                     const Pld& by_pld, PrivacyInterval& best) {
  constexpr std::int64_t few = 1000;
  constexpr double wide = 10;  // tolerances
  const auto* repeated = event.as<Repeated>();
  if (repeated == nullptr || repeated->count > few) return;
  for (const std::int64_t factor : {2, 4, 8}) {
    if (best.upper <= best.lower * (1 + wide * options.tolerance)) return;
    try {
      const Event more = Repeated{factor * repeated->count, repeated->base};
      if (const auto lowered = internal::lower(more, adjacency, options.tolerance, options.work)) {
        const double upper = by_pld(*lowered).upper;
        if (upper < best.upper) offer(best, upper, "pld");
      }
    } catch (const base::NumericError&) {
      continue;
    }
  }
}

/// The pairs of an event, unless their losses are beyond what a grid can hold.
std::optional<internal::Lowered> lowered_or_none(const Event& event, Adjacency adjacency,
                                                 const AccountOptions& options) {
  try {
    return internal::lower(event, adjacency, options.tolerance, options.work);
  } catch (const base::NumericError&) {
    return std::nullopt;
  }
}

/// Fills in the routes of one quantity; each function may throw a NumericError, which rules its
/// route out.
template <typename Pld, typename Rdp>
PrivacyInterval best_route(const Event& event, Adjacency adjacency, double pure,
                           const AccountOptions& options, const Pld& by_pld, const Rdp& by_rdp) {
  PrivacyInterval best{0, infinity, false, ""};
  offer(best, pure, "pure");
  bool narrow = false;
  bool any = std::isfinite(pure);
  if (const auto lowered = lowered_or_none(event, adjacency, options)) {
    any = true;
    try {
      const auto bracket = by_pld(*lowered);
      best.lower = bracket.lower;
      best.lower_is_attained = lowered->attained && (bracket.lower > 0 || bracket.upper == 0);
      offer(best, bracket.upper, "pld");
      narrow = lowered->attained && std::isfinite(bracket.upper) &&
               bracket.upper - bracket.lower <= options.tolerance * bracket.upper;
    } catch (const base::NumericError&) {
      best.lower = 0;
    }
    if (options.attained && !lowered->attained)
      best.attained = attained_end(event, adjacency, by_pld);
  }
  if (!narrow) {
    if (const auto curve = rdp::curve(event, adjacency, options.work)) {
      any = true;
      offer(best, by_rdp(*curve), "rdp");
    }
  }
  if (!narrow) offer_more_uses(event, adjacency, options, by_pld, best);
  if (!any) {
    throw base::GuaranteeError(fmt::format("no accountant has a bound for the event '{}' under {}",
                                           kind_name(event), to_string(adjacency)));
  }
  settle(best);
  return best;
}

/// The worst of several blocks that no single pair covers.
template <typename Interval>
PrivacyInterval worst_block(const Partitioned& blocks, const Interval& interval) {
  auto worst = interval(blocks.parts.front());
  for (std::size_t i = 1; i < blocks.parts.size(); ++i) {
    if (blocks.parts[i] == blocks.parts[i - 1] || blocks.parts[i] == blocks.parts.front()) continue;
    const auto next = interval(blocks.parts[i]);
    if (next.upper > worst.upper) {
      worst.upper = next.upper;
      worst.route = next.route;
    }
    worst.lower_is_attained = worst.lower_is_attained && next.lower_is_attained;
    worst.lower = std::max(worst.lower, next.lower);
    worst.attained = std::max(worst.attained, next.attained);
  }
  return worst;
}

/// Losses of pairs that data sets attain reach the sum of the pure epsilons.
PrivacyInterval pure_interval(const Event& event, Adjacency adjacency, double pure) {
  const auto lowered = internal::lower(event, adjacency);
  if (std::isinf(pure) || !lowered || !lowered->attained) return {0, pure, false, "pure"};
  return around(pure * (1 - 1e-12), pure, "pure");
}

/// Cells times different pairs are what takes time: beyond 16 pairs there are fewer cells to each.
pld::Effort effort(const AccountOptions& options, const internal::Lowered& lowered) {
  int size = options.largest_log2_size;
  for (std::size_t pairs = 16; pairs < lowered.remove.size() && size > 12; pairs *= 2) --size;
  return {.tolerance = options.tolerance, .largest_log2_size = size, .work = options.work};
}

/// The interval of a composition. Many rare uses may need longer transforms than the others: where
/// they leave it wide, it is tried once more with those.
template <typename Compose>
pld::Bracket by_transforms(const internal::Lowered& lowered, const AccountOptions& options,
                           const Compose& compose) {
  constexpr double wide = 10;  // tolerances
  constexpr double many = 0x1p20;
  auto allowed = effort(options, lowered);
  auto bracket = compose(allowed);
  double uses = 0;
  for (const auto& one : lowered.remove) uses += static_cast<double>(one.count);
  const bool narrow = bracket.upper <= bracket.lower * (1 + wide * options.tolerance);
  if (narrow || uses < many || allowed.largest_log2_size < options.largest_log2_size)
    return bracket;
  allowed.largest_log2_size += 2;
  const auto longer = compose(allowed);
  bracket.lower = std::max(bracket.lower, longer.lower);
  bracket.upper = std::min(bracket.upper, longer.upper);
  return bracket;
}

/// Whether the same event has a bound for a record more or less, which two of would give another
/// one, and whether that may be smaller: not where data sets meet the pair.
bool asks_group(const PrivacyInterval& best, const Event& event, Adjacency adjacency) {
  return adjacency != Adjacency::add_remove && !best.lower_is_attained && best.upper > 0 &&
         internal::refusal(event, Adjacency::add_remove).empty();
}
void offer_group_epsilon(PrivacyInterval& best, const Event& event, Adjacency adjacency,
                         double delta, const AccountOptions& options) {
  if (!asks_group(best, event, adjacency)) return;
  const auto one = [&](double d) {
    return epsilon_interval(event, Adjacency::add_remove, Delta(d), options).upper;
  };
  offer(best, internal::group_epsilon(one, delta, best.upper), "group");
}
void offer_group_delta(PrivacyInterval& best, const Event& event, Adjacency adjacency,
                       double epsilon, const AccountOptions& options) {
  if (!asks_group(best, event, adjacency)) return;
  const auto one = [&](double e) {
    return delta_interval(event, Adjacency::add_remove, Epsilon(e), options).upper;
  };
  offer(best, internal::group_delta(one, epsilon), "group");
}

/// epsilon of an event that is not refused and has few different parts.
PrivacyInterval few_parts_epsilon(const Event& event, Adjacency adjacency, Delta delta,
                                  const AccountOptions& options) {
  if (const auto* blocks = event.as<Partitioned>()) {
    return worst_block(*blocks, [&](const Event& part) {
      return epsilon_interval(part, adjacency, delta, options);
    });
  }
  const double pure = internal::pure_epsilon(event, adjacency);
  if (pure == 0) return no_cost();
  if (delta.value() == 0) return pure_interval(event, adjacency, pure);
  if (internal::participation(event) <= delta.value()) return around(0, 0, "participation");
  if (const auto own = internal::own_epsilon(event, adjacency, delta.value(), options)) {
    PrivacyInterval best{0, own->value, false, own->route};
    offer(best, pure, "pure");
    if (const auto curve = rdp::curve(event, adjacency, options.work)) {
      offer(best, rdp::best_epsilon(*curve, delta).epsilon, "rdp");
    }
    offer_group_epsilon(best, event, adjacency, delta.value(), options);
    return best;
  }
  auto best = best_route(
      event, adjacency, pure, options,
      [&](const internal::Lowered& lowered) {
        return by_transforms(lowered, options, [&](const pld::Effort& allowed) {
          return pld::epsilon_bracket(lowered.remove, lowered.add, delta.value(), allowed);
        });
      },
      [&](const rdp::Curve& curve) { return rdp::best_epsilon(curve, delta).epsilon; });
  if (std::isinf(best.upper)) {
    // Next to no noise overflows the sampled routes.
    if (const auto whole = internal::squared_mu(internal::without_sampling(event), adjacency)) {
      offer(best, gaussian::epsilon(numeric::sqrt_up(*whole), delta), "gaussian");
    }
  }
  // No delta may be left beyond what the parts take.
  const auto basic = internal::basic_composition(event, adjacency);
  if (basic && basic->delta <= delta.value()) offer(best, basic->epsilon, "basic");
  offer_group_epsilon(best, event, adjacency, delta.value(), options);
  settle(best);
  return best;
}

PrivacyInterval few_parts_delta(const Event& event, Adjacency adjacency, Epsilon epsilon,
                                const AccountOptions& options) {
  if (const auto* blocks = event.as<Partitioned>()) {
    return worst_block(*blocks, [&](const Event& part) {
      return delta_interval(part, adjacency, epsilon, options);
    });
  }
  const double pure = internal::pure_epsilon(event, adjacency);
  if (pure == 0) return no_cost();
  if (pure <= epsilon.value()) return around(0, 0, "pure");
  if (const auto own = internal::own_delta(event, adjacency, epsilon.value(), options)) {
    PrivacyInterval best{0, own->value, false, own->route};
    if (std::isfinite(pure)) {
      offer(best, internal::implied_delta({pure, 0}, epsilon.value()), "pure");
    }
    if (const auto curve = rdp::curve(event, adjacency, options.work)) {
      offer(best, rdp::best_delta(*curve, epsilon.value()), "rdp");
    }
    offer_group_delta(best, event, adjacency, epsilon.value(), options);
    return best;
  }
  auto result = best_route(
      event, adjacency, infinity, options,
      [&](const internal::Lowered& lowered) {
        return by_transforms(lowered, options, [&](const pld::Effort& allowed) {
          return pld::delta_bracket(lowered.remove, lowered.add, epsilon.value(), allowed);
        });
      },
      [&](const rdp::Curve& curve) { return rdp::best_delta(curve, epsilon.value()); });
  if (!(result.upper < 1)) {
    result.upper = 1;
    if (const auto whole = internal::squared_mu(internal::without_sampling(event), adjacency)) {
      const double mu = numeric::sqrt_up(*whole);
      const double log_delta =
          gaussian::log_delta(mu, epsilon.value()) + gaussian::relative_error(mu, epsilon.value());
      if (std::isfinite(mu) && !std::isnan(log_delta)) {
        offer(result, std::exp(log_delta), "gaussian");
      }
    }
    if (result.route.empty()) result.route = "trivial";
  }
  const auto basic = internal::basic_composition(event, adjacency);
  if (basic && basic->epsilon <= epsilon.value()) offer(result, basic->delta, "basic");
  offer(result, internal::participation(event), "participation");
  offer_group_delta(result, event, adjacency, epsilon.value(), options);
  // Not nothing below the pure epsilon, however small: products of tiny masses underflow.
  result.upper = std::max(result.upper, std::numeric_limits<double>::denorm_min());
  settle(result);
  return result;
}

/// Many different parts count as few that cost at least as much, and the Renyi bound as twice as
/// many. What only the few are known to cost at least says nothing about the event.
template <typename Few, typename Rdp, typename Bound>
PrivacyInterval many_parts(const Event& event, const Event& few, Adjacency adjacency,
                           WorkMeter* work, const Few& interval, const Rdp& by_rdp,
                           const Bound& basic) {
  auto best = interval(few);
  best.lower = 0;
  best.attained = 0;
  best.lower_is_attained = false;
  const auto more = internal::coarsened(event, 2 * internal::most_different_parts);
  if (const auto curve = rdp::curve(more ? *more : event, adjacency, work)) {
    offer(best, by_rdp(*curve), "rdp");
  }
  basic(best);
  return best;
}

}  // namespace

PrivacyInterval epsilon_interval(const Event& given, Adjacency adjacency, Delta delta,
                                 const AccountOptions& options) {
  refuse_unproved(given, adjacency);
  spend(options.work, internal::work_of_reading(given));
  const auto event = internal::rewritten(given, adjacency);
  if (const auto square = internal::squared_mu(event, adjacency)) {
    if (*square == 0) return no_cost();
    return gaussian_epsilon(event, adjacency, *square, delta);
  }
  if (const auto few = internal::coarsened(event)) {
    return many_parts(
        event, *few, adjacency, options.work,
        [&](const Event& all) { return few_parts_epsilon(all, adjacency, delta, options); },
        [&](const rdp::Curve& curve) { return rdp::best_epsilon(curve, delta).epsilon; },
        [&](PrivacyInterval& best) {
          offer(best, internal::pure_epsilon(event, adjacency), "pure");
          const auto sum = internal::basic_composition(event, adjacency);
          if (sum && sum->delta <= delta.value()) offer(best, sum->epsilon, "basic");
        });
  }
  return few_parts_epsilon(event, adjacency, delta, options);
}

PrivacyInterval delta_interval(const Event& given, Adjacency adjacency, Epsilon epsilon,
                               const AccountOptions& options) {
  refuse_unproved(given, adjacency);
  if (std::isinf(epsilon.value())) return no_cost();
  spend(options.work, internal::work_of_reading(given));
  const auto event = internal::rewritten(given, adjacency);
  if (const auto square = internal::squared_mu(event, adjacency)) {
    if (*square == 0) return no_cost();
    return gaussian_delta(event, adjacency, *square, epsilon.value());
  }
  if (const auto few = internal::coarsened(event)) {
    return many_parts(
        event, *few, adjacency, options.work,
        [&](const Event& all) { return few_parts_delta(all, adjacency, epsilon, options); },
        [&](const rdp::Curve& curve) { return rdp::best_delta(curve, epsilon.value()); },
        [&](PrivacyInterval& best) {
          const auto sum = internal::basic_composition(event, adjacency);
          if (sum && sum->epsilon <= epsilon.value()) offer(best, sum->delta, "basic");
          offer(best, internal::participation(event), "participation");
        });
  }
  return few_parts_delta(event, adjacency, epsilon, options);
}

std::vector<CurvePoint> privacy_curve(const Event& event, Adjacency adjacency,
                                      std::span<const double> deltas,
                                      const AccountOptions& options) {
  std::vector<CurvePoint> points;
  points.reserve(deltas.size());
  for (const double delta : deltas) {
    points.push_back({delta, epsilon_interval(event, adjacency, Delta(delta), options)});
  }
  return points;
}

}  // namespace tacet::accounting
