#include "tacet/report/quantile.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/data/schema/calendar.h"
#include "tacet/privacy/statement.h"

namespace tacet::report {

using nlohmann::ordered_json;

std::string quantile_text(const run::QuantilePlan& plan, double value) {
  return plan.bounds.date ? data::date_text(std::llround(value)) : fmt::format("{}", value);
}

ordered_json quantile_json(const run::QuantileRequest& request, const run::QuantilePlan& plan,
                           const run::ReleasedQuantile& found) {
  ordered_json out;
  out["column"] = request.column;
  out["q"] = request.level;
  out["value"] = found.value;
  if (plan.bounds.date) out["date"] = quantile_text(plan, found.value);
  out["privacy"] = privacy::statement(found.receipt);
  out["protected"] = found.receipt.is_protected();
  out["receipt"] = ordered_json::parse(privacy::receipt_to_json(found.receipt));
  return out;
}

}  // namespace tacet::report
