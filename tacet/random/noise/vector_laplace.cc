#include "tacet/random/noise/vector_laplace.h"

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/sums.h"
#include "tacet/random/exact/real_interval.h"
#include "tacet/random/noise/discrete.h"
#include "tacet/random/source/secure_memory.h"

namespace tacet::random {
namespace {

using internal::Approximate;
using internal::Arithmetic;
using internal::RealInterval;
using internal::TwoStageUniform;
using numeric::CompensatedSum;

[[noreturn]] void fail_undecided() {
  throw base::InternalError("512 random bits did not decide one draw; the generator is broken");
}

std::vector<TwoStageUniform> draw_uniforms(Stream& stream, std::size_t count) {
  std::vector<TwoStageUniform> uniforms;
  uniforms.reserve(count);
  for (std::size_t i = 0; i < count; ++i) uniforms.emplace_back(stream);
  return uniforms;
}

/// For at most 2^25 non-negative terms, compensation leaves an error of one unit in the last place
/// and terms of second order. So doubles decide nearly every vector of a thousand coordinates.
double error_of(const CompensatedSum& sum) { return sum.value() * numeric::ulps(1); }

/// The sum of exponential variables, which has a Gamma law.
Approximate rough_sum(std::span<const TwoStageUniform> uniforms) {
  CompensatedSum sum;
  double error = 0;
  for (const TwoStageUniform& uniform : uniforms) {
    const Approximate e = internal::exponential_of_word(uniform.word());
    sum.add(e.value);
    error += e.error;
  }
  return {sum.value(), (error + error_of(sum)) * (1 + 0x1p-20)};
}

RealInterval fine_sum(std::span<const TwoStageUniform> uniforms) {
  RealInterval sum;
  for (const TwoStageUniform& uniform : uniforms) sum = sum + internal::exponential_of(uniform);
  return sum;
}

/// floor(y + 1/2) if every number within `error` of y rounds alike.
bool doubles_round_certainly(double y, double error, std::int64_t& rounded) {
  const double nearest = std::nearbyint(y);
  if (!(std::fabs(y) < 0x1p52) || !(std::fabs(y - nearest) + error < 0.5 - 0x1p-40)) return false;
  rounded = static_cast<std::int64_t>(nearest);
  return true;
}

/// Rounds all coordinates of scale * |sum| * normals / |normals|. False if doubles cannot decide
/// one of them.
bool round_roughly(std::span<const TwoStageUniform> normals,
                   std::span<const TwoStageUniform> exponentials, double scale,
                   std::span<std::int64_t> noise) {
  CompensatedSum squares;
  double square_error = 0;
  std::vector<Approximate> z(normals.size());
  const internal::ScopedWipe wipe{std::span(z)};
  for (std::size_t j = 0; j < z.size(); ++j) {
    z[j] = internal::approximate_normal(normals[j].word());
    const double magnitude = std::fabs(z[j].value);
    squares.add(magnitude * magnitude);
    square_error +=
        (2 * magnitude + z[j].error) * z[j].error + magnitude * magnitude * numeric::unit_roundoff;
  }
  const double square = squares.value();
  square_error = (square_error + error_of(squares)) * (1 + 0x1p-20);
  const Approximate sum = rough_sum(exponentials);
  if (!(square_error < square / 4) || !(sum.error < sum.value / 4)) return false;
  const double factor = scale * sum.value / std::sqrt(square);
  // A relative error e < 1/4 of the square moves its inverse root by less than e.
  const double relative = 1.5 * (square_error / square + sum.error / sum.value) + numeric::ulps(16);
  for (std::size_t j = 0; j < z.size(); ++j) {
    const double x = z[j].value * factor;
    const double error = 1.5 * (z[j].error * factor + std::fabs(x) * relative);
    if (!doubles_round_certainly(x, error, noise[j])) return false;
  }
  return true;
}

void round_finely(std::span<const TwoStageUniform> normals,
                  std::span<const TwoStageUniform> exponentials, double scale,
                  std::span<std::int64_t> noise) {
  std::vector<RealInterval> z;
  RealInterval square;
  for (const TwoStageUniform& uniform : normals) {
    z.push_back(internal::normal_of(uniform));
    square = square + z.back() * z.back();
  }
  if (square.low <= 0) fail_undecided();
  const RealInterval factor =
      internal::interval(scale) * fine_sum(exponentials) / internal::sqrt(square);
  for (std::size_t j = 0; j < z.size(); ++j) {
    if (!internal::rounds_certainly(z[j] * factor, noise[j])) fail_undecided();
  }
}

}  // namespace

void internal::draw_rounded_l2_laplace(Stream& stream, double scale, std::span<std::int64_t> noise,
                                       Arithmetic arithmetic) {
  if (noise.empty()) return;
  auto normals = draw_uniforms(stream, noise.size());
  auto exponentials = draw_uniforms(stream, noise.size());
  if (arithmetic == Arithmetic::doubles_first &&
      round_roughly(normals, exponentials, scale, noise)) {
    return;
  }
  for (TwoStageUniform& uniform : normals) uniform.complete(stream);
  for (TwoStageUniform& uniform : exponentials) uniform.complete(stream);
  round_finely(normals, exponentials, scale, noise);
}

void add_rounded_l2_laplace(BlockClaim claim, double scale, std::span<std::int64_t> values) {
  internal::check_laplace_scale(scale);
  Stream stream(std::move(claim));
  std::vector<std::int64_t> noise(values.size());
  const internal::ScopedWipe wipe{std::span(noise)};
  internal::draw_rounded_l2_laplace(stream, scale, noise, Arithmetic::doubles_first);
  for (std::size_t j = 0; j < values.size(); ++j) {
    values[j] = static_cast<std::int64_t>(static_cast<std::uint64_t>(values[j]) +
                                          static_cast<std::uint64_t>(noise[j]));
  }
}

}  // namespace tacet::random
