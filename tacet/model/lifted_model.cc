#include "tacet/model/lifted_model.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/projection_map.h"

namespace tacet::model {
namespace {

constexpr std::int64_t max_columns = std::int64_t{1} << 28;

double lifted_stddev(const data::ProjectionMap& map, std::uint32_t column,
                     std::span<const double> stddevs) {
  double square = 0;
  map.sketch(column, 1, [&](std::uint32_t place, double part) {
    square += part * part * stddevs[place] * stddevs[place];
  });
  return std::sqrt(square);
}

std::vector<std::uint32_t> columns_of(const data::Schema& schema) {
  if (schema.selected_columns) return schema.retained_columns();
  std::vector<std::uint32_t> all(static_cast<std::size_t>(schema.full_column_count()));
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace

LiftedModel lifted(const data::Schema& schema, const LinearModel& model, LiftedColumns which) {
  LiftedModel out{schema.unnarrowed(), model};
  if (which == LiftedColumns::named && !schema.choosable_columns().empty()) {
    out.schema.selected_columns.emplace();
  }
  if (out.schema.encoded_column_count() > max_columns) {
    throw base::UsageError("a dense model of {} columns is longer than the {} that are written",
                           out.schema.encoded_column_count(), max_columns);
  }
  const auto full = schema.full_column_count();
  const data::ProjectionMap map(*schema.projection, full - (schema.intercept ? 1 : 0));
  const auto columns = columns_of(out.schema);
  const bool noisy = !model.noise_stddevs.empty() &&
                     schema.projection->family == data::ProjectionFamily::countsketch;
  const auto width = static_cast<std::size_t>(schema.projection->width);
  const auto intercept = static_cast<std::uint32_t>(full - 1);
  const auto room = static_cast<double>(schema.projection->room);
  out.model.features = described_model(out.schema, model.loss).features;
  out.model.coefficients.clear();
  out.model.noise_stddevs.clear();
  for (std::int64_t output = 0; output < model.output_count(); ++output) {
    const auto weights = model.output(output);
    const auto first = static_cast<std::size_t>(output) * weights.size();
    for (const auto column : columns) {
      const bool constant = schema.intercept && column == intercept;
      out.model.coefficients.push_back(constant ? weights.back() / room
                                                : map.lift(column, weights.first(width)));
      if (!noisy) continue;
      const auto stddevs = std::span(model.noise_stddevs).subspan(first, weights.size());
      out.model.noise_stddevs.push_back(constant ? stddevs.back() / room
                                                 : lifted_stddev(map, column, stddevs));
    }
  }
  return out;
}

}  // namespace tacet::model
