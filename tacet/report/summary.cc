#include "tacet/report/summary.h"

#include <nlohmann/json.hpp>

#include "tacet/privacy/statement.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

ordered_json column_json(const run::SummaryPlan& plan, const run::Summary& found, std::size_t k) {
  const auto& column = plan.columns[k];
  ordered_json out{{"name", column.name}, {"target", column.target}};
  if (const auto& quartiles = found.columns[k].quartiles) {
    out["quartiles"] = *quartiles;
    if (column.date) out["quartiles_are"] = "days since 1970-01-01";
    out["rank_margin"] = mechanism::quartile_margin(plan.quartile, *plan.grids[k]);
    out["grid_step"] = plan.grids[k]->step();
    if (column.log1p) out["grid"] = "log(1 + x)";
  }
  auto& kinds = out["values"] = ordered_json::array();
  for (std::size_t kind = 0; kind < column.kinds.size(); ++kind) {
    kinds.push_back({{"value", column.kinds[kind]},
                     {"kind", kind_word(column, kind)},
                     {"noisy_count", found.columns[k].counts[kind]},
                     {"share", found.share(k, kind)}});
  }
  return out;
}

}  // namespace

std::string kind_word(const data::SummaryColumn& column, std::size_t kind) {
  const std::size_t last = column.kinds.size() - 1;
  if (column.target && !column.numeric) return "value";
  if (kind == last) return "missing";
  const bool present = column.kinds.size() == 2;
  return kind + 1 == last ? (present ? "present" : "other") : "value";
}

ordered_json summary_json(const run::SummaryPlan& plan, const run::Summary& found,
                          const privacy::Receipt& receipt) {
  ordered_json out;
  out["records"] = found.records;
  out["records_public"] = !plan.answers.counts_records;
  out["count_margin"] = mechanism::count_margin(plan.counts);
  out["share_margin_in_records"] = mechanism::share_margin(plan.counts);
  auto& columns = out["columns"] = ordered_json::array();
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    columns.push_back(column_json(plan, found, k));
  }
  out["privacy"] = privacy::statement(receipt);
  out["protected"] = receipt.is_protected();
  out["receipt"] = ordered_json::parse(privacy::receipt_to_json(receipt));
  return out;
}

}  // namespace tacet::report
