#include "tacet/data/schema/schema_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/shapes/rewrite.h"
#include "tacet/base/error.h"
#include "tacet/base/progress.h"
#include "tacet/base/sha256.h"
#include "tacet/base/version.h"
#include "tacet/data/schema/schema_node.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::data {
namespace {

double proved_epsilon(const privacy::Event& events, privacy::Adjacency adjacency, double delta,
                      const accounting::AccountOptions& options = {}) {
  return accounting::epsilon_interval(events, adjacency, privacy::Delta(delta), options).upper;
}

/// The epsilon that is proved for `stated`. Sums come first: they take no time, and fits of few
/// columns state them. The transform grows only as long as the stated epsilon lies within the
/// interval, since another version of tacet may have computed it to more digits.
double proved_epsilon(const privacy::Event& events, const privacy::Guarantee& stated) {
  const auto sums = accounting::internal::basic_composition(events, stated.adjacency);
  if (sums && sums->epsilon <= stated.epsilon && sums->delta <= stated.delta) return sums->epsilon;
  constexpr accounting::AccountOptions all_options[] = {
      {.largest_log2_size = 12}, {}, {.tolerance = 1e-4}, {.tolerance = 1e-5}};
  // a file may contain more than anybody will wait for
  base::WorkMeter work(base::default_patience);
  accounting::PrivacyInterval interval{};
  for (auto options : all_options) {
    options.work = &work;
    interval = accounting::epsilon_interval(events, stated.adjacency, privacy::Delta(stated.delta),
                                            options);
    if (interval.upper <= stated.epsilon || interval.lower > stated.epsilon) break;
  }
  return interval.upper;
}

/// The proved epsilon of a fit, with the PRG slack taken off its delta.
double proved_epsilon(const SchemaCost& cost) {
  // Older files do not include the cipher's share in delta; the share then changes none of its
  // digits.
  constexpr double no_digit = 1e-12;
  auto at = cost.guarantee;
  const double share = privacy::prg_share(at.epsilon, cost.prg_slack);
  if (share > no_digit * at.delta) {
    at.delta = privacy::delta_left(cost.guarantee, cost.prg_slack).value();
  }
  return proved_epsilon(cost.events, at);
}

struct Deltas {
  double events;           ///< the delta of the events themselves
  double min;              ///< the smallest delta to state
  double cipher;           ///< the PRG slack
  double min_epsilon = 0;  ///< the smallest epsilon to state
};

/// The (epsilon, delta) to state for `events` with this PRG slack. Both are at least the given
/// minima. What the cipher leaves of delta at the stated epsilon is at least the delta of the
/// events, so the accountant can prove the statement again.
privacy::Guarantee stated_at(const privacy::Event& events, privacy::Adjacency adjacency,
                             const Deltas& deltas, const accounting::AccountOptions& options = {}) {
  const double delta = deltas.events;
  const double proved = delta < 1 ? proved_epsilon(events, adjacency, delta, options) : HUGE_VAL;
  privacy::Guarantee stated{std::max(proved, deltas.min_epsilon), delta, adjacency};
  // With more delta at least as much is proved, except for the last digits of an accountant, so ask
  // it again. If it proves less, the PRG slack's share grows with the stated epsilon.
  constexpr int rounds = 8;
  for (int round = 0; round < rounds && std::isfinite(stated.epsilon); ++round) {
    if (delta > 0) {
      // After two roundings down, the accountant gets back the delta of the events.
      const double share = privacy::prg_share(stated.epsilon, deltas.cipher);
      if (share > 0) stated.delta = numeric::add_up(delta, share) * numeric::up_ulps(4);
      stated.delta = std::max(stated.delta, deltas.min);
    }
    if (!(stated.delta < 1)) break;
    const double left = privacy::delta_left(stated, deltas.cipher).value();
    const double again = left == delta ? proved : proved_epsilon(events, adjacency, left, options);
    if (left >= delta && again <= stated.epsilon) return stated;
    stated.epsilon = std::max(stated.epsilon, again);
  }
  throw base::GuaranteeError(
      "nothing is proved at delta {:.3g} for a schema's fit and what is computed with it, at "
      "epsilon {:.3g}; ask for a larger delta, or a smaller epsilon",
      stated.delta, stated.epsilon);
}

/// The events of the schema's fit for neighbours of some adjacency.
struct FitEvents {
  privacy::Event events;
  double delta;         ///< the delta at which they are accounted
  double stated_delta;  ///< with the cipher's share, if the fit states it
};

/// Delta is the sum of the deltas of the releases if all of them are pure or approximate; else that
/// of group privacy for the whole.
FitEvents replaced(const SchemaCost& cost, double delta) {
  constexpr double rounding = 1 + 1e-14;  // for exp, a sum and a product
  auto events = accounting::under_replace_one(cost.events);
  const auto sums =
      accounting::internal::basic_composition(events, privacy::Adjacency::replace_one);
  const double twice = sums ? std::max(delta, sums->delta)
                            : (1 + std::exp(cost.guarantee.epsilon)) * delta * rounding;
  if (!(twice < 1)) {
    throw base::UsageError(
        "the schema's fit, ({}, {})-private under add_remove, promises nothing under replace_one: "
        "use add_remove, or fit the schema again at a smaller epsilon",
        cost.guarantee.epsilon, cost.guarantee.delta);
  }
  return {std::move(events), twice, twice};
}

FitEvents fit_between(const SchemaCost& cost, privacy::Adjacency adjacency) {
  const auto fitted = cost.guarantee.adjacency;
  // Fits of older files left the cipher out of their delta.
  double delta = privacy::delta_left(cost.guarantee, cost.prg_slack).value();
  const auto sums = accounting::internal::basic_composition(cost.events, fitted);
  if (sums) delta = std::max(delta, sums->delta);
  if (fitted == adjacency) return {cost.events, delta, cost.guarantee.delta};
  if (fitted == privacy::Adjacency::add_remove && adjacency == privacy::Adjacency::replace_one) {
    return replaced(cost, delta);
  }
  throw base::UsageError(
      "the schema was fitted under {} and cannot be used under {}: use the same adjacency, or fit "
      "the schema again with `adjacency=add_remove`, which serves replace_one too",
      to_string(fitted), to_string(adjacency));
}

/// A name that begins with the id of the fit and ends with a digest of its events.
std::string fit_digest(std::string_view name, const privacy::Event& events) {
  constexpr std::size_t digits = 16;
  base::Sha256 sum;
  sum.add(privacy::event_to_json(events));
  return std::string(name) + sum.digest().substr(0, digits);
}

/// The parameters of the two kinds of answers about a column, for a fit that run/schema_fit.h made;
/// null for other events.
nlohmann::ordered_json answer_parameters(const privacy::Event& events) {
  auto parameters = nlohmann::ordered_json::object();
  const auto* each = events.as<privacy::Repeated>();
  const auto* both = each == nullptr ? nullptr : each->base->as<privacy::Composed>();
  if (both == nullptr || both->parts.size() != 2) return parameters;
  const auto* kinds = both->parts[0].as<privacy::PureDp>();
  const auto* pure = both->parts[1].as<privacy::PureDp>();
  const auto* texts = both->parts[1].as<privacy::ApproximateDp>();
  if (kinds == nullptr || (pure == nullptr && texts == nullptr)) return parameters;
  parameters["columns"] = each->count;
  parameters["epsilon_of_kinds"] = kinds->epsilon;
  parameters["epsilon_of_bounds"] = pure != nullptr ? pure->epsilon : texts->epsilon;
  parameters["delta_of_texts"] = texts != nullptr ? texts->delta : 0.0;
  return parameters;
}

/// The cost between neighbours of `adjacency`.
SchemaCost replaced_cost(SchemaCost cost, privacy::Adjacency adjacency) {
  if (cost.guarantee.adjacency == adjacency) return cost;
  auto fit = fit_between(cost, adjacency);
  // A sum of deltas leaves nothing for approximations, and longer transforms would not help.
  constexpr int enough = 16;
  cost.events = std::move(fit.events);
  cost.guarantee = stated_at(cost.events, adjacency, {fit.delta, fit.stated_delta, cost.prg_slack},
                             {.largest_log2_size = enough});
  return cost;
}

/// The epsilon that ledgers book for the fit: the stated one, or the proved one if that is larger.
double fit_epsilon(const SchemaCost& cost, privacy::Adjacency adjacency) {
  if (cost.guarantee.adjacency != adjacency) {
    return replaced_cost(cost, adjacency).guarantee.epsilon;
  }
  return std::max(cost.guarantee.epsilon, proved_epsilon(cost));
}

/// Whether the sum of the stated parts, including the PRG slacks, is proved for the whole.
bool proves(const PlannedCost& both, const privacy::Guarantee& sum) {
  if (!(sum.delta < 1)) return false;
  const auto share = privacy::prg_share(sum.epsilon, both.prg_slack);
  if (sum.delta > 0 && !(share < sum.delta)) return false;
  const double left = privacy::delta_left(sum, both.prg_slack).value();
  return proved_epsilon(both.events, sum.adjacency, left) <= sum.epsilon;
}

}  // namespace

