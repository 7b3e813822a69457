#include "tacet/api/release.h"

#include <utility>

#include "tacet/api/inside.h"
#include "tacet/base/error.h"
#include "tacet/run/release.h"

namespace tacet::api {
namespace {

run::Noise kind_of(Noise noise) {
  switch (noise) {
    case Noise::gaussian:
      return run::Noise::gaussian;
    case Noise::laplace:
      return run::Noise::laplace;
    case Noise::discrete_gaussian:
      return run::Noise::discrete_gaussian;
    case Noise::discrete_laplace:
      return run::Noise::discrete_laplace;
  }
  throw base::InternalError("an unknown kind of noise");
}

}  // namespace

Sum::Sum(optimize::VectorSum&& sum)
    : held_(std::make_shared<privacy::BoundedSum>(std::move(sum).take())) {}
Sum::Sum(optimize::Histogram&& sum)
    : held_(std::make_shared<privacy::BoundedSum>(std::move(sum).take())) {}
Sum::Sum(optimize::MeanSum&& sum)
    : held_(std::make_shared<privacy::BoundedSum>(std::move(sum).take())) {}

// Copies of a Sum share one sum, so that it is released only once.
privacy::BoundedSum Inside::take(Sum& sum) {
  if (sum.held_ == nullptr || sum.held_->size() == 0) {
    throw base::UsageError("the sum was released before; make another one");
  }
  return std::move(*sum.held_);
}

ReleasedSum release(Sum sum, const privacy::Guarantee& asked, const ReleaseOptions& options) {
  auto released = run::release(Inside::take(sum), asked,
                               {.noise = kind_of(options.noise),
                                .privacy_unit = options.privacy_unit,
                                .max_records_per_unit = options.max_records_per_unit,
                                .budget = Inside::of(options.budget),
                                .source = Inside::of(options.random)});
  return {std::move(released.values), released.noise_stddev, std::move(released.receipt)};
}

}  // namespace tacet::api
