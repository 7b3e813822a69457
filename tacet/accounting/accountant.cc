#include "tacet/accounting/accountant.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "tacet/accounting/apart.h"
#include "tacet/accounting/dominating.h"
#include "tacet/accounting/quantity.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/refusal.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/accounting/shapes/grouping.h"
#include "tacet/accounting/shapes/rewrite.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

// Asks every route for its bound of an event and keeps the smallest one. The same text serves both
// questions (epsilon at a delta, delta at an epsilon; see quantity.h). First come answers in closed
// form, then dominating pairs, then the Renyi curve, then bounds that need no search.
namespace tacet::accounting {
namespace {

template <typename Asked>
PrivacyInterval interval(const Event& given, Adjacency adjacency, const Asked& asked,
                         const AccountOptions& options);

/// The interval of an event that costs nothing.
PrivacyInterval no_cost() { return {0, 0, true, "none", 0}; }

/// Takes another route's bound if it is smaller.
void offer(PrivacyInterval& best, internal::Bound bound) {
  if (bound.value < best.upper || best.route.empty()) {
    best.upper = bound.value;
    best.route = bound.route;
  }
}

/// Checks the ends against each other. If no data sets attain the dominating pair, another route
/// may prove less than the pair costs. The pair's lower end then says nothing about the event.
void check_ends(PrivacyInterval& best) {
  if (best.lower_is_attained) best.attained = std::max(best.attained, best.lower);
  if (best.attained > best.upper) {
    throw base::InternalError(
        "two accountants contradict each other: at least {}, at most {} (route {}); please report "
        "this",
        best.attained, best.upper, best.route);
  }
  if (best.lower > best.upper) best.lower = 0;
}

/// The smallest bound of the routes that search. A route that throws NumericError is left out.
template <typename Asked>
PrivacyInterval best_route(const Event& event, Adjacency adjacency, double start,
                           const Asked& asked, const AccountOptions& options) {
  PrivacyInterval best{0, numeric::infinity, false, ""};
  offer(best, {start, "pure"});
  bool narrow = false;
  bool any = std::isfinite(start);
  const auto compose = [&](const auto& remove, const auto& add, const pld::PldOptions& allowed) {
    return asked.by_pairs(remove, add, allowed);
  };
  if (const auto pairs = internal::bounds_by_pairs(event, adjacency, compose, options)) {
    any = true;
    if (pairs->bracket) {
      const double lower = pairs->bracket->lower;
      const double upper = pairs->bracket->upper;
      best.lower = lower;
      best.lower_is_attained = pairs->data_meet && (lower > 0 || upper == 0);
      offer(best, {upper, "pld"});
      narrow =
          pairs->data_meet && std::isfinite(upper) && upper - lower <= options.tolerance * upper;
    }
    best.attained = pairs->attained;
  }
  if (!narrow) {
    if (const auto curve = rdp::curve(event, adjacency, options.work)) {
      any = true;
      offer(best, {asked.by_renyi(*curve), "rdp"});
    }
    offer(best, {internal::upper_of_more_uses(event, adjacency, compose, options, best), "pld"});
  }
  if (!any) {
    throw base::GuaranteeError("no accountant has a bound for the event '{}' under {}",
                               kind_name(event), to_string(adjacency));
  }
  check_ends(best);
  return best;
}

/// The largest interval among the blocks, for blocks that no single pair covers.
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

/// Group privacy: a bound for a replaced record from two steps of the same event under add_remove.
/// Tried only if it may be smaller, and not if data sets attain the pair.
template <typename Asked>
void offer_group(PrivacyInterval& best, const Event& event, Adjacency adjacency,
                 const AccountOptions& options, const Asked& asked) {
  if (adjacency == Adjacency::add_remove || best.lower_is_attained || !(best.upper > 0) ||
      !internal::refusal(event, Adjacency::add_remove).empty() ||
      asked.group_is_dearer(event, best.upper)) {
    return;
  }
  const auto one = [&](double at) {
    return interval(event, Adjacency::add_remove, Asked::of(at), options).upper;
  };
  offer(best, {asked.by_group(one, best.upper), "group"});
}

/// A bound with all records in place of samples, if no route has a bound: with next to no noise the
/// numbers of a sample overflow.
template <typename Asked>
void offer_all_records(PrivacyInterval& best, const Event& event, Adjacency adjacency,
                       const Asked& asked) {
  if (best.upper < asked.trivial()) return;
  best.upper = asked.trivial();
  const auto whole = internal::squared_mu(internal::without_sampling(event), adjacency);
  if (whole) offer(best, {asked.by_all_records(*whole), "gaussian"});
}

/// Bounds of the parts one by one: the sums of their epsilons and deltas, and the analyses that
/// some kinds of parts have of their own. The latter exist for epsilon only.
template <typename Asked>
void offer_sums(PrivacyInterval& best, const Event& event, Adjacency adjacency, const Asked& asked,
                const AccountOptions& options) {
  for (const auto& bound : asked.by_sums(event, adjacency)) offer(best, bound);
  if constexpr (std::is_same_v<Asked, internal::EpsilonAt>) {
    const auto epsilon_of = [&](const Event& part, double delta) {
      return interval(part, adjacency, Asked::of(delta), options).upper;
    };
    offer(best,
          {internal::apart_epsilon(event, adjacency, asked.delta.value(), epsilon_of), "basic"});
  }
}

/// Bounds the two parts of a composition one by one, if the costs of the first one add up: the fit
/// of a schema, and what is computed with it. Ledgers book the two in this way, and the joint bound
/// of many small releases may be larger.
template <typename Asked>
void offer_both(PrivacyInterval& best, const Event& event, Adjacency adjacency, const Asked& asked,
                const AccountOptions& options) {
  if constexpr (std::is_same_v<Asked, internal::EpsilonAt>) {
    const auto* both = event.as<Composed>();
    if (both == nullptr || both->parts.size() != 2) return;
    const auto first = internal::basic_composition(both->parts[0], adjacency);
    if (!first || !(first->delta <= asked.delta.value())) return;
    constexpr double spare = numeric::down_ulps(1);  // more than the subtraction can round up
    const double rest = (asked.delta.value() - first->delta) * spare;
    const double sum =
        numeric::add_up(interval(both->parts[0], adjacency, Asked::of(first->delta), options).upper,
                        interval(both->parts[1], adjacency, Asked::of(rest), options).upper);
    if (!(sum < best.upper)) return;
    offer(best, {sum, "basic"});
    check_ends(best);
  }
}

/// The interval of an event that is not refused and has few different parts.
template <typename Asked>
PrivacyInterval of_few_parts(const Event& event, Adjacency adjacency, const Asked& asked,
                             const AccountOptions& options) {
  if (const auto* blocks = event.as<Partitioned>()) {
    return worst_block(
        *blocks, [&](const Event& part) { return interval(part, adjacency, asked, options); });
  }
  const double pure = internal::pure_epsilon(event, adjacency);
  if (pure == 0) return no_cost();
  if (const auto known = asked.at_once(event, adjacency, pure)) return *known;
  if (const auto dedicated = asked.dedicated(event, adjacency, options)) {
    PrivacyInterval best{0, dedicated->value, false, dedicated->route};
    offer(best, {asked.by_pure(pure), "pure"});
    if (const auto curve = rdp::curve(event, adjacency, options.work)) {
      offer(best, {asked.by_renyi(*curve), "rdp"});
    }
    offer_group(best, event, adjacency, options, asked);
    best.upper = std::max(best.upper, asked.min());
    return best;
  }
  auto best = best_route(event, adjacency, asked.start(pure), asked, options);
  offer_all_records(best, event, adjacency, asked);
  offer_sums(best, event, adjacency, asked, options);
  offer_group(best, event, adjacency, options, asked);
  best.upper = std::max(best.upper, asked.min());
  check_ends(best);
  return best;
}

/// Bounds an event with many different parts by one with few parts that costs at least as much; the
/// Renyi bound uses twice as many. The lower ends of the coarser event say nothing about this one.
template <typename Asked>
PrivacyInterval of_many_parts(const Event& event, const Event& few, Adjacency adjacency,
                              const Asked& asked, const AccountOptions& options) {
  auto best = of_few_parts(few, adjacency, asked, options);
  best.lower = 0;
  best.attained = 0;
  best.lower_is_attained = false;
  const auto more = internal::coarsened(event, 2 * internal::max_different_parts);
  if (const auto curve = rdp::curve(more ? *more : event, adjacency, options.work)) {
    offer(best, {asked.by_renyi(*curve), "rdp"});
  }
  offer_sums(best, event, adjacency, asked, options);
  return best;
}

template <typename Asked>
PrivacyInterval interval(const Event& given, Adjacency adjacency, const Asked& asked,
                         const AccountOptions& options) {
  if (const auto reason = internal::refusal(given, adjacency); !reason.empty()) {
    throw base::GuaranteeError(reason);
  }
  if (asked.is_free()) return no_cost();
  spend(options.work, internal::work_of_reading(given));
  const auto event = internal::rewritten(given, adjacency);
  if (const auto square = internal::squared_mu(event, adjacency)) {
    return *square == 0 ? no_cost() : asked.gaussian(event, adjacency, *square);
  }
  const auto few = internal::coarsened(event);
  auto best = few ? of_many_parts(event, *few, adjacency, asked, options)
                  : of_few_parts(event, adjacency, asked, options);
  offer_both(best, given, adjacency, asked, options);
  return best;
}

}  // namespace

PrivacyInterval epsilon_interval(const Event& event, Adjacency adjacency, Delta delta,
                                 const AccountOptions& options) {
  return interval(event, adjacency, internal::EpsilonAt{delta}, options);
}

PrivacyInterval delta_interval(const Event& event, Adjacency adjacency, Epsilon epsilon,
                               const AccountOptions& options) {
  return interval(event, adjacency, internal::DeltaAt{epsilon}, options);
}

}  // namespace tacet::accounting