privacy::Event fit_events(const Schema& schema, privacy::Adjacency adjacency) {
  if (!schema.cost) throw base::UsageError("the schema has no cost of its own");
  return fit_between(*schema.cost, adjacency).events;
}

SchemaCost cost_between(const Schema& schema, privacy::Adjacency adjacency) {
  if (!schema.cost) throw base::UsageError("the schema has no cost of its own");
  return replaced_cost(*schema.cost, adjacency);
}

PlannedCost with_schema_cost(const Schema& schema, const PlannedCost& planned) {
  if (!schema.cost) return planned;
  auto fit = fit_between(*schema.cost, planned.guarantee.adjacency);
  PlannedCost both{privacy::Composed{{std::move(fit.events), planned.events}}, planned.guarantee,
                   numeric::add_up(planned.prg_slack, schema.cost->prg_slack)};
  auto& whole = both.guarantee;
  whole.delta = std::min(privacy::decimal_sum(planned.guarantee.delta, fit.stated_delta), 1.0);
  if (!std::isfinite(planned.guarantee.epsilon)) return both;
  const double run_delta = privacy::delta_left(planned.guarantee, planned.prg_slack).value();
  whole.epsilon =
      privacy::decimal_sum(planned.guarantee.epsilon, fit_epsilon(*schema.cost, whole.adjacency));
  if (proves(both, whole)) return both;
  const double summed = whole.epsilon;
  whole = stated_at(both.events, whole.adjacency,
                    {numeric::add_up(run_delta, fit.delta), whole.delta, both.prg_slack, summed});
  return both;
}

