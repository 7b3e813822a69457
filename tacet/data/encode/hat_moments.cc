#include "tacet/data/encode/hat_moments.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "tacet/data/schema/curves.h"
#include "tacet/numeric/elementary.h"

namespace tacet::data {

HatMoments::HatMoments() {
  for (std::size_t i = 0; i < points_; ++i) {
    const double z = step_ * static_cast<double>(i);
    // Twice, for -z, but at 0.
    weights_[i] =
        (i == 0 ? 1 : 2) * step_ * numeric::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    for (std::size_t k = 0; k < half_hats; ++k) {
      const auto knot = static_cast<std::int64_t>(k);
      const double left = CurveFunctions::hat(knot, z) * (std::numbers::sqrt2 / 2);
      const double right =
          CurveFunctions::hat(Curves::hats - 1 - knot, z) * (std::numbers::sqrt2 / 2);
      even_[k][i] = left + right;
      odd_[k][i] = left - right;
      if (left + right == 0) continue;
      if (end_[k] == 0) begin_[k] = i;
      end_[k] = i + 1;
    }
  }
  for (std::size_t i = 0; i < points_; ++i) {
    const double z = step_ * static_cast<double>(i);
    double last = 0;
    double hermite = 1;  // He_n(z) / sqrt(n!)
    for (std::size_t n = 0; n < 2 * terms_; ++n) {
      auto& series = n % 2 == 0 ? even_series_ : odd_series_;
      for (std::size_t k = 0; k < half_hats; ++k) {
        const double hat = n % 2 == 0 ? even_[k][i] : odd_[k][i];
        series[k][n / 2] += weights_[i] * hat * hermite;
      }
      const double order = static_cast<double>(n);
      const double next = (z * hermite - std::sqrt(order) * last) / std::sqrt(order + 1);
      last = hermite;
      hermite = next;
    }
  }
  for (std::size_t k = 0; k < half_hats; ++k) {
    mean[k] = even_series_[k][0];
    slope[k] = odd_series_[k][0];
    for (std::size_t i = 0; i < points_; ++i) {
      for (std::size_t j = 0; j < half_hats; ++j) {
        of_one_.even[k][j] += weights_[i] * even_[k][i] * even_[j][i];
        of_one_.odd[k][j] += weights_[i] * odd_[k][i] * odd_[j][i];
      }
    }
  }
}

std::pair<HatMoments::Values, HatMoments::Values> HatMoments::with_wave(double turns) const {
  std::pair<Values, Values> out{};
  std::array<numeric::SineCosine, points_> waves;
  for (std::size_t i = 0; i < points_; ++i) {
    waves[i] = numeric::sine_cosine(turns * step_ * static_cast<double>(i));
  }
  for (std::size_t k = 0; k < half_hats; ++k) {
    for (std::size_t i = begin_[k]; i < end_[k]; ++i) {
      out.first[k] += weights_[i] * even_[k][i] * waves[i].cosine;
      out.second[k] += weights_[i] * odd_[k][i] * waves[i].sine;
    }
  }
  return out;
}

HatMoments::Products HatMoments::of_two(double correlation) const {
  Products out;
  double power = 1;
  for (std::size_t m = 0; m < terms_; ++m) {
    for (std::size_t a = 0; a < half_hats; ++a) {
      for (std::size_t b = 0; b < half_hats; ++b) {
        out.even[a][b] += power * even_series_[a][m] * even_series_[b][m];
        out.odd[a][b] += power * correlation * odd_series_[a][m] * odd_series_[b][m];
      }
    }
    power *= correlation * correlation;
  }
  return out;
}

}  // namespace tacet::data
