#include "tacet/learn/plan/knots.h"

#include <fmt/format.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"

namespace tacet::learn {
namespace {

bool is_open(const data::Column& column) {
  const auto* rule = std::get_if<data::NumericColumn>(&column.rule);
  return rule != nullptr && !rule->knots && rule->line_count() == 1 && rule->bin_count() == 0;
}

std::int64_t open_columns(const data::Schema& schema) {
  return std::ranges::count_if(schema.columns, is_open);
}

void set_knots(data::Schema& schema, std::int64_t knots) {
  for (auto& column : schema.columns) {
    if (is_open(column)) std::get<data::NumericColumn>(column.rule).knots = knots;
  }
}

/// The problems for which the rule was found; the plan refuses settings that make no sense.
bool in_scope(const data::Schema& schema, const CommonOptions& options) {
  return !std::isinf(options.epsilon) && options.delta != 0.0 && !options.paper() && !schema.unit &&
         schema.target && outputs_of(*schema.target) == 1 &&
         (options.public_row_count || schema.public_row_count);
}

/// The rule's sqrt(d + 8 k) s / N.
double noise_with_knots(const data::Schema& schema, const CommonOptions& options,
                        std::int64_t records) {
  Reasons reasons;
  const auto delta = resolve_delta(options, records, reasons);
  const double one_release =
      full_batch_noise(1, privacy::Epsilon(options.epsilon), delta, options.adjacency);
  const auto columns = schema.encoded_column_count() + usual_knots * open_columns(schema);
  return std::sqrt(static_cast<double>(columns)) * one_release / static_cast<double>(records);
}

}  // namespace

KnotChoice choose_knots(const data::Schema& schema, const ParameterValues& asked,
                        double max_noise) {
  KnotChoice choice{schema, {}};
  KnotOptions own;
  read_bound(knot_bindings, asked.all(), own);
  if (own.knots) {
    set_knots(choice.schema, *own.knots);
    return choice;
  }
  if (max_noise == 0 || open_columns(schema) == 0) return choice;
  const auto options = common_options(asked);
  if (!in_scope(schema, options)) return choice;
  const auto records = resolve_row_count(schema, options);
  const double noise = noise_with_knots(schema, options, records);
  if (noise > max_noise) return choice;
  choice.reason = fmt::format(
      "{} knots beside each of {} numbers, whose weights become curves: noise of {:.2g} leaves "
      "room for them (`knots=none` keeps lines)",
      usual_knots, open_columns(schema), noise);
  set_knots(choice.schema, usual_knots);
  return choice;
}

}  // namespace tacet::learn
