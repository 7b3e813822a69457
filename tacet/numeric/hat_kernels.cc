#include "tacet/numeric/hat_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/hat_kernels.cc"
// Vectors without a size known to the compiler are not put together from single numbers; targets
// between those that machines have would add to every program.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, HatNumbers::most_lanes>;
using Ints = hn::RebindToSigned<Floats>;

// Numbers j and on of a row. Products and sums are not fused: the same bits everywhere.
HWY_INLINE void unpack_lanes(const HatNumbers& numbers, const std::int16_t* codes,
                             hn::Vec<Ints> note, float height, std::size_t j, const HatRow& out) {
  const Floats d;
  const Ints ints;
  const hn::Rebind<std::uint16_t, Floats> shorts;
  const hn::Rebind<std::int16_t, Floats> lines;
  const auto code =
      hn::PromoteTo(ints, hn::LoadU(shorts, reinterpret_cast<const std::uint16_t*>(codes) + j));
  const auto knot = hn::ShiftRight<HatNumbers::right_bits>(code);
  const auto right = hn::And(code, hn::Set(ints, (1 << HatNumbers::right_bits) - 1));
  const auto left = hn::Sub(hn::Sub(hn::Set(ints, static_cast<std::int32_t>(height)), right),
                            hn::And(note, hn::Set(ints, 1)));
  const auto h = hn::Set(d, height);
  const auto at = hn::Add(hn::Mul(hn::ConvertTo(d, knot), h), hn::ConvertTo(d, right));
  const auto low = hn::Sub(hn::Mul(hn::LoadU(d, numbers.rise.data() + j), at),
                           hn::Mul(hn::LoadU(d, numbers.origin.data() + j), h));
  const auto line = hn::Add(hn::BitCast(ints, hn::Add(low, hn::Set(d, HatNumbers::shift))),
                            hn::Sub(hn::ShiftRight<1>(note), hn::Set(ints, HatNumbers::below)));
  hn::StoreU(hn::DemoteTo(lines, line), lines, out.integers + j);
  hn::StoreU(hn::Add(hn::LoadU(ints, numbers.first.data() + j), knot), ints, out.places + j);
  hn::StoreInterleaved2(left, right, ints, out.pairs + 2 * j);
}

// The first half of the numbers has the lower halves of the notes. Lanes behind the last number of
// a half are read, and written to where something else will be.
HWY_INLINE void unpack_row(const HatNumbers& numbers, const std::int16_t* packed,
                           const HatRow& out) {
  const Ints ints;
  const hn::Rebind<std::uint8_t, Floats> bytes;
  const std::size_t half = (numbers.size() + 1) / 2;
  const auto* notes = reinterpret_cast<const std::uint8_t*>(packed + numbers.size());
  const float height = numbers.height(packed);
  for (std::size_t j = 0; j < half; j += hn::Lanes(ints)) {
    const auto note = hn::PromoteTo(ints, hn::LoadU(bytes, notes + j));
    unpack_lanes(numbers, packed, hn::And(note, hn::Set(ints, 15)), height, j, out);
  }
  for (std::size_t j = 0; half + j < numbers.size(); j += hn::Lanes(ints)) {
    const auto note = hn::PromoteTo(ints, hn::LoadU(bytes, notes + j));
    unpack_lanes(numbers, packed, hn::ShiftRight<4>(note), height, half + j, out);
  }
  const std::int16_t* rest = packed + numbers.rest_at();
  for (std::size_t k = 0; k < numbers.rest; ++k) out.integers[numbers.size() + k] = rest[k];
}