privacy::Receipt with_schema_cost(const Schema& schema, privacy::Receipt receipt) {
  if (!schema.cost) return receipt;
  if (receipt.privacy_unit != schema.cost->unit) {
    throw base::UsageError(internal::other_unit(schema.cost->unit, receipt.privacy_unit));
  }
  auto both =
      with_schema_cost(schema, PlannedCost{receipt.events, receipt.guarantee, receipt.prg_slack});
  auto parameters = nlohmann::ordered_json::parse(receipt.parameters);
  parameters[schema_fit_name] =
      fit_digest(fit_name(*schema.cost), fit_events(schema, receipt.guarantee.adjacency));
  receipt.parameters = parameters.dump();
  receipt.events = std::move(both.events);
  receipt.guarantee = both.guarantee;
  receipt.prg_slack = both.prg_slack;
  if (receipt.is_protected() && !schema.cost->unprotected_reason.empty()) {
    receipt.unprotected_reason = "the schema: " + schema.cost->unprotected_reason;
  }
  return privacy::checked(std::move(receipt));
}

privacy::Receipt fit_receipt(const Schema& schema) {
  if (!schema.cost) throw base::UsageError("the schema has no cost of its own");
  const auto& cost = *schema.cost;
  privacy::Receipt receipt;
  receipt.algorithm = "schema fit";
  receipt.calibration = "tight";
  auto parameters = answer_parameters(cost.events);
  if (cost.unit != "record") parameters["max_records_per_unit"] = cost.max_records_per_unit;
  receipt.parameters = parameters.dump();
  receipt.events = cost.events;
  receipt.guarantee = cost.guarantee;
  receipt.privacy_unit = cost.unit;
  receipt.public_row_count = schema.public_row_count;
  receipt.prg_slack = cost.prg_slack;
  receipt.software_version = base::version;
  receipt.unprotected_reason = cost.unprotected_reason;
  return privacy::checked(std::move(receipt));
}

namespace {

/// As fit_events, if a file and not its reader chose the adjacency.
privacy::Event events_for(const Schema& schema, privacy::Adjacency stated) {
  try {
    return fit_events(schema, stated);
  } catch (const base::UsageError& error) {
    throw base::GuaranteeError(error.what());
  }
}

}  // namespace

