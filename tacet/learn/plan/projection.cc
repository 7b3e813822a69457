#include "tacet/learn/plan/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::learn {
namespace {

constexpr double radius_for_numbers = 4;  // numbers are scaled to [-1, 1]

double mu_of(const data::Schema& schema, const LinearOptions& options, std::int64_t records) {
  std::vector<std::string> unused;
  // A pure budget has no mu; that of the usual delta is near enough for a width.
  auto approximate = options;
  if (options.delta == 0.0) approximate.delta.reset();
  const auto delta = settle_delta(schema, approximate, records, unused);
  return accounting::gaussian::mu_for(privacy::Epsilon(options.epsilon), delta);
}

std::int64_t usual_width(const data::Schema& schema, const LinearOptions& options) {
  if (std::isinf(options.epsilon)) {
    throw base::UsageError(
        "projection-width is missing: with epsilon inf there is no noise to choose it by");
  }
  const auto& target = target_of(schema);
  const auto records = settle_row_count(schema, options);
  const bool number = target.regression() && target.number_kind() == data::NumberKind::number;
  const auto loss = options.loss.value_or(number ? model::Loss{model::SquaredLoss{}}
                                                 : model::Loss{model::LogisticLoss{}});
  const auto facts = model::properties(loss);
  const double bound = schema.norm_bound();
  const double width = balanced_width(
      {.rows = static_cast<double>(records),
       .mu = mu_of(schema, options, records) / privacy::distance_factor(options.adjacency) * 2,
       .norm_bound = bound,
       .slope = std::isfinite(facts.slope_bound)
                    ? facts.slope_bound
                    : model::slope_bound_within(loss, radius_for_numbers * bound),
       .curvature = facts.curvature,
       .radius = radius_for_numbers,
       .slope_bounded = std::isfinite(facts.slope_bound)});
  const auto clamped = std::clamp(width, double{data::Projection::least_width},
                                  double{data::Projection::most_width});
  return static_cast<std::int64_t>(clamped) / 4 * 4;
}

void refuse_without_projection(const LinearOptions& options) {
  for (const auto& [given, name] : {std::pair{options.projection_width, "projection-width"},
                                    std::pair{options.projection_seed, "projection-seed"}}) {
    if (!given) continue;
    throw base::UsageError(
        fmt::format("{} needs a projection; add --projection countsketch", name));
  }
}

}  // namespace

double balanced_width(const WidthFacts& facts) {
  const double rows = facts.rows * facts.mu;
  if (facts.slope_bounded || std::isinf(facts.curvature)) return rows / std::sqrt(2.0);
  return std::pow(
      facts.curvature * facts.radius * facts.norm_bound * rows / (std::sqrt(2.0) * facts.slope),
      2.0 / 3);
}

ProjectionChoice choose_projection(const data::Schema& schema, const LinearOptions& options) {
  ProjectionChoice choice{schema, {}};
  if (!options.projection) {
    refuse_without_projection(options);
    return choice;
  }
  const bool automatic = *options.projection == "auto";
  auto projection = data::projection_of(automatic ? "countsketch" : *options.projection);
  projection.seed = options.projection_seed.value_or(0);
  projection.width = options.projection_width.value_or(0);
  if (projection.width == 0) projection.width = usual_width(schema, options);
  const auto features = schema.full_column_count() - (schema.intercept ? 1 : 0);
  const bool narrower = projection.width < features;
  if (!narrower && !options.projection_width) {
    if (automatic) return choice;
    throw base::UsageError(
        fmt::format("a projection to {} places, which the noise leaves room for, is not below the "
                    "{} features that there are; leave it out, or give --projection-width",
                    projection.width, features));
  }
  data::check_projection(projection, features);
  choice.schema.projection = projection;
  choice.reason = fmt::format(
      "{} of {} features to {}, by the public seed {}: noise for {} coordinates, and rows cut to "
      "norm {:g} behind it, so that it costs no privacy",
      data::projection_name(projection), features, projection.width, projection.seed,
      projection.width, schema.norm_bound());
  return choice;
}

}  // namespace tacet::learn
