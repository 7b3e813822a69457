#include "tacet/data/encode/curve_directions.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "tacet/data/encode/curve_features.h"
#include "tacet/data/encode/hat_moments.h"
#include "tacet/numeric/elementary.h"
#include "tacet/numeric/symmetric.h"

namespace tacet::data {
namespace {

using Complex = std::complex<double>;
constexpr std::size_t half_hats = CurveFunctions::half_hats;
constexpr double two_pi = 2 * std::numbers::pi;

Complex at_turns(double turns) {
  const auto at = numeric::sine_cosine(turns);
  return {at.cosine, at.sine};
}

/// Simulated numbers are G n for independent normal n. Returns G, row by row. It follows from the
/// whitening W, since W^-2 is the matrix of shrunk second moments up to a factor: G is W^-1 in
/// eigenvector coordinates, with rows scaled to length 1. A number without released moments stays
/// independent of the others.
std::vector<double> correlation_root(std::span<const double> whitening, std::size_t numbers) {
  std::vector<double> root(numbers * numbers, 0.0);
  for (std::size_t i = 0; i < numbers; ++i) root[i * numbers + i] = 1;
  if (whitening.empty()) return root;
  const auto system = numeric::eigensystem({whitening.begin(), whitening.end()}, numbers);
  std::vector<double> row(numbers);
  for (std::size_t i = 0; i < numbers; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < numbers; ++k) {
      row[k] = system.vectors[i * numbers + k] / system.values[k];
      square += row[k] * row[k];
    }
    const double length = std::sqrt(square);
    if (!(length > 0) || !std::isfinite(length)) continue;
    for (std::size_t k = 0; k < numbers; ++k) root[i * numbers + k] = row[k] / length;
  }
  return root;
}

double inner(std::span<const double> one, std::span<const double> other) {
  double sum = 0;
  for (std::size_t k = 0; k < one.size(); ++k) sum += one[k] * other[k];
  return sum;
}

// std::complex multiplies by a library call that handles infinities, which is slow.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Moments of all functions under the assumed law of records (see with_directions).
class Moments {
 public:
  Moments(const CurveFunctions& functions, std::span<const double> whitening,
          base::ThreadPool& threads)
      : functions_(functions),
        shape_(functions.shape()),
        waves_(functions.frequencies()),
        numbers_(static_cast<std::size_t>(shape_.numbers)),
        half_(functions.half()),
        threads_(threads),
        root_(correlation_root(whitening, numbers_)) {
    read_waves();
    read_line();
  }

  /// One block for even and one for odd functions, or one for all if categories mix them. The part
  /// that is linear in numbers and categories is subtracted.
  [[nodiscard]] std::vector<numeric::SymmetricBlock> blocks() const {
    std::vector<numeric::SymmetricBlock> out;
    const std::size_t size = shape_.levels.empty() ? half_ : 2 * half_;
    for (std::size_t first = 0; first < 2 * half_; first += size) {
      out.push_back({size, std::vector<double>(size * size, 0.0)});
    }
    set_moments({out, size});
    for (std::size_t b = 0; b < out.size(); ++b) take_off_line(b * size, out[b]);
    return out;
  }

  /// The best linear fit of every function: a constant, a coefficient per number, and an offset per
  /// category.
  [[nodiscard]] const std::vector<std::vector<double>>& line() const { return line_; }

 private:
  /// Of a wave, in turns per standard deviation of the independent numbers.
  [[nodiscard]] std::span<const double> frequencies_of(std::size_t wave) const {
    return std::span(turns_).subspan(wave * numbers_, numbers_);
  }
  [[nodiscard]] std::span<const double> root_of(std::size_t number) const {
    return std::span(root_).subspan(number * numbers_, numbers_);
  }

