#include "tacet/optimize/sums/packed_gradient.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tacet/numeric/hat_kernels.h"
#include "tacet/numeric/kernels.h"
#include "tacet/optimize/sums/exact_accumulator.h"

namespace tacet::optimize::internal {
namespace {

// The numbers of some columns of each output, and 0 behind them.
std::vector<double> picked(std::span<const double> numbers, std::size_t outputs,
                           const std::vector<std::uint32_t>& columns) {
  std::vector<double> out;
  out.reserve(outputs * columns.size() + 1);
  for (std::size_t c = 0; c < outputs; ++c) {
    const auto output = numbers.subspan(c * (numbers.size() / outputs));
    for (const auto column : columns) out.push_back(output[column]);
  }
  out.push_back(0);
  return out;
}

// Adds to the columns of each output.
void add_picked(std::span<const std::int64_t> sums, const std::vector<std::uint32_t>& columns,
                std::span<std::int64_t> output) {
  for (std::size_t k = 0; k < columns.size(); ++k) output[columns[k]] += sums[k];
}

// What a worker adds of packed rows: of their lines and other integers, of hat functions, and of
// rows that do not pack.
struct PackedShare {
  PackedShare(const GradientPass& pass, std::int64_t rows_before_flush)
      : integers(pass.outputs * pass.dataset.packing()->integer_columns().size(),
                 rows_before_flush),
        hats(pass.outputs, numeric::HatSums(pass.dataset.packing()->place_columns().size())),
        odd(pass.dataset.has_odd_rows() ? pass.weights.size() : 0, rows_before_flush) {}

  void add_to(const GradientPass& pass, std::span<std::int64_t> total) {
    const auto& packing = *pass.dataset.packing();
    const auto& columns = packing.integer_columns();
    std::vector<std::int64_t> of_integers(integers.size(), 0);
    integers.add_to(of_integers);
    std::vector<std::int64_t> of_places(packing.place_columns().size());
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      const auto output = total.subspan(c * pass.columns, pass.columns);
      add_picked(std::span(of_integers).subspan(c * columns.size(), columns.size()), columns,
                 output);
      std::ranges::fill(of_places, 0);
      hats[c].add_to(of_places);
      add_picked(of_places, packing.place_columns(), output);
    }
    if (odd.size() > 0) odd.add_to(total);
  }

  ExactAccumulator integers;
  std::vector<numeric::HatSums> hats;  // of each output
  ExactAccumulator odd;
};

// Weights in the order of packed rows.
struct PackedWeights {
  explicit PackedWeights(const GradientPass& pass)
      : integers(picked(pass.weights, pass.outputs, pass.dataset.packing()->integer_columns())),
        hats(picked(pass.weights, pass.outputs, pass.dataset.packing()->place_columns())) {}

  std::vector<double> integers;
  std::vector<double> hats;
};

// The rows of a tile that do not pack count as zeros in it, and on their own here.
class OddRows {
 public:
  OddRows(const GradientPass& pass, const AnyRows& list) : pass_(pass), list_(list) {}

  void find(std::int64_t tile, std::size_t count) {
    found_.clear();
    if (!pass_.dataset.has_odd_rows()) return;
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = pass_.dataset.odd_row(list_[tile + static_cast<std::int64_t>(i)]);
      if (!row.empty()) found_.push_back({i, row.data()});
    }
  }
  void dots(TileScalars& scalars, std::size_t count) const {
    for (const auto& [i, row] : found_) {
      for (std::size_t c = 0; c < pass_.outputs; ++c) {
        numeric::exact_dots({&row, 1}, pass_.output(c), scalars.of_output(c, count).subspan(i, 1));
      }
    }
  }
  // Takes what it adds from the tile's scalars.
  void add(TileScalars& scalars, std::size_t count, ExactAccumulator& sum) const {
    if (found_.empty()) return;
    const auto target = sum.reserve(std::ssize(found_));
    for (const auto& [i, row] : found_) {
      for (std::size_t c = 0; c < pass_.outputs; ++c) {
        const auto scalar = scalars.of_output(c, count).subspan(i, 1);
        numeric::add_exact_multiples({&row, 1}, scalar,
                                     target.subspan(c * pass_.columns, pass_.columns));
        scalar[0] = 0;
      }
    }
  }

 private:
  struct Found {
    std::size_t place;
    const std::int16_t* row;
  };
  const GradientPass& pass_;
  const AnyRows& list_;
  std::vector<Found> found_;
};

void add_packed(const GradientPass& pass, const PackedWeights& weights, const AnyRows& list,
                std::int64_t begin, std::int64_t end, PackedShare& share) {
  const auto& packing = *pass.dataset.packing();
  const std::size_t integers = packing.integer_columns().size();
  const std::size_t places = packing.place_columns().size();
  TilePointers pointers;
  const auto fetch = [&](std::int64_t tile) {
    fetch_tile(
        tile, end, packing.numbers().words() * sizeof(std::int16_t),
        [&](std::int64_t i) { return pass.dataset.packed_row(list[i]); }, pointers);
  };
  numeric::HatTile unpacked(packing.numbers(), rows_per_tile);
  TileScalars scalars(pass.outputs);
  TileRecords records;
  OddRows odd(pass, list);
  fetch(begin);
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const auto count = static_cast<std::size_t>(std::min(rows_per_tile, end - tile));
    records.count = count;
    unpacked.unpack(std::span(pointers).first(count));
    fetch(tile + rows_per_tile);
    odd.find(tile, count);
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      const auto dots = scalars.of_output(c, count);
      numeric::exact_dots(unpacked.integers(),
                          std::span(weights.integers).subspan(c * integers, integers), dots);
      unpacked.add_dots(std::span(weights.hats).subspan(c * places), dots);
    }
    odd.dots(scalars, count);
    pass.describe(list, tile, records);
    pass.to_scalars(records, scalars);
    odd.add(scalars, count, share.odd);
    const auto target = share.integers.reserve(static_cast<std::int64_t>(count));
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      const auto factors = scalars.of_output(c, count);
      numeric::add_exact_multiples(unpacked.integers(), factors,
                                   target.subspan(c * integers, integers));
      unpacked.add_multiples(factors, share.hats[c]);
    }
  }
}

}  // namespace

void add_packed_rows(const GradientPass& pass, const AnyRows& list, base::ThreadPool& threads,
                     std::int64_t rows_before_flush, std::span<std::int64_t> total) {
  const PackedWeights weights(pass);
  const bool alone = threads.size() == 1 || list.size() <= gradient_rows_per_block;
  std::vector<PackedShare> shares(alone ? 1 : static_cast<std::size_t>(threads.size()),
                                  PackedShare(pass, rows_before_flush));
  if (alone) {
    add_packed(pass, weights, list, 0, list.size(), shares.front());
  } else {
    threads.for_blocks(list.size(), gradient_rows_per_block,
                       [&](int worker, std::int64_t begin, std::int64_t end) {
                         add_packed(pass, weights, list, begin, end,
                                    shares[static_cast<std::size_t>(worker)]);
                       });
  }
  for (auto& share : shares) share.add_to(pass, total);
}

}  // namespace tacet::optimize::internal
