#include "tacet/data/schema_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/schema_node.h"
#include "tacet/privacy/accountant.h"

namespace tacet::data {
namespace {

double sum_up(double a, double b) {
  if (a == 0 || b == 0) return a + b;
  return std::nextafter(a + b, std::numeric_limits<double>::infinity());
}

}  // namespace

SchemaCost cost_between(const Schema& schema, privacy::Adjacency adjacency) {
  if (!schema.cost) throw base::UsageError("the schema has no cost of its own");
  SchemaCost cost = *schema.cost;
  if (cost.guarantee.adjacency == adjacency) return cost;
  if (cost.guarantee.adjacency != privacy::Adjacency::add_remove ||
      adjacency != privacy::Adjacency::replace_one) {
    throw base::UsageError(fmt::format(
        "the schema was fitted under {} and cannot be used under {}: use the same adjacency, or "
        "fit the schema again with --adjacency add_remove, which serves replace_one too",
        to_string(cost.guarantee.adjacency), to_string(adjacency)));
  }
  const double epsilon = cost.guarantee.epsilon;
  constexpr double rounding = 1 + 1e-14;  // of exp, a sum and a product
  const double delta = std::min(1.0, (1 + std::exp(epsilon)) * cost.guarantee.delta * rounding);
  cost.guarantee = {2 * epsilon, delta, adjacency};
  cost.events = delta == 0 ? privacy::Event(privacy::PureDp{2 * epsilon, adjacency})
                           : privacy::Event(privacy::ApproximateDp{2 * epsilon, delta, adjacency});
  return cost;
}

PlannedCost with_schema_cost(const Schema& schema, const PlannedCost& planned) {
  if (!schema.cost) return planned;
  const auto cost = cost_between(schema, planned.guarantee.adjacency);
  PlannedCost both{privacy::Composed{{cost.events, planned.events}}, planned.guarantee};
  both.guarantee.delta = std::min(sum_up(planned.guarantee.delta, cost.guarantee.delta), 1.0);
  if (!std::isfinite(planned.guarantee.epsilon)) return both;
  const auto& whole = both.guarantee;
  const double sum = sum_up(planned.guarantee.epsilon, cost.guarantee.epsilon);
  const double proved =
      privacy::epsilon_interval(both.events, whole.adjacency, privacy::Delta(whole.delta)).upper;
  // Where no delta is left for the accountant's own approximations, basic composition does better.
  constexpr double tolerance = 1.002;
  if (proved <= sum * tolerance) {
    both.guarantee.epsilon = proved;
  } else {
    both.guarantee.epsilon = sum;
    both.events = whole.delta == 0
                      ? privacy::Event(privacy::PureDp{sum, whole.adjacency})
                      : privacy::Event(privacy::ApproximateDp{sum, whole.delta, whole.adjacency});
  }
  return both;
}

privacy::Receipt with_schema_cost(const Schema& schema, privacy::Receipt receipt) {
  if (!schema.cost) return receipt;
  auto both = with_schema_cost(schema, PlannedCost{receipt.events, receipt.guarantee});
  receipt.events = std::move(both.events);
  receipt.guarantee = both.guarantee;
  receipt.cipher_delta = sum_up(receipt.cipher_delta, schema.cost->cipher_delta);
  if (receipt.is_protected() && !schema.cost->unprotected_reason.empty()) {
    receipt.unprotected_reason = "the schema: " + schema.cost->unprotected_reason;
  }
  return privacy::checked(std::move(receipt));
}

std::string booking_name(const SchemaCost& cost) { return "schema fit " + cost.id; }

void internal::check_cost(const SchemaCost& cost, std::string_view where) {
  const bool plain = std::all_of(cost.id.begin(), cost.id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  if (cost.id.size() != 16 || !plain) {
    fail_at(where, "the id of a schema's cost has 16 hexadecimal digits");
  }
  if (!(cost.cipher_delta >= 0 && cost.cipher_delta <= 1)) {
    fail_at(where, "the cipher's term of a schema's cost must lie in [0, 1]");
  }
  if (!std::isfinite(cost.guarantee.epsilon) || cost.guarantee.delta >= 1) {
    fail_at(where, "the epsilon of a schema's cost must be finite, and delta below 1");
  }
}

}  // namespace tacet::data