  void read_waves() {
    for (std::size_t wave = 0; wave < waves_; ++wave) {
      std::vector<double> turns(numbers_, 0.0);
      for (std::size_t k = 0; k < numbers_; ++k) {
        const auto root = root_of(k);
        for (std::size_t l = 0; l < numbers_; ++l)
          turns[l] += functions_.frequency(wave, k) * root[l];
      }
      squares_.push_back(inner(turns, turns));
      turns_.insert(turns_.end(), turns.begin(), turns.end());
    }
    std::size_t level = 0;
    for (const auto count : shape_.levels) {
      auto& column = phases_.emplace_back();
      auto& means = level_means_.emplace_back(waves_);
      for (std::int64_t k = 0; k < count; ++k, ++level) {
        auto& of_level = column.emplace_back();
        for (std::size_t wave = 0; wave < waves_; ++wave) {
          of_level.push_back(at_turns(functions_.angle(wave, level)));
          means[wave] += of_level.back() / static_cast<double>(count);
        }
      }
    }
  }

  /// e^(-|2 pi turns|^2 / 2): the mean of a wave over normal numbers.
  static double damping(double square_turns) {
    return numeric::exp(-0.5 * two_pi * two_pi * square_turns);
  }

  /// The mean of the categories' angle factor, over all columns but one.
  [[nodiscard]] Complex angle_mean(std::size_t wave, std::size_t without) const {
    Complex mean = 1;
    for (std::size_t j = 0; j < level_means_.size(); ++j) {
      if (j != without) mean = times(mean, level_means_[j][wave]);
    }
    return mean;
  }

  void set_wave(std::vector<double>& row, std::size_t wave, Complex value) const {
    row[wave] = functions_.wave_height() * value.real();
    row[half_ + wave] = functions_.wave_height() * value.imag();
  }

  /// Of normal numbers a line's best coefficients are the mean slopes of what it stands for,
  /// whatever their correlations (Stein's identity).
  void read_line() {
    const auto none = level_means_.size();
    line_.assign(1 + numbers_, std::vector<double>(2 * half_, 0.0));
    for (std::size_t wave = 0; wave < waves_; ++wave) {
      const Complex mean = angle_mean(wave, none) * damping(squares_[wave]);
      set_wave(line_[0], wave, mean);
      for (std::size_t k = 0; k < numbers_; ++k) {
        const double w = two_pi * functions_.frequency(wave, k);
        set_wave(line_[1 + k], wave, Complex{-mean.imag() * w, mean.real() * w});
      }
    }
    const double height = functions_.hat_height();
    for (std::size_t k = 0; k < numbers_; ++k) {
      for (std::size_t hat = 0; hat < half_hats; ++hat) {
        const auto place = waves_ + k * half_hats + hat;
        line_[0][place] = height * hats_.mean[hat];
        line_[1 + k][half_ + place] = height * hats_.slope[hat];
      }
    }
    for (std::size_t j = 0; j < phases_.size(); ++j) {
      for (const auto& level : phases_[j]) {
        auto& row = line_.emplace_back(2 * half_, 0.0);
        for (std::size_t wave = 0; wave < waves_; ++wave) {
          const Complex other = angle_mean(wave, j) * damping(squares_[wave]);
          set_wave(row, wave, times(other, level[wave] - level_means_[j][wave]));
        }
      }
    }
  }

  /// Means of e^(i(a - b)) and e^(i(a + b)) of two waves' angles.
  [[nodiscard]] std::pair<Complex, Complex> angle_moments(std::size_t a, std::size_t b) const {
    Complex difference = 1;
    Complex sum = 1;
    for (const auto& column : phases_) {
      Complex of_difference = 0;
      Complex of_sum = 0;
      for (const auto& level : column) {
        of_difference += times(level[a], std::conj(level[b]));
        of_sum += times(level[a], level[b]);
      }
      const double share = 1 / static_cast<double>(column.size());
      difference = times(difference, of_difference * share);
      sum = times(sum, of_sum * share);
    }
    return {difference, sum};
  }

  /// Writes the moment of the functions i and j to the block, one of at most two, that contains
  /// both.
  struct Target {
    std::span<numeric::SymmetricBlock> blocks;
    std::size_t size;  // of each

