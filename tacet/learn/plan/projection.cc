#include "tacet/learn/plan/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/learn/plan/arora2022.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::learn {
namespace {

constexpr double radius_for_numbers = 4;  // numbers are scaled to [-1, 1]

double mu_of(const CommonOptions& options, std::int64_t records) {
  Reasons unused;
  // A pure budget has no mu. For choosing the width, the mu at the default delta is close enough.
  auto approximate = options;
  if (options.delta == 0.0) approximate.delta.reset();
  const auto delta = resolve_delta(approximate, records, unused);
  return accounting::gaussian::mu_for(privacy::Epsilon(options.epsilon), delta);
}

model::Loss expected_loss(const data::Schema& schema, const CommonOptions& options) {
  const auto& target = target_of(schema);
  const bool number = target.regression() && target.number_kind() == data::NumberKind::number;
  return options.loss.value_or(number ? model::Loss{model::SquaredLoss{}}
                                      : model::Loss{model::LogisticLoss{}});
}

std::int64_t allowed_width(double width) {
  const auto clamped =
      std::clamp(width, double{data::Projection::min_width}, double{data::Projection::max_width});
  return static_cast<std::int64_t>(clamped) / 4 * 4;
}

std::int64_t usual_width(const data::Schema& schema, const CommonOptions& options) {
  if (std::isinf(options.epsilon)) {
    throw base::UsageError(
        "`projection_width` is missing: with epsilon inf there is no noise to choose it by");
  }
  const auto records = resolve_row_count(schema, options);
  const auto loss = expected_loss(schema, options);
  const auto facts = model::properties(loss);
  const double bound = schema.norm_bound();
  const double width = balanced_width(
      {.rows = static_cast<double>(records),
       .mu = mu_of(options, records) / privacy::distance_factor(options.adjacency) * 2,
       .norm_bound = bound,
       .slope = std::isfinite(facts.slope_bound)
                    ? facts.slope_bound
                    : model::slope_bound_within(loss, radius_for_numbers * bound),
       .curvature = facts.curvature,
       .radius = radius_for_numbers,
       .slope_bounded = std::isfinite(facts.slope_bound)});
  return allowed_width(width);
}

double published_delta(const data::Schema& schema, const CommonOptions& options) {
  Reasons unused;
  return resolve_delta(options, resolve_row_count(schema, options), unused).value();
}

std::int64_t published_width(const data::Schema& schema, const CommonOptions& options,
                             double radius) {
  const auto loss = expected_loss(schema, options);
  const auto facts = model::properties(loss);
  const arora2022::Problem problem{.curvature = facts.curvature,
                                   .loss_at_zero = model::largest_loss_at_zero(loss),
                                   .slope_bound = facts.slope_bound,
                                   .norm_bound = schema.norm_bound(),
                                   .radius = radius};
  return allowed_width(arora2022::projection_width(problem, resolve_row_count(schema, options),
                                                   options.epsilon,
                                                   published_delta(schema, options)));
}

/// Whether the paper's projection is asked for; UsageError for settings that the paper does not
/// have.
bool resolve_published(data::Projection& projection, const CommonOptions& options,
                       const ProjectionOptions& asked, const std::optional<double>& radius) {
  if (options.calibration != Calibration::arora2022 || std::isinf(options.epsilon)) return false;
  if (!radius || options.delta == 0.0) {
    throw base::UsageError(
        "`calibration=arora2022` projects to a width that follows from a ball and a delta above 0; "
        "give `radius`, or use tight");
  }
  if (*asked.projection == "auto") projection.family = data::ProjectionFamily::gaussian;
  if (projection.family != data::ProjectionFamily::gaussian) {
    throw base::UsageError(
        "`calibration=arora2022` bounds the norms of Gaussian projections; use "
        "`projection=gaussian`, or the tight calibration, which takes every family");
  }
  projection.room = 2;
  return true;
}

void add_published_reason(ProjectionChoice& choice, const CommonOptions& options, double radius) {
  const auto& projection = *choice.schema.projection;
  choice.radius_factor = 2 * static_cast<double>(projection.room);
  choice.reason += fmt::format(
      "; the paper's assumption that no image is twice as long as its row fails with a probability "
      "of at most {:.3g}, which the paper counts into the delta it claims: here such rows are cut; "
      "weights in the ball of twice the radius, {:g}, are {:g} of rows that are stored as halves",
      arora2022::norm_event(resolve_row_count(choice.schema, options), projection.width),
      2 * radius, choice.radius_factor * radius);
}

void refuse_without_projection(const ProjectionOptions& asked) {
  for (const auto& [given, name] : {std::pair{asked.projection_width, "projection-width"},
                                    std::pair{asked.projection_seed, "projection-seed"}}) {
    if (!given) continue;
    throw base::UsageError("{} needs a projection; add `projection=countsketch`",
                           base::parameter_name(name));
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

ProjectionChoice choose_projection(const data::Schema& schema, const ParameterValues& values) {
  ProjectionChoice choice{schema, {}};
  ProjectionOptions asked;
  read_bound(projection_bindings, values.all(), asked);
  if (!asked.projection) {
    refuse_without_projection(asked);
    return choice;
  }
  const auto options = common_options(values);
  const auto radius = values.real("radius");
  const bool automatic = *asked.projection == "auto";
  auto projection = data::projection_of(automatic ? "countsketch" : *asked.projection);
  projection.seed = asked.projection_seed.value_or(0);
  projection.width = asked.projection_width.value_or(0);
  const bool published = resolve_published(projection, options, asked, radius);
  if (projection.width == 0) {
    projection.width =
        published ? published_width(schema, options, *radius) : usual_width(schema, options);
  }
  const auto features = schema.full_column_count() - (schema.intercept ? 1 : 0);
  const bool narrower = projection.width < features;
  if (!narrower && !asked.projection_width) {
    if (automatic) return choice;
    throw base::UsageError(
        "a projection to {} places, which the noise leaves room for, is not below the {} features "
        "that there are; leave it out, or give `projection_width`",
        projection.width, features);
  }
  data::check_projection(projection, features);
  choice.schema.projection = projection;
  choice.reason = fmt::format(
      "{} of {} features to {}, by the public seed {}: noise for {} coordinates, and rows cut to "
      "norm {:g} behind it, so that it costs no privacy",
      data::projection_name(projection), features, projection.width, projection.seed,
      projection.width, schema.norm_bound());
  if (published) add_published_reason(choice, options, *radius);
  return choice;
}

}  // namespace tacet::learn