void unpack_rows(const HatNumbers& numbers, std::span<const std::int16_t* const> packed, HatRow out,
                 std::size_t stride) {
  for (const std::int16_t* row : packed) {
    unpack_row(numbers, row, out);
    out.integers += stride;
    out.places += numbers.size();
    out.pairs += 2 * numbers.size();
  }
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE double hat_dot(const std::int32_t* places, const std::int32_t* pairs, std::size_t size,
                          const double* weights) {
  double sum = 0;
  for (std::size_t j = 0; j < size; ++j) {
    sum += pairs[2 * j] * weights[places[j]] + pairs[2 * j + 1] * weights[places[j] + 1];
  }
  return sum;
}
#else
using Two = hn::FixedTag<double, 2>;

HWY_INLINE double hat_dot(const std::int32_t* places, const std::int32_t* pairs, std::size_t size,
                          const double* weights) {
  const Two two;
  const hn::FixedTag<std::int32_t, 2> ints;
  const auto add = [&](std::size_t j, hn::Vec<Two> sum) HWY_ATTR {
    return hn::MulAdd(hn::PromoteTo(two, hn::LoadU(ints, pairs + 2 * j)),
                      hn::LoadU(two, weights + places[j]), sum);
  };
  hn::Vec<Two> sums[4] = {hn::Zero(two), hn::Zero(two), hn::Zero(two), hn::Zero(two)};
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] = add(j + k, sums[k]);
  }
  for (; j < size; ++j) sums[0] = add(j, sums[0]);
  return hn::GetLane(
      hn::SumOfLanes(two, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
}
#endif

void hat_dots(const std::int32_t* places, const std::int32_t* pairs, std::size_t size,
              const double* weights, std::span<double> sums) {
  for (double& sum : sums) {
    sum += hat_dot(places, pairs, size, weights);
    places += size;
    pairs += 2 * size;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {
namespace {

constexpr std::size_t spare = 2 * HatNumbers::spare_words;  // behind what lanes write

static_assert(std::endian::native == std::endian::little, "a pair is read as one integer");

std::uint64_t load_pair(const std::int32_t* pair) {
  std::uint64_t both;
  std::memcpy(&both, pair, sizeof both);
  return both;
}

}  // namespace

HWY_EXPORT(unpack_rows);
HWY_EXPORT(hat_dots);

bool pack_number(const HatNumbers& numbers, std::size_t j, const HatNumber& number,
                 std::int16_t* packed) {
  const auto& [line, knot, left, right] = number;
  const float height = numbers.height(packed);
  const std::int32_t missing = static_cast<std::int32_t>(height) - left - right;
  if (left < 0 || right < 0 || right >> HatNumbers::right_bits != 0 || knot < 0 ||
      knot > HatNumbers::most_knots - 2 || missing >> 1 != 0) {
    return false;
  }
  const std::int32_t above = line - numbers.least_line(j, knot, right, height);
  if (above >> 3 != 0) return false;
  packed[j] = static_cast<std::int16_t>(knot << HatNumbers::right_bits | right);
  const std::size_t half = (numbers.size() + 1) / 2;
  auto* notes = reinterpret_cast<std::uint8_t*>(packed + numbers.size());
  const auto note = static_cast<std::uint32_t>(above << 1 | missing);
  std::uint8_t& byte = notes[j < half ? j : j - half];
  byte = static_cast<std::uint8_t>(byte | (j < half ? note : note << 4));
  return true;
}

HatTile::HatTile(const HatNumbers& numbers, std::size_t rows)
    : numbers_(numbers),
      stride_(numbers.size() + numbers.rest + spare),
      integers_(rows * stride_),
      places_(rows * numbers.size() + spare),
      pairs_(2 * (rows * numbers.size() + spare)),
      heights_(rows),
      pointers_(rows) {
  numbers_.rise.resize(numbers.size() + spare);
  numbers_.origin.resize(numbers.size() + spare);
  numbers_.first.resize(numbers.size() + spare);
  for (std::size_t r = 0; r < rows; ++r) pointers_[r] = integers_.data() + r * stride_;
}

void HatTile::unpack(std::span<const std::int16_t* const> packed) {
  count_ = packed.size();
  for (std::size_t r = 0; r < count_; ++r) heights_[r] = numbers_.height(packed[r]);
  HWY_DYNAMIC_DISPATCH(unpack_rows)
  (numbers_, packed, {integers_.data(), places_.data(), pairs_.data()}, stride_);
}

void HatTile::add_dots(std::span<const double> weights, std::span<double> sums) const {
  HWY_DYNAMIC_DISPATCH(hat_dots)
  (places_.data(), pairs_.data(), numbers_.size(), weights.data(), sums);
}

void HatTile::add_multiples(std::span<const double> factors, HatSums& sums) const {
  const std::int32_t* places = places_.data();
  const std::int32_t* pairs = pairs_.data();
  const std::size_t size = numbers_.size();
  for (std::size_t r = 0; r < factors.size(); ++r) {
    std::uint64_t* both = sums.reserve(heights_[r], factors[r]);
    const auto factor = static_cast<std::uint64_t>(static_cast<std::int64_t>(factors[r]));
#pragma GCC unroll 4
    for (std::size_t j = 0; j < size; ++j) {
      both[static_cast<std::uint32_t>(places[j])] += factor * load_pair(pairs + 2 * j);
    }
    places += size;
    pairs += 2 * size;
  }
}

std::uint64_t* HatSums::reserve(float height, double factor) {
  const double more = std::min(std::fabs(factor) * static_cast<double>(height), 0x1p30);
  if (filled_ + more >= 0x1p31) flush();
  filled_ += more;
  return both_.data();
}

void HatSums::flush() {
  for (std::size_t place = 0; place < both_.size(); ++place) {
    const auto left = static_cast<std::int32_t>(both_[place]);
    const auto right = static_cast<std::int64_t>(both_[place]) - left;
    totals_[2 * place] += left;
    totals_[2 * place + 1] += right >> 32;
    both_[place] = 0;
  }
  filled_ = 0;
}

void HatSums::add_to(std::span<std::int64_t> sums) {
  flush();
  for (std::size_t place = 0; place < sums.size(); ++place) {
    sums[place] += totals_[2 * place];
    if (place + 1 < sums.size()) sums[place + 1] += totals_[2 * place + 1];
  }
  std::ranges::fill(totals_, 0);
}

}  // namespace tacet::numeric
#endif