    void set(std::size_t i, std::size_t j, double value) const {
      const bool second = i >= size;
      if (second != (j >= size)) return;
      auto& matrix = blocks[second ? 1 : 0].matrix;
      const std::size_t begin = second ? size : 0;
      matrix[(i - begin) * size + j - begin] = value;
      matrix[(j - begin) * size + i - begin] = value;
    }
  };

  void set_waves(const Target& target, std::size_t a, std::size_t b) const {
    const auto left = frequencies_of(a);
    const auto right = frequencies_of(b);
    const double product = inner(left, right);
    const double squares = squares_[a] + squares_[b];
    auto [difference, sum] = angle_moments(a, b);
    const double factor = functions_.wave_height() * functions_.wave_height() / 2;
    difference *= factor * damping(squares - 2 * product);
    sum *= factor * damping(squares + 2 * product);
    target.set(a, b, difference.real() + sum.real());
    target.set(half_ + a, half_ + b, difference.real() - sum.real());
    target.set(half_ + a, b, sum.imag() + difference.imag());
    target.set(a, half_ + b, sum.imag() - difference.imag());
  }

  /// Sets the moments of one number's hat functions with a wave. The wave varies with the number at
  /// a rate that is their covariance; the rest of the wave is independent of the number.
  void set_hats_of_wave(const Target& target, std::size_t wave, std::size_t number) const {
    const double own = inner(root_of(number), frequencies_of(wave));
    const auto [even, odd] = hats_.with_wave(own);
    const Complex rest = angle_mean(wave, level_means_.size()) *
                         damping(squares_[wave] - own * own) *
                         (functions_.wave_height() * functions_.hat_height());
    for (std::size_t hat = 0; hat < half_hats; ++hat) {
      const auto place = waves_ + number * half_hats + hat;
      // The mean of e^(i w z) with an even hat is that of the cosine; with an odd one it is i times
      // that of the sine.
      target.set(wave, place, rest.real() * even[hat]);
      target.set(half_ + wave, place, rest.imag() * even[hat]);
      target.set(wave, half_ + place, -rest.imag() * odd[hat]);
      target.set(half_ + wave, half_ + place, rest.real() * odd[hat]);
    }
  }

  void set_hats(const Target& target, std::size_t one, std::size_t other) const {
    const double factor = functions_.hat_height() * functions_.hat_height();
    const auto moments =
        one == other ? hats_.of_one() : hats_.of_two(inner(root_of(one), root_of(other)));
    for (std::size_t a = 0; a < half_hats; ++a) {
      for (std::size_t b = 0; b < half_hats; ++b) {
        const auto left = waves_ + one * half_hats + a;
        const auto right = waves_ + other * half_hats + b;
        target.set(left, right, factor * moments.even[a][b]);
        target.set(half_ + left, half_ + right, factor * moments.odd[a][b]);
      }
    }
  }

  void set_moments(const Target& target) const {
    threads_.for_blocks(static_cast<std::int64_t>(waves_), 8,
                        [&](int, std::int64_t begin, std::int64_t end) {
                          for (auto wave = static_cast<std::size_t>(begin);
                               wave < static_cast<std::size_t>(end); ++wave) {
                            for (std::size_t b = 0; b <= wave; ++b) set_waves(target, wave, b);
                            for (std::size_t k = 0; k < numbers_; ++k) {
                              set_hats_of_wave(target, wave, k);
                            }
                          }
                        });
    for (std::size_t k = 0; k < numbers_; ++k) {
      for (std::size_t j = 0; j <= k; ++j) set_hats(target, k, j);
    }
  }

