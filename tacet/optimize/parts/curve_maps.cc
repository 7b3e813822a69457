#include "tacet/optimize/parts/curve_maps.h"

#include "tacet/base/error.h"
#include "tacet/data/encode/curve_directions.h"

namespace tacet::optimize {
namespace {

bool equal(const data::CurveShape& one, const data::CurveShape& other) {
  return one.numbers == other.numbers && one.levels == other.levels && one.others == other.others;
}

}  // namespace

data::Curves CurveMaps::of(const data::Schema& schema, base::ThreadPool& threads) {
  const auto& asked = schema.curves.value();
  const bool fits = data::curve_obstacle(schema) == nullptr && asked.directions >= 0 &&
                    asked.directions <= data::Curves::max_directions && asked.frequencies >= 1 &&
                    asked.frequencies <= data::Curves::max_frequencies;
  if (!fits) throw base::DataError("the request asks for curves that there cannot be");
  const auto shape = data::curve_shape(schema);
  if (std::ssize(asked.whitening) != shape.numbers * shape.numbers) {
    throw base::DataError("the request whitens other numbers than it has");
  }
  const std::lock_guard alone(mutex_);
  const bool known = made_.directions == asked.directions && made_.seed == asked.seed &&
                     made_.frequencies == asked.frequencies && made_.whitening == asked.whitening &&
                     equal(shape_, shape);
  if (!known || made_.weights.empty()) {
    made_ = data::with_map(asked, shape, threads);
    shape_ = shape;
  }
  auto curves = made_;
  curves.share = asked.share;
  curves.target = asked.target;
  return curves;
}

}  // namespace tacet::optimize
