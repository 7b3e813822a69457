#include "tacet/data/schema_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/data/schema_node.h"
#include "tacet/privacy/cipher_share.h"

namespace tacet::data {
namespace {

/// a + b of numbers that are not negative, rounded up.
double sum_up(double a, double b) {
  const double sum = a + b;
  // What rounding left out, exactly (Dekker 1971).
  const double rest = std::min(a, b) - (sum - std::max(a, b));
  return rest > 0 ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
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
  PlannedCost both{privacy::Composed{{cost.events, planned.events}}, planned.guarantee,
                   sum_up(planned.cipher_delta, cost.cipher_delta)};
  both.guarantee.delta = std::min(sum_up(planned.guarantee.delta, cost.guarantee.delta), 1.0);
  if (!std::isfinite(planned.guarantee.epsilon)) return both;
  auto& whole = both.guarantee;
  const double sum = sum_up(planned.guarantee.epsilon, cost.guarantee.epsilon);
  // Where no delta is left for the accountant's own approximations, basic composition does better.
  constexpr double tolerance = 1.002;
  whole.epsilon = sum * tolerance;
  const auto proved = privacy::stated_guarantee(both.events, whole, both.cipher_delta);
  if (proved.epsilon <= whole.epsilon) {
    whole = proved;
    return both;
  }
  whole.epsilon = sum;
  if (whole.delta == 0) {
    both.events = privacy::PureDp{sum, whole.adjacency};
    return both;
  }
  both.events = privacy::ApproximateDp{sum, whole.delta, whole.adjacency};
  // The accountant gets back, rounded down twice, what the event states.
  const double share = privacy::cipher_share(sum, both.cipher_delta);
  if (share > 0) whole.delta = std::min(sum_up(whole.delta, share) * (1 + 0x1p-50), 1.0);
  return both;
}

privacy::Receipt with_schema_cost(const Schema& schema, privacy::Receipt receipt) {
  if (!schema.cost) return receipt;
  auto both = with_schema_cost(
      schema, PlannedCost{receipt.events, receipt.guarantee, receipt.cipher_delta});
  receipt.events = std::move(both.events);
  receipt.guarantee = both.guarantee;
  receipt.cipher_delta = both.cipher_delta;
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
  receipt.events = cost.events;
  receipt.guarantee = cost.guarantee;
  receipt.public_row_count = schema.public_row_count;
  receipt.cipher_delta = cost.cipher_delta;
  receipt.software_version = base::version;
  receipt.unprotected_reason = cost.unprotected_reason;
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