  /// Under the law, the constant, the independent numbers and the levels of different columns are
  /// uncorrelated.
  void take_off_line(std::size_t first, numeric::SymmetricBlock& out) const {
    auto parts = line_;
    for (std::size_t k = 0; k < numbers_; ++k) {
      auto& part = parts[1 + k];
      std::ranges::fill(part, 0.0);
      for (std::size_t i = 0; i < numbers_; ++i) {
        const double factor = root_of(i)[k];
        for (std::size_t j = 0; j < part.size(); ++j) part[j] += factor * line_[1 + i][j];
      }
    }
    std::vector<double> shares(1 + numbers_, 1.0);
    for (const auto& column : phases_) {
      shares.insert(shares.end(), column.size(), 1 / static_cast<double>(column.size()));
    }
    threads_.for_blocks(
        static_cast<std::int64_t>(out.size), 32, [&](int, std::int64_t begin, std::int64_t end) {
          for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            for (std::size_t part = 0; part < parts.size(); ++part) {
              const double* row = parts[part].data() + first;
              const double factor = shares[part] * row[i];
              if (factor == 0) continue;
              double* to = out.matrix.data() + i * out.size;
              for (std::size_t j = 0; j < out.size; ++j) to[j] -= factor * row[j];
            }
          }
        });
  }

  const CurveFunctions& functions_;
  CurveShape shape_;
  std::size_t waves_;
  std::size_t numbers_;
  std::size_t half_;
  base::ThreadPool& threads_;
  std::vector<double> root_;  // of the numbers' correlations
  HatMoments hats_;
  std::vector<double> turns_;                              // wave by wave
  std::vector<double> squares_;                            // of a wave's turns
  std::vector<std::vector<std::vector<Complex>>> phases_;  // by column, level, wave
  std::vector<std::vector<Complex>> level_means_;          // by column, wave
  // one row per part of the linear fit, one column per function
  std::vector<std::vector<double>> line_;
};

}  // namespace

Curves with_directions(const Curves& curves, const CurveShape& shape, base::ThreadPool& threads) {
  Curves out = curves;
  const auto directions = static_cast<std::size_t>(curves.directions);
  const auto functions_each = static_cast<std::size_t>(shape.function_weights(curves));
  const auto line_each = static_cast<std::size_t>(shape.line_weights());
  out.weights.assign(directions * functions_each, 0);
  out.lines.assign(directions * line_each, 0.0F);
  if (directions == 0) return out;
  const CurveFunctions functions(curves, shape);
  const Moments moments(functions, curves.whitening, threads);
  const auto space = numeric::leading_space(moments.blocks(), directions, threads);
  out.energy = space.energy;
  out.even = space.parts.size() == 2 ? static_cast<std::int64_t>(space.parts[0].count) : 0;
  constexpr auto unit = static_cast<double>(Curves::weight_unit);
  std::size_t direction = 0;
  for (std::size_t b = 0; b < space.parts.size(); ++b) {
    const auto& part = space.parts[b];
    const std::size_t first = b * functions_each;  // first function of the block
    for (std::size_t k = 0; k < part.count; ++k, ++direction) {
      std::vector<double> line(line_each, 0.0);
      for (std::size_t i = 0; i < functions_each; ++i) {
        const auto weight =
            static_cast<std::int16_t>(std::floor(part.vectors[i * part.count + k] * unit + 0.5));
        out.weights[direction * functions_each + i] = weight;
        for (std::size_t l = 0; l < line_each; ++l) {
          line[l] += weight / unit * moments.line()[l][first + i];
        }
      }
      for (std::size_t l = 0; l < line_each; ++l) {
        out.lines[direction * line_each + l] = static_cast<float>(line[l]);
      }
    }
  }
  return out;
}

Curves with_map(const Curves& curves, const CurveShape& shape, base::ThreadPool& threads) {
  const std::int64_t few =
      (shape.levels.size() >= CurveShape::several_columns ? 2 : 1) * few_directions;
  if (curves.directions >= few) return with_directions(curves, shape, threads);
  auto independent = curves;
  independent.whitening.clear();
  auto made = with_directions(independent, shape, threads);
  made.whitening = curves.whitening;
  return made;
}

}  // namespace tacet::data