void check_carries_cost(const Schema& schema, const privacy::Receipt& receipt) {
  if (!schema.cost || !receipt.is_protected()) return;
  if (receipt.privacy_unit != schema.cost->unit) {
    throw base::GuaranteeError(internal::other_unit(schema.cost->unit, receipt.privacy_unit));
  }
  if (!schema.cost->unprotected_reason.empty()) {
    throw base::GuaranteeError(
        "the schema's fit protects nobody ({}), so the result does not either, but the receipt "
        "calls it protected",
        schema.cost->unprotected_reason);
  }
  if (receipt.prg_slack < schema.cost->prg_slack) {
    throw base::GuaranteeError(
        "the receipt states {} for the cipher, less than the {} of the schema's fit alone",
        receipt.prg_slack, schema.cost->prg_slack);
  }
  const auto* both = receipt.events.as<privacy::Composed>();
  if (both == nullptr || both->parts.size() != 2 ||
      both->parts[0] != events_for(schema, receipt.guarantee.adjacency)) {
    throw base::GuaranteeError(
        "the schema was fitted to private records, but the events of the receipt do not begin with "
        "those of that fit, so what is stated leaves it out");
  }
  if (!names_its_fit(receipt)) {
    throw base::GuaranteeError(
        "the schema was fitted to private records, but the receipt does not name that fit");
  }
}

std::string fit_name(const SchemaCost& cost) { return fmt::format("schema fit {} ", cost.id); }

std::string booking_name(const SchemaCost& cost) { return fit_digest(fit_name(cost), cost.events); }

bool names_its_fit(const privacy::Receipt& receipt) {
  const auto parameters = nlohmann::json::parse(receipt.parameters);
  const auto found = parameters.find(schema_fit_name);
  if (found == parameters.end()) return false;
  const auto* both = receipt.events.as<privacy::Composed>();
  const std::string name = found->is_string() ? found->get<std::string>() : std::string();
  const auto id = name.substr(0, name.rfind(' ') + 1);
  if (name.starts_with("schema fit ") && both != nullptr && both->parts.size() == 2 &&
      fit_digest(id, both->parts[0]) == name) {
    return true;
  }
  throw base::GuaranteeError(
      "the receipt names the fit of a schema as a part of its cost, but its events do not begin "
      "with those of that fit");
}

void internal::check_events(const SchemaCost& cost, std::string_view where) {
  const auto& stated = cost.guarantee;
  if (stated.adjacency == privacy::Adjacency::replace_one) {
    fail_at(where,
            "no schema is fitted under replace_one; a fit under add_remove serves it, at the cost "
            "that its events have there");
  }
  double proved = 0;
  try {
    proved = proved_epsilon(cost);
  } catch (const base::GuaranteeError& error) {
    fail_at(where, error.what());
  }
  const double min = privacy::min_prg_slack(cost.events);
  if (proved > 0 && cost.prg_slack < min) {
    fail_at(
        where,
        "the schema's cost states {} for the cipher, less than its events must have drawn ({:.3g})",
        cost.prg_slack, min);
  }
  if (proved <= stated.epsilon) return;
  fail_at(where,
          "the schema's cost states epsilon {} at delta {} under {}, but its events are proved "
          "only for {}",
          stated.epsilon, stated.delta, to_string(stated.adjacency), proved);
}

std::string internal::other_unit(std::string_view fitted, std::string_view used) {
  const auto in_words = [](std::string_view unit) {
    return unit == "record" ? std::string("single records")
                            : fmt::format("units of the column '{}'", unit);
  };
  return fmt::format(
      "the schema was fitted to protect {} and says nothing about {}: fit it again for {}",
      in_words(fitted), in_words(used),
      used == "record" ? "single records" : fmt::format("each {}", used));
}

void internal::check_cost(const SchemaCost& cost, std::string_view where) {
  const bool plain = std::all_of(cost.id.begin(), cost.id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  if (cost.id.size() != 16 || !plain) {
    fail_at(where, "the id of a schema's cost has 16 hexadecimal digits");
  }
  if (!(cost.prg_slack >= 0 && cost.prg_slack <= 1)) {
    fail_at(where, "the PRG slack of a schema's cost must lie in [0, 1]");
  }
  if (!std::isfinite(cost.guarantee.epsilon) || cost.guarantee.delta >= 1) {
    fail_at(where, "the epsilon of a schema's cost must be finite, and delta below 1");
  }
  if (cost.unit.empty()) fail_at(where, "the unit of a schema's cost must not be empty");
  // A fit of single records may not be used as one of units.
  if (cost.max_records_per_unit >= 1 &&
      cost.max_records_per_unit <= privacy::records_per_unit_limit)
    return;
  fail_at(where,
          "a schema's cost has 'max_records_per_unit', 1 to {}, where its unit is a column, and "
          "only there",
          privacy::records_per_unit_limit);
}

}  // namespace tacet::data
