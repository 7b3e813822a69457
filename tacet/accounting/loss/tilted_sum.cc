#include "tacet/accounting/loss/tilted_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "tacet/accounting/loss/staged_sum.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::unit_roundoff;

constexpr double sqrt_5 = 2.2360679774997896964;

}  // namespace

/// The state of one frequency for one measure: the product of the powers of its transforms, and the
/// terms that bound its error.
struct PowerState {
  double product_re = 1;
  double product_im = 0;
  double raised = 1;       ///< product of (A + tau)^count
  double sensitivity = 0;  ///< sum of count tau / (A + tau); below 0: the power is negligible
};

// A power below e^-200 becomes zero if the count is so large that the bound of its round-off is as
// small.
constexpr double log_negligible = -200;
constexpr std::int64_t count_for_negligible = 32;

/// from this log2 of the transform's length on, two stages are tried
constexpr int long_bits = 15;
/// if two stages would move more than this share of all mass, one stage may be this long (log2)
constexpr int largest_direct_bits = 20;
constexpr double largest_moved = 5e-4;

namespace {

void multiply(double& re, double& im, double by_re, double by_im) {
  const double new_re = re * by_re - im * by_im;
  im = re * by_im + im * by_re;
  re = new_re;
}

/// Multiplies `state` by (re, im)^count. `negligible_square` is the square of the magnitude below
/// which the power is negligible.
void raise(PowerState& state, double re, double im, std::int64_t count, double tau,
           double negligible_square) {
  const double square = re * re + im * im;
  if (square < negligible_square) {
    state.sensitivity = -1;
    return;
  }
  if (state.sensitivity < 0) return;
  const double raised = std::sqrt(square) * (1 + 4 * unit_roundoff) + tau;
  const auto times = static_cast<double>(count);
  state.raised *= std::pow(raised, times) * (1 + 4 * unit_roundoff);
  state.sensitivity += times * tau / raised;
  double base_re = re;
  double base_im = im;
  for (auto rest = count; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) multiply(state.product_re, state.product_im, base_re, base_im);
    if (rest > 1) multiply(base_re, base_im, base_re, base_im);
  }
}

/// Sums over the frequencies that bound the error of a coefficient.
struct ErrorSums {
  double forward = 0;
  double powering = 0;
  double magnitudes = 0;
  double squares = 0;  ///< of each frequency's error

  void add(const PowerState& state, double total_count) {
    if (state.sensitivity < 0) {
      magnitudes += 1e-80;
      return;
    }
    const double by_forward = state.raised * state.sensitivity * 1.01;
    const double by_powering = 1.01 * sqrt_5 * total_count * unit_roundoff * state.raised;
    forward += by_forward;
    powering += by_powering;
    magnitudes += state.raised;
    squares += (by_forward + by_powering) * (by_forward + by_powering);
  }
  [[nodiscard]] double bound(double n) const { return 1.01 * (forward + powering) / n + 1e-80; }
};

/// Adds the tilted masses of one grid, folded modulo n, to `target`. Returns the grid's log moment
/// and the largest |theta y|.
struct Tilt {
  double log_moment;
  double largest_exponent;
};
Tilt fold(const LossGrid& grid, double theta, std::vector<double>& target) {
  const auto n = target.size();
  const double log_moment = pld::log_moment(grid, theta);
  double largest = 0;
  for (const auto end : {grid.index.front(), grid.index.back()}) {
    largest = std::max(largest, std::fabs(theta * grid.step * static_cast<double>(end)));
  }
  for_each_tilted(grid, theta, log_moment, [&](std::size_t i, double w) {
    target[static_cast<std::size_t>(grid.index[i]) & (n - 1)] += w;
  });
  return {log_moment, largest};
}

/// The slot of a frequency. Only one half of each block is stored, since the other half mirrors it.
std::size_t slot(std::size_t position) {
  if (position < 2) return position;
  const auto block = std::bit_floor(position);
  return block / 2 + (position - block) + 1;
}

/// The log of a tail that changes delta at `shifted` by a ten millionth of itself. It uses the
/// saddle-point approximation of delta relative to e^{K - theta eps'}.
double log_tail_for(const GridSum::Cumulants& tilted, double theta, double shifted) {
  const double stddev = std::sqrt(tilted.variance);
  double log_share = -std::log1p(theta) - std::log1p(2.5 * theta * stddev);
  if (theta > 0 && stddev > 0) {
    const double z = (shifted - tilted.mean) / stddev;
    log_share -= std::min(40.0, 0.5 * z * z);
  }
  return std::clamp(log_share - 16, log_smallest_tail, -18.0);
}

