#include "tacet/random/choose/subset.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <unordered_set>

#include "tacet/base/error.h"
#include "tacet/random/choose/poisson_chunk.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/source/secure_memory.h"

namespace tacet::random {
namespace {

using internal::Chunk;
using internal::chunk_records;

constexpr std::int64_t max_records = std::int64_t{1} << 33;
// This many bits of a word are written without first asking whether the word has them.
constexpr int eager_bits = 1;

using Places = std::array<std::uint16_t, chunk_records + eager_bits>;

/// Writes the places of the ones, ascending, and returns how many there are. Hardly any branch
/// depends on the bits, since a processor would mispredict half of those.
std::size_t places_of_ones(const Chunk& chunk, Places& places) {
  std::size_t count = 0;
  for (std::size_t b = 0; b < chunk.size(); ++b) {
    std::uint64_t rest = chunk[b];
    const auto take = [&] {
      const int bit = std::countr_zero(rest | std::uint64_t{1} << 63);
      places[count] = static_cast<std::uint16_t>(64 * b + static_cast<unsigned>(bit));
      count += rest != 0 ? 1 : 0;
      rest &= rest - 1;
    };
    for (int i = 0; i < eager_bits; ++i) take();
    while (rest != 0) take();
  }
  return count;
}

/// Appends the records base + places that lie in the range.
void append(std::span<const std::uint16_t> places, std::int64_t base,
            std::pair<std::int64_t, std::int64_t> range, std::vector<std::int64_t>& sample) {
  if (base >= range.first && base + chunk_records <= range.second) {
    std::size_t size = sample.size();
    sample.resize(size + places.size());
    for (const std::int64_t place : places) sample[size++] = base + place;
    return;
  }
  for (const std::int64_t place : places) {
    if (base + place >= range.first && base + place < range.second) sample.push_back(base + place);
  }
}

// Below this rate, in units of 2^-64, members are found by the gaps between them.
constexpr std::uint64_t rare = std::uint64_t{1} << 54;
// The gaps begin anew after this many records, so that pieces of the records give the same members.
// One word per piece would be enough.
constexpr std::int64_t rare_records = std::int64_t{1} << 18;

/// Finds the members of the stretch of records that begins with `begin`. The number of records
/// before the next member is geometric with the exact rate.
template <typename Take>
void rare_members(const KeystreamBlock& block, KeystreamBlockReader& reader,
                  std::uint64_t numerator, std::int64_t begin, const Take& take) {
  const double probability = std::ldexp(static_cast<double>(numerator), -64);
  const double rate = -std::log1p(-probability);
  const auto miss = [&](int p) {
    const boost::multiprecision::cpp_int exact =
        (boost::multiprecision::cpp_int(1) << 64) - numerator;
    if (p >= 64) return internal::Bracket{exact << (p - 64), exact << (p - 64)};
    const boost::multiprecision::cpp_int low = exact >> (64 - p);
    return internal::Bracket{low, low + 1};
  };
  auto word = static_cast<std::uint64_t>(begin);
  for (std::int64_t at = 0; at < rare_records; ++at, ++word) {
    std::array<std::uint64_t, 1> first{};
    const internal::ScopedWipe wipe{std::span(first)};
    reader.words(word, first);
    internal::LazyUniform uniform(first[0], [&block, word](int i) {
      std::array<std::uint64_t, 1> more{};
      block.extension(word, static_cast<std::uint64_t>(i), more);
      return more[0];
    });
    at += internal::largest_power(uniform, rate, rare_records - at, miss);
    if (at < rare_records) take(begin + at);
  }
}

}  // namespace

PoissonRate PoissonRate::at_least(double rate) {
  if (!(rate >= 0 && rate <= 1)) {
    throw base::UsageError("a sampling rate must be at least 0 and at most 1, got {}", rate);
  }
  // Up to 53 significant bits: exact, and rounded up only below 2^-11.
  const double scaled = std::ceil(std::ldexp(rate, 64));
  if (scaled >= 0x1p64) return {true, 0};
  return {false, static_cast<std::uint64_t>(scaled)};
}

double PoissonRate::value() const {
  return always_ ? 1.0 : std::ldexp(static_cast<double>(numerator_), -64);
}

std::vector<std::int64_t> poisson_sample(const KeystreamBlock& block, PoissonRate rate,
                                         std::int64_t first, std::int64_t count) {
  if (first < 0 || count < 0 || first > max_records || count > max_records - first) {
    throw base::UsageError("records to sample must lie in [0, 2^33), got {} from {} on", count,
                           first);
  }
  std::vector<std::int64_t> sample;
  const std::int64_t end = first + count;
  if (rate.always()) {
    sample.resize(static_cast<std::size_t>(count));
    std::iota(sample.begin(), sample.end(), first);
    return sample;
  }
  sample.reserve(static_cast<std::size_t>(static_cast<double>(count) * rate.value()));
  KeystreamBlockReader reader(block);
  if (rate.numerator() == 0) return sample;
  if (rate.numerator() < rare) {
    for (auto begin = first / rare_records * rare_records; begin < end; begin += rare_records) {
      rare_members(block, reader, rate.numerator(), begin, [&](std::int64_t record) {
        if (record >= first && record < end) sample.push_back(record);
      });
    }
    return sample;
  }
  internal::ChunkWords words(reader);
  Chunk members;
  Places places;
  for (std::int64_t chunk = first / chunk_records; chunk * chunk_records < end; ++chunk) {
    words.open(chunk);
    internal::chunk_members(words, rate.numerator(), members);
    append(std::span(places).first(places_of_ones(members, places)), chunk * chunk_records,
           {first, end}, sample);
  }
  return sample;
}

std::vector<std::int64_t> poisson_sample(BlockClaim claim, PoissonRate rate, std::int64_t count) {
  const KeystreamBlock block(std::move(claim));
  return poisson_sample(block, rate, 0, count);
}

std::vector<std::int64_t> uniform_subset(BlockClaim claim, std::int64_t size,
                                         std::int64_t population) {
  if (size < 0 || size > population) {
    throw base::UsageError(
        "a subset of {} records cannot be drawn from {}; its size must lie in [0, {}]", size,
        population, std::max<std::int64_t>(population, 0));
  }
  Stream stream(std::move(claim));
  std::unordered_set<std::int64_t> chosen;
  chosen.reserve(static_cast<std::size_t>(size));
  std::vector<std::int64_t> subset;
  subset.reserve(static_cast<std::size_t>(size));
  for (std::int64_t last = population - size; last < population; ++last) {
    const auto drawn =
        static_cast<std::int64_t>(uniform_below(stream, static_cast<std::uint64_t>(last) + 1));
    const std::int64_t added = chosen.contains(drawn) ? last : drawn;
    chosen.insert(added);
    subset.push_back(added);
  }
  std::sort(subset.begin(), subset.end());
  return subset;
}

std::vector<std::int64_t> random_permutation(BlockClaim claim, std::int64_t count) {
  if (count < 0) throw base::UsageError("a permutation needs a count of 0 or more, got {}", count);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  random_permutation(std::move(claim), std::span(order));
  return order;
}

void random_permutation(BlockClaim claim, std::span<std::int64_t> order) {
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(std::move(claim), order);
}

}  // namespace tacet::random
