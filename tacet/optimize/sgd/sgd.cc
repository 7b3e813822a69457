#include "tacet/optimize/sgd/sgd.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {

CertifiedSgd::CertifiedSgd(SgdProblem problem, SgdSchedule schedule, const IterateWeights& weights,
                           privacy::Adjacency adjacency)
    : problem_(std::move(problem)),
      schedule_(std::move(schedule)),
      weights_(weights),
      adjacency_(adjacency) {
  exact_ = sgd_sensitivity(schedule_, weights_, step_law(problem_, schedule_, adjacency_));
  const auto guard = rounding_guard(problem_, schedule_, adjacency_);
  const bool same_growth =
      std::ranges::all_of(guard.law.growth, [](double kappa) { return kappa == 0; });
  const double moved =
      same_growth ? exact_.bound : sgd_sensitivity(schedule_, weights_, guard.law).bound;
  sensitivity_ = (moved + guard.added) * numeric::up_ulps(4);
  if (!(sensitivity_ > 0) || !std::isfinite(sensitivity_)) {
    throw base::NumericError("the sensitivity of this schedule is not a positive number");
  }
  regions_ = step_regions(problem_, schedule_);
  for (const auto& region : regions_) iterate_bound_ = std::max(iterate_bound_, region.norm);
}

double CertifiedSgd::grid(int norm_bits) const {
  const double units = privacy::distance_factor(adjacency_) * std::ldexp(1.0, norm_bits);
  // Rounding moves each of two vectors by half a unit in every coordinate at most.
  const double slack = std::sqrt(static_cast<double>(problem_.columns * problem_.outputs)) + 1;
  if (!(slack < units / 2)) {
    throw base::NumericError("the grid of the released weights is too coarse for so many columns");
  }
  return sensitivity_ / (units - slack) * numeric::up_ulps(4);
}

double CertifiedSgd::stddev_unit(int norm_bits) const {
  return grid(norm_bits) * std::ldexp(1.0, norm_bits);
}

privacy::PartialSum CertifiedSgd::run(const SgdRun& given, int norm_bits,
                                      privacy::PassBlock block) const {
  if (given.dataset.columns() != problem_.columns ||
      given.dataset.norm_bound() > problem_.norm_bound ||
      static_cast<std::int64_t>(given.rows.size()) != schedule_.records) {
    throw base::InternalError("the data set is not the one that the descent was certified for");
  }
  double start_square = 0;
  for (const double w : given.start) start_square += w * w;
  if (std::sqrt(start_square) > problem_.start_norm * numeric::amply_up) {
    throw base::InternalError("the first iterate is longer than the descent was certified for");
  }
  const auto mean = internal::descend(given, problem_, schedule_, weights_, regions_);
  const double unit = grid(norm_bits);
  std::vector<std::int64_t> values;
  values.reserve(mean.size());
  for (const double w : mean) {
    // Beyond 2^62 units lies nothing that the certificate allows.
    values.push_back(std::llrint(std::clamp(w / unit, -0x1p62, 0x1p62)));
  }
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values), unit,
                                          std::int64_t{1} << norm_bits),
      block);
}

}  // namespace tacet::optimize