/// The error that laws composed in an earlier stage leave in a sum of them: for measures of mass 1
/// that differ by e, T-fold sums differ by at most (1 + e)^T - 1.
double inherited_error(const GridSum& sum) {
  double error = 0;
  double log_drop = 0;
  for (const auto& part : sum.parts()) {
    error += static_cast<double>(part.count) * part.grid.law_error;
    log_drop += static_cast<double>(part.count) * part.grid.moment_drop;
  }
  if (error == 0) return 0;
  if (!(error < 0.1 && log_drop < 3)) {
    throw base::NumericError("round-off of composed privacy losses grew too large");
  }
  return 1.1 * error * std::exp(log_drop);
}

}  // namespace

int TwinTransform::prepare(double theta, const Thresholds& thresholds) {
  double width = 16;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& sum = *sums_[k];
    const double step = sum.step();
    const auto cumulants = sum.cumulants(theta);
    const double low_threshold = thresholds.low - sum.offset();
    const double high_threshold = thresholds.high - sum.offset();
    auto& law = laws_[k];
    law = TiltedLaw();
    law.theta = theta;
    law.step = step;
    law.offset = sum.offset();
    law.infinite_mass = sum.infinite_mass(k == 0 ? End::above : End::below);
    law.loss_error = sum.loss_error();
    law.log_tail = thresholds.log_tail < 0
                       ? thresholds.log_tail
                       : log_tail_for(cumulants, theta, 0.5 * (low_threshold + high_threshold));
    const auto window = chernoff_window(sum, theta, cumulants, law.log_tail);
    law.low = window.low;
    law.high = window.high;
    const auto low = static_cast<double>(window.low);
    const auto high = static_cast<double>(window.high);
    // The length must be enough that nothing wraps to above a threshold, and that the mass above
    // has no weight. The whole window is always enough.
    double needed = high - low_threshold / step;
    if (theta > 0) {
      needed = std::max(needed, high_threshold / step - low - law.log_tail / (theta * step));
    } else {
      needed = high - low;
    }
    width = std::max(width, std::min(needed, high - low) + 3);
  }
  if (!(width < 0x1p40)) {
    throw base::NumericError("a composed privacy loss exceeds the range of a transform");
  }
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::ceil(width)) - 1));
}

void TwinTransform::run(double theta, const Thresholds& thresholds, int largest_bits) {
  const int bits = prepare(theta, thresholds);
  if (bits >= long_bits) {
    const double log_tail = std::min(laws_[0].log_tail, laws_[1].log_tail);
    if (const auto sums = staged(*sums_[0], *sums_[1], {theta, log_tail, bits})) {
      if (sums->moved < largest_moved || bits > largest_direct_bits) {
        try {
          TwinTransform shorter(sums->upper, sums->lower);
          shorter.run(theta, thresholds, largest_bits);
          laws_ = std::move(shorter.laws_);
          length_ = shorter.length_;
          return;
        } catch (const base::NumericError&) {
          if (bits > largest_direct_bits) throw;
        }
      }
    }
  }
  transform(theta, bits, largest_bits);
}

void TwinTransform::run_whole(double theta, double log_tail, int largest_bits) {
  constexpr double far = 1e200;
  transform(theta, prepare(theta, {-far, far, log_tail}), largest_bits);
}

void TwinTransform::transform(double theta, int bits, int largest_bits) {
  if (bits > largest_bits) {
    throw base::NumericError("a composed loss needs a transform of 2^{}", bits);
  }
  const auto n = std::size_t{1} << bits;
  length_ = n;
  if (!fft_ || fft_->size() != n) fft_ = std::make_unique<numeric::Fft>(bits);
  // Both measures share each transform; separating them costs one more addition.
  const double tau = 2 * numeric::Fft::error_bound(bits) + 4 * unit_roundoff;
  if (static_cast<double>(sums_[0]->steps()) * tau > 0.1) {
    throw base::NumericError("{} compositions exceed what round-off allows", sums_[0]->steps());
  }
  const auto parts = sums_[0]->parts().size();
  // The last part is multiplied in place, so that it needs no buffer.
  States states(parts > 1 ? n / 2 + 1 : 0);
  for (std::size_t e = 0; e + 1 < parts; ++e) multiply_in(e, theta, states);
  invert(theta, states);
  for (std::size_t k = 0; k < 2; ++k) laws_[k].law_error = inherited_error(*sums_[k]);
}

