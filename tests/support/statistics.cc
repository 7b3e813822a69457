#include "tests/support/statistics.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <stdexcept>

namespace tacet::test {

double chi_square_p_value(std::span<const std::int64_t> observed,
                          std::span<const double> expected) {
  if (observed.size() != expected.size() || observed.size() < 2) {
    throw std::invalid_argument("chi-square needs two lists of the same length, 2 or more");
  }
  double statistic = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double gap = static_cast<double>(observed[i]) - expected[i];
    statistic += gap * gap / expected[i];
  }
  const boost::math::chi_squared law(static_cast<double>(observed.size() - 1));
  return boost::math::cdf(boost::math::complement(law, statistic));
}

double normal_p_value(double standardised) {
  const boost::math::normal law;
  return 2 * boost::math::cdf(boost::math::complement(law, std::fabs(standardised)));
}

}  // namespace tacet::test
