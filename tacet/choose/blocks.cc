#include "tacet/choose/blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::choose {
namespace {

constexpr std::int64_t undrawn = -1;

/// The place of one size in a row of sizes laid end to end.
std::size_t block_at(std::span<const std::int64_t> sizes, std::uint64_t place) {
  std::size_t block = 0;
  while (place >= static_cast<std::uint64_t>(sizes[block])) {
    place -= static_cast<std::uint64_t>(sizes[block++]);
  }
  return block;
}

/// Hands out blocks: by random draws in proportion to the sizes, or until each size is used up,
/// which is a uniformly random assignment of exactly these sizes.
class Hand {
 public:
  Hand(std::span<const std::int64_t> sizes, privacy::Adjacency adjacency, random::BlockClaim draws)
      : left_(sizes.begin(), sizes.end()),
        total_(std::accumulate(left_.begin(), left_.end(), std::int64_t{0})),
        exact_(adjacency != privacy::Adjacency::add_remove),
        stream_(std::move(draws)) {}

  [[nodiscard]] std::int64_t next() {
    const auto block =
        block_at(left_, random::uniform_below(stream_, static_cast<std::uint64_t>(total_)));
    if (exact_) {
      --left_[block];
      --total_;
    }
    return static_cast<std::int64_t>(block);
  }

 private:
  std::vector<std::int64_t> left_;
  std::int64_t total_;
  bool exact_;
  random::Stream stream_;
};

/// The block of a unit, drawn when the unit first appears, and its number in the block.
struct Seat {
  std::int64_t block = undrawn;
  std::int64_t unit = 0;
};

template <typename Read>
std::vector<data::Dataset> handed_out(const data::Dataset& records,
                                      std::span<const std::int64_t> sizes,
                                      privacy::Adjacency adjacency, random::BlockClaim draws,
                                      Read read) {
  Hand hand(sizes, adjacency, std::move(draws));
  std::vector<data::Dataset> blocks;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    blocks.emplace_back(records.shape(), records.spool());
    if (records.has_units()) blocks.back().declare_units();
  }
  std::vector<Seat> seats(records.has_units() ? static_cast<std::size_t>(records.unit_count()) : 0);
  for (std::int64_t row = 0; row < records.rows(); ++row) {
    const auto unit = records.unit_of(row);
    if (unit != data::Dataset::no_unit) {
      Seat fresh;
      auto& seat = records.has_units() ? seats[static_cast<std::size_t>(unit)] : fresh;
      if (seat.block == undrawn) {
        seat.block = hand.next();
        auto& block = blocks[static_cast<std::size_t>(seat.block)];
        seat.unit = records.has_units() ? block.unit_count() : 0;
      }
      blocks[static_cast<std::size_t>(seat.block)].append(records, row, seat.unit);
    }
    read(row);
  }
  return blocks;
}

void check_count(const data::Dataset& records, std::span<const std::int64_t> sizes,
                 privacy::Adjacency adjacency) {
  if (adjacency == privacy::Adjacency::add_remove) return;
  const auto total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (records.has_units() || records.rows() != total) {
    throw base::InternalError("blocks of exact sizes need as many records");
  }
}

}  // namespace

std::vector<std::int64_t> declared_sizes(std::int64_t count, std::span<const double> shares) {
  std::vector<std::int64_t> sizes;
  double sum = 0;
  std::int64_t before = 0;
  for (const double share : shares) {
    sum += share;
    const bool last = sizes.size() + 1 == shares.size();
    const auto until = last ? count : std::llround(sum * static_cast<double>(count));
    sizes.push_back(until - before);
    if (sizes.back() < 1) {
      throw base::UsageError(
          "{} declared records are too few for {} blocks, of which the smallest is a share of {:g}",
          count, shares.size(), *std::min_element(shares.begin(), shares.end()));
    }
    before = until;
  }
  return sizes;
}

void refuse_counted_units(bool units, privacy::Adjacency adjacency) {
  if (!units || adjacency == privacy::Adjacency::add_remove) return;
  throw base::UsageError(
      "units are divided into blocks by a random draw each, so that no block has a number of units "
      "that is known beforehand: use `adjacency=add_remove`");
}

privacy::Assignment assignment_of(privacy::Adjacency adjacency) {
  return adjacency == privacy::Adjacency::add_remove ? privacy::Assignment::by_record
                                                     : privacy::Assignment::by_position;
}

std::vector<data::Dataset> draw_blocks(data::Dataset&& records, std::span<const std::int64_t> sizes,
                                       privacy::Adjacency adjacency, random::BlockClaim draws) {
  check_count(records, sizes, adjacency);
  data::Dataset source = std::move(records);
  return handed_out(source, sizes, adjacency, std::move(draws),
                    [&](std::int64_t row) { source.forget_before(row + 1); });
}

std::vector<data::Dataset> draw_blocks(const data::Dataset& records,
                                       std::span<const std::int64_t> sizes,
                                       privacy::Adjacency adjacency, random::BlockClaim draws) {
  check_count(records, sizes, adjacency);
  return handed_out(records, sizes, adjacency, std::move(draws), [](std::int64_t) {});
}

}  // namespace tacet::choose
