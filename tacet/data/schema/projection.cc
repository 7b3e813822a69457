#include "tacet/data/schema/projection.h"

#include "tacet/base/error.h"

namespace tacet::data {

std::string projection_name(const Projection& projection) {
  switch (projection.family) {
    case ProjectionFamily::countsketch:
      return projection.blocks == 1 ? "countsketch" : "countsketch4";
    case ProjectionFamily::srht:
      return "srht";
    case ProjectionFamily::gaussian:
      return "gaussian";
  }
  throw base::InternalError("unknown family of projections");
}

Projection projection_of(std::string_view name) {
  for (const auto& known : {Projection{.family = ProjectionFamily::countsketch},
                            Projection{.family = ProjectionFamily::countsketch, .blocks = 4},
                            Projection{.family = ProjectionFamily::srht},
                            Projection{.family = ProjectionFamily::gaussian}}) {
    if (projection_name(known) == name) return known;
  }
  throw base::UsageError("a projection is countsketch, countsketch4, srht or gaussian, got '{}'",
                         name);
}

void check_projection(const Projection& projection, std::int64_t columns) {
  const auto width = projection.width;
  if (width < Projection::min_width || width > Projection::max_width) {
    throw base::UsageError("`projection_width` must be {} to {}, got {}", Projection::min_width,
                           Projection::max_width, width);
  }
  if (width > columns) {
    throw base::UsageError(
        "`projection_width` {} is above the {} columns that there are; leave the projection out, "
        "or give a smaller width",
        width, columns);
  }
  if (projection.seed < 0) {
    throw base::UsageError(
        "`projection_seed` must be 0 to 2^63 - 1, got {}; it is public and stands in the model",
        projection.seed);
  }
  if (projection.room != 1 && projection.room != 2) {
    throw base::UsageError("the room of a projection must be 1 or 2, got {}", projection.room);
  }
  const bool blocks_fit = projection.family == ProjectionFamily::countsketch
                              ? projection.blocks == 1 || projection.blocks == 4
                              : projection.blocks == 1;
  if (!blocks_fit || width % projection.blocks != 0) {
    throw base::UsageError("countsketch4 has four blocks of equal width; {} is no multiple of 4",
                           width);
  }
  if (projection.family == ProjectionFamily::srht && columns > Projection::max_srht_columns) {
    throw base::UsageError(
        "srht transforms a buffer as long as a row, at most 2^26 columns, got {}; "
        "`projection=countsketch` takes any number",
        columns);
  }
}

}  // namespace tacet::data
