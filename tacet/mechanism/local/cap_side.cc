#include "tacet/mechanism/local/cap_side.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstddef>

#include "tacet/numeric/rounding.h"

namespace tacet::mechanism {
namespace {

using boost::multiprecision::cpp_int;
__extension__ using WideDot = __int128;

struct Sums {
  double dot;
  double square;
};

/// Four sums side by side. The compiler may reorder them: the error bound holds for every order.
Sums rough_sums(std::span<const std::int64_t> candidate, std::span<const double> direction) {
  constexpr std::size_t lanes = 4;
  double dots[lanes] = {};
  double squares[lanes] = {};
  const std::size_t whole = candidate.size() / lanes * lanes;
  for (std::size_t j = 0; j < whole; j += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto k = static_cast<double>(candidate[j + lane]);
      dots[lane] += k * direction[j + lane];
      squares[lane] += k * k;
    }
  }
  for (std::size_t j = whole; j < candidate.size(); ++j) {
    const auto k = static_cast<double>(candidate[j]);
    dots[0] += k * direction[j];
    squares[0] += k * k;
  }
  return {(dots[0] + dots[1]) + (dots[2] + dots[3]),
          (squares[0] + squares[1]) + (squares[2] + squares[3])};
}

cpp_int to_integer(WideDot value) {
  const auto high = static_cast<std::int64_t>(value >> 64);
  return (cpp_int(high) << 64) + static_cast<std::uint64_t>(value);
}

/// <K, U> >= 0 and <K, U>^2 4^e >= m^2 |U|^2 (|K|^2) for the threshold m 2^-e.
bool exactly_inside(const SphereCap& cap, std::span<const std::int64_t> candidate,
                    std::span<const double> direction) {
  WideDot dot = 0;
  WideDot length = 0;
  WideDot square = 0;
  for (std::size_t j = 0; j < candidate.size(); ++j) {
    const auto u = static_cast<std::int64_t>(direction[j]);
    dot += WideDot{candidate[j]} * u;
    length += WideDot{u} * u;
    square += WideDot{candidate[j]} * candidate[j];
  }
  if (dot < 0) return false;
  if (cap.threshold == 0) return true;
  int exponent = 0;
  const auto mantissa =
      static_cast<std::int64_t>(std::ldexp(std::frexp(cap.threshold, &exponent), 53));
  const int shift = 2 * (53 - exponent);
  cpp_int left = to_integer(dot) * to_integer(dot);
  cpp_int right = cpp_int(mantissa) * mantissa * to_integer(length);
  if (cap.shape == CapShape::angle) right *= to_integer(square);
  if (shift >= 0) {
    left <<= shift;
  } else {
    right <<= -shift;
  }
  return left >= right;
}

}  // namespace

CapDirection make_direction(std::span<const std::int64_t> integers) {
  CapDirection direction;
  direction.integers.assign(integers.begin(), integers.end());
  direction.norm = std::sqrt(rough_sums(integers, direction.integers).square);
  return direction;
}

bool inside_cap(const SphereCap& cap, std::span<const std::int64_t> candidate,
                const CapDirection& direction, CapArithmetic arithmetic) {
  if (arithmetic == CapArithmetic::doubles_first) {
    const Sums sums = rough_sums(candidate, direction.integers);
    const double norm = std::sqrt(sums.square);
    const double reach = norm * direction.norm;
    const double threshold =
        cap.threshold * (cap.shape == CapShape::angle ? reach : direction.norm);
    // Integers below 2^53 are doubles. A sum of d products is within d 2^-53 of the sum of their
    // magnitudes, at most |K| |U| by Cauchy and Schwarz; roots, norms and the boundary add as much
    // again (docs/proofs/local_randomizers.md, section 2).
    const auto d = static_cast<double>(candidate.size());
    const double bound = (3 * d + 32) * numeric::unit_roundoff * (reach + threshold);
    if (sums.dot > threshold + bound) return true;
    if (sums.dot < threshold - bound) return false;
  }
  return exactly_inside(cap, candidate, direction.integers);
}

}  // namespace tacet::mechanism