void TwinTransform::Spectrum::raise_into(std::array<PowerState, 2>& states, std::size_t j,
                                         std::size_t m) const {
  raise(states[0], still[0] + 0.5 * (re[j] + re[m]), 0.5 * (im[j] - im[m]), count, tau,
        negligible_square);
  raise(states[1], still[1] + 0.5 * (im[j] + im[m]), 0.5 * (re[m] - re[j]), count, tau,
        negligible_square);
}

TwinTransform::Spectrum TwinTransform::spectrum(std::size_t part, double theta) {
  const auto n = fft_->size();
  Spectrum result{std::vector<double>(n, 0), std::vector<double>(n, 0)};
  auto& [re, im, still, count, tau, negligible_square] = result;
  count = sums_[0]->parts()[part].count;
  const auto times = static_cast<double>(count);
  // The mass at index 0 is the same at every frequency. Only the other masses go through the
  // transform and get its error.
  double moving = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    auto& target = k == 0 ? re : im;
    const auto tilt = fold(sums_[k]->parts()[part].grid, theta, target);
    still[k] = std::exchange(target[0], 0);
    moving += std::accumulate(target.begin(), target.end(), 0.0);
    auto& law = laws_[k];
    law.log_mass += times * tilt.log_moment;
    law.mass_error +=
        times * (unit_roundoff * (3 * tilt.largest_exponent + 3 * std::fabs(tilt.log_moment) + 40) +
                 mass_slack + sums_[k]->parts()[part].grid.mass_error);
  }
  fft_->forward(re.data(), im.data());
  // Separating the two measures and adding the mass at index 0 cost one rounding each.
  tau = numeric::Fft::error_bound(std::countr_zero(n)) * std::min(2.0, moving * 1.001) +
        (1.01 + 4 * std::min(2.0, moving)) * unit_roundoff;
  negligible_square = count < count_for_negligible ? -1.0 : std::exp(2 * log_negligible / times);
  return result;
}

void TwinTransform::multiply_in(std::size_t part, double theta, States& states) {
  const auto n = fft_->size();
  const auto factor = spectrum(part, theta);
  for (std::size_t j = 0; j < n; ++j) {
    const auto m = numeric::Fft::mirror(j);
    if (m < j) continue;
    factor.raise_into(states[slot(j)], j, m);
  }
}

void TwinTransform::invert(double theta, const States& states) {
  const auto n = fft_->size();
  auto last = spectrum(sums_[0]->parts().size() - 1, theta);
  auto& re = last.re;
  auto& im = last.im;
  std::array<ErrorSums, 2> errors;
  const auto total_count = static_cast<double>(sums_[0]->steps());
  for (std::size_t j = 0; j < n; ++j) {
    const auto m = numeric::Fft::mirror(j);
    if (m < j) continue;
    auto both = states.empty() ? std::array<PowerState, 2>() : states[slot(j)];
    last.raise_into(both, j, m);
    for (std::size_t k = 0; k < 2; ++k) {
      auto& state = both[k];
      if (state.sensitivity < 0) state.product_re = state.product_im = 0;
      errors[k].add(state, total_count);
      if (m != j) errors[k].add(state, total_count);
    }
    const auto& [a, b] = both;
    re[j] = a.product_re - b.product_im;
    im[j] = a.product_im + b.product_re;
    if (m == j) continue;
    re[m] = a.product_re + b.product_im;
    im[m] = b.product_re - a.product_im;
  }
  fft_->inverse(re.data(), im.data());
  const double shared = numeric::Fft::error_bound(std::countr_zero(n)) *
                        (errors[0].magnitudes + errors[1].magnitudes) / static_cast<double>(n);
  for (std::size_t k = 0; k < 2; ++k) {
    auto& law = laws_[k];
    law.round_off = errors[k].bound(static_cast<double>(n)) + 1.01 * shared;
    // By Parseval's identity and Cauchy's inequality.
    const auto size = static_cast<double>(n);
    law.total_round_off = std::min(size * law.round_off,
                                   1.01 * (std::sqrt(errors[k].squares) + size * shared) + 1e-75);
    auto& source = k == 0 ? re : im;
    const auto first = static_cast<std::size_t>(law.low) & (n - 1);
    std::rotate(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(first), source.end());
    law.coefficients = std::move(source);
  }
}

}  // namespace tacet::accounting::pld
