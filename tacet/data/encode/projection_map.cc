#include "tacet/data/encode/projection_map.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "tacet/numeric/elementary.h"

namespace tacet::data {
namespace {

std::uint64_t mix(std::uint64_t z) {
  z ^= z >> 30;
  z *= 0xbf58476d1ce4e5b9U;
  z ^= z >> 27;
  z *= 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// The upper half of the hash as a number below `bound`.
std::uint64_t below(std::uint64_t hash, std::uint64_t bound) {
  return ((hash >> 32) * bound) >> 32;
}

double sign_of(std::uint64_t hash) { return (hash & 1) == 0 ? 1.0 : -1.0; }

// In (0, 1], with 53 bits.
double uniform(std::uint64_t hash) { return static_cast<double>((hash >> 11) + 1) * 0x1p-53; }

/// `count` of `total` numbers without replacement: the first swaps of a Fisher-Yates shuffle, which
/// stores only the places that moved.
std::vector<std::uint32_t> drawn_rows(std::int64_t seed, std::uint64_t total, std::int64_t count) {
  std::unordered_map<std::uint64_t, std::uint64_t> moved;
  const auto at = [&moved](std::uint64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::vector<std::uint32_t> rows;
  rows.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
    const auto j = i + below(projection_hash(seed, i, 1), total - i);
    const auto drawn = at(j);
    moved[j] = at(i);
    rows.push_back(static_cast<std::uint32_t>(drawn));
  }
  return rows;
}

/// The Walsh-Hadamard transform without its factor, in place.
void transform(std::span<double> values) {
  for (std::size_t half = 1; half < values.size(); half *= 2) {
    for (std::size_t begin = 0; begin < values.size(); begin += 2 * half) {
      for (std::size_t k = begin; k < begin + half; ++k) {
        const double left = values[k];
        const double right = values[k + half];
        values[k] = left + right;
        values[k + half] = left - right;
      }
    }
  }
}

}  // namespace

std::uint64_t projection_hash(std::int64_t seed, std::uint64_t column, std::uint64_t index) {
  const auto first = mix(static_cast<std::uint64_t>(seed) + 0x9e3779b97f4a7c15U * (column + 1));
  return mix(first ^ (0xd1342543de82ef95U * (index + 1)));
}

ProjectionMap::ProjectionMap(const Projection& projection, std::int64_t columns)
    : projection_(projection),
      block_width_(projection.width / std::max<std::int64_t>(1, projection.blocks)),
      root_(1 / std::sqrt(static_cast<double>(projection.blocks)) /
            static_cast<double>(projection.room)),
      scale_(1 / std::sqrt(static_cast<double>(projection.width)) /
             static_cast<double>(projection.room)) {
  check_projection(projection, columns);
  if (projection.family != ProjectionFamily::srht) return;
  padded_ = std::bit_ceil(static_cast<std::size_t>(columns));
  rows_ = drawn_rows(projection.seed, padded_, projection.width);
}

SketchPlace ProjectionMap::sketch_place(std::uint32_t column, std::int64_t block) const {
  const auto hash = projection_hash(projection_.seed, column, static_cast<std::uint64_t>(block));
  return {static_cast<std::uint32_t>(below(hash, static_cast<std::uint64_t>(block_width_))),
          sign_of(hash)};
}

double ProjectionMap::srht_sign(std::uint32_t column) const {
  return sign_of(projection_hash(projection_.seed, column, 0));
}

ProjectionMap::Normals ProjectionMap::normals(std::uint32_t column, std::int64_t pair) const {
  const auto index = static_cast<std::uint64_t>(2 * pair);
  const double u = uniform(projection_hash(projection_.seed, column, index));
  const double turns = uniform(projection_hash(projection_.seed, column, index + 1));
  const double length = std::sqrt(-2 * numeric::log(u)) * scale_;  // Box, Muller 1958
  const auto at = numeric::sine_cosine(turns);
  return {length * at.cosine, length * at.sine};
}

void ProjectionMap::apply(std::span<const std::uint32_t> columns, std::span<const double> values,
                          std::span<double> image) const {
  std::ranges::fill(image, 0.0);
  if (projection_.family == ProjectionFamily::srht) {
    apply_srht(columns, values, image);
    return;
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (projection_.family == ProjectionFamily::countsketch) {
      sketch(columns[k], values[k],
             [&](std::uint32_t place, double part) { image[place] += part; });
      continue;
    }
    for (std::size_t i = 0; i < image.size(); i += 2) {
      const auto entries = normals(columns[k], static_cast<std::int64_t>(i / 2));
      image[i] += entries.first * values[k];
      if (i + 1 < image.size()) image[i + 1] += entries.second * values[k];
    }
  }
}

void ProjectionMap::apply_srht(std::span<const std::uint32_t> columns,
                               std::span<const double> values, std::span<double> image) const {
  std::vector<double> row(padded_, 0.0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    row[columns[k]] = srht_sign(columns[k]) * values[k];
  }
  transform(row);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = row[rows_[i]] * scale_;
}

double ProjectionMap::lift(std::uint32_t column, std::span<const double> weights) const {
  double sum = 0;
  switch (projection_.family) {
    case ProjectionFamily::countsketch:
      sketch(column, 1, [&](std::uint32_t place, double part) { sum += part * weights[place]; });
      return sum;
    case ProjectionFamily::srht:
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        sum += (std::popcount(rows_[i] & column) % 2 == 0 ? 1.0 : -1.0) * weights[i];
      }
      return sum * srht_sign(column) * scale_;
    case ProjectionFamily::gaussian:
      for (std::size_t i = 0; i < weights.size(); i += 2) {
        const auto entries = normals(column, static_cast<std::int64_t>(i / 2));
        sum += entries.first * weights[i];
        if (i + 1 < weights.size()) sum += entries.second * weights[i + 1];
      }
      return sum;
  }
  return sum;
}

}  // namespace tacet::data
