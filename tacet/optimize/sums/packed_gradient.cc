#include "tacet/optimize/sums/packed_gradient.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tacet/numeric/hat_kernels.h"
#include "tacet/numeric/kernels.h"
#include "tacet/optimize/sums/exact_accumulator.h"

namespace tacet::optimize::internal {
namespace {

using numeric::HatBlock;

std::vector<double> picked(std::span<const double> numbers,
                           const std::vector<std::uint32_t>& columns) {
  std::vector<double> out;
  out.reserve(columns.size());
  for (const auto column : columns) out.push_back(numbers[column]);
  return out;
}

void add_picked(std::span<const std::int64_t> sums, const std::vector<std::uint32_t>& columns,
                std::span<std::int64_t> output) {
  for (std::size_t k = 0; k < columns.size(); ++k) output[columns[k]] += sums[k];
}

// What a worker adds of packed rows, and of rows that do not pack.
struct PackedShare {
  PackedShare(const GradientPass& pass, std::int64_t rows_before_flush)
      : packed(pass.outputs, numeric::HatSums(pass.dataset.packing()->numbers())),
        odd(pass.dataset.has_odd_rows() ? pass.weights.size() : 0, rows_before_flush) {}

  void add_to(const GradientPass& pass, std::span<std::int64_t> total) {
    const auto& packing = *pass.dataset.packing();
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      const auto output = total.subspan(c * pass.columns, pass.columns);
      const auto sums = packed[c].take();
      add_picked(sums.lines, packing.line_columns(), output);
      add_picked(sums.hats, packing.place_columns(), output);
      add_picked(sums.rest, packing.rest_columns(), output);
    }
    if (odd.size() > 0) odd.add_to(total);
  }

  std::vector<numeric::HatSums> packed;  // of each output
  ExactAccumulator odd;
};

// The weights as packed rows read them, of each output.
std::vector<numeric::HatTable> tables_of(const GradientPass& pass) {
  const auto& packing = *pass.dataset.packing();
  std::vector<numeric::HatTable> tables;
  for (std::size_t c = 0; c < pass.outputs; ++c) {
    const auto output = pass.output(c);
    numeric::HatParts<double> weights(packing.numbers());
    weights.lines = picked(output, packing.line_columns());
    weights.hats = picked(output, packing.place_columns());
    weights.rest = picked(output, packing.rest_columns());
    tables.emplace_back(packing.numbers(), weights);
  }
  return tables;
}

// The rows of a block that do not pack count as zeros in it, and on their own here.
class OddRows {
 public:
  OddRows(const GradientPass& pass, const AnyRows& list) : pass_(pass), list_(list) {}

  void find(std::int64_t begin, std::size_t count) {
    found_.clear();
    if (!pass_.dataset.has_odd_rows()) return;
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = pass_.dataset.odd_row(list_[begin + static_cast<std::int64_t>(i)]);
      if (!row.empty()) found_.push_back({i, row.data()});
    }
  }
  // Their packed rows have the scale 0, and so no margin.
  void dots(std::span<double> numbers, std::span<double> scales) const {
    for (const auto& [i, row] : found_) {
      scales[i] = 1;
      for (std::size_t c = 0; c < pass_.outputs; ++c) {
        numeric::exact_dots({&row, 1}, pass_.output(c), numbers.subspan(c * HatBlock::rows + i, 1));
      }
    }
  }
  // Takes what it adds from the block's scalars.
  void add(std::span<double> numbers, ExactAccumulator& sum) const {
    if (found_.empty()) return;
    const auto target = sum.reserve(std::ssize(found_));
    for (const auto& [i, row] : found_) {
      for (std::size_t c = 0; c < pass_.outputs; ++c) {
        const auto scalar = numbers.subspan(c * HatBlock::rows + i, 1);
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

// A worker's way through blocks of packed rows.
class PackedPass {
 public:
  PackedPass(const GradientPass& pass, const std::vector<numeric::HatTable>& tables,
             const AnyRows& list)
      : pass_(pass),
        packing_(*pass.dataset.packing()),
        tables_(tables),
        list_(list),
        block_(packing_.numbers()),
        odd_(pass, list),
        scalars_(pass.outputs),
        numbers_(pass.outputs * HatBlock::rows),
        scales_(HatBlock::rows),
        margins_(HatBlock::rows) {}

  void add(std::int64_t begin, std::int64_t end, PackedShare& share) {
    constexpr auto max = static_cast<std::int64_t>(HatBlock::rows);
    find_next(begin, end);
    for (; begin < end; begin += max) {
      rows_.swap(next_);
      find_next(begin + max, end);
      read();
      const std::size_t count = rows_.size();
      odd_.find(begin, count);
      margins(count);
      to_scalars(begin, count);
      odd_.add(numbers_, share.odd);
      for (std::size_t c = 0; c < pass_.outputs; ++c) {
        block_.add_multiples(of_output(c, count), share.packed[c]);
      }
    }
  }

 private:
  std::span<double> of_output(std::size_t c, std::size_t count) {
    return std::span(numbers_).subspan(c * HatBlock::rows, count);
  }
  // The rows of the block that begins there, none behind `end`.
  void find_next(std::int64_t begin, std::int64_t end) {
    next_.clear();
    end = std::min(end, begin + static_cast<std::int64_t>(HatBlock::rows));
    for (auto i = begin; i < end; ++i) next_.push_back(pass_.dataset.packed_row(list_[i]));
  }
  void read() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      scales_[i] = double{packing_.numbers().scale(rows_[i])};
    }
    block_.read(rows_, next_);
  }
  // Margins of rows before they were scaled, times their scale.
  void margins(std::size_t count) {
    for (std::size_t c = 0; c < pass_.outputs; ++c) {
      const auto numbers = of_output(c, count);
      block_.margins(tables_[c], std::span<float, HatBlock::rows>(margins_));
      for (std::size_t i = 0; i < count; ++i) numbers[i] = double{margins_[i]} * scales_[i];
    }
    odd_.dots(numbers_, scales_);
  }
  void to_scalars(std::int64_t begin, std::size_t count) {
    TileRecords records;
    for (std::size_t tile = 0; tile < count; tile += rows_per_tile) {
      records.count = std::min<std::size_t>(rows_per_tile, count - tile);
      pass_.describe(list_, begin + static_cast<std::int64_t>(tile), records);
      for (std::size_t i = 0; i < records.count; ++i) {
        records.scales[i] *= scales_[tile + i];
        records.limits[i] = std::min(records.limits[i], double{HatBlock::largest_factor});
      }
      for (std::size_t c = 0; c < pass_.outputs; ++c) {
        std::ranges::copy(of_output(c, count).subspan(tile, records.count),
                          scalars_.of_output(c, records.count).begin());
      }
      pass_.to_scalars(records, scalars_);
      for (std::size_t c = 0; c < pass_.outputs; ++c) {
        std::ranges::copy(scalars_.of_output(c, records.count),
                          of_output(c, count).subspan(tile).begin());
      }
    }
  }

  const GradientPass& pass_;
  const data::HatRows& packing_;
  const std::vector<numeric::HatTable>& tables_;
  const AnyRows& list_;
  HatBlock block_;
  OddRows odd_;
  TileScalars scalars_;
  std::vector<double> numbers_;  // of each output: margins, then scalars
  std::vector<const std::int16_t*> rows_;
  std::vector<const std::int16_t*> next_;
  std::vector<double> scales_;
  std::vector<float> margins_;
};

}  // namespace

void add_packed_rows(const GradientPass& pass, const AnyRows& list, base::ThreadPool& threads,
                     std::int64_t rows_before_flush, std::span<std::int64_t> total) {
  const auto tables = tables_of(pass);
  const bool alone = threads.size() == 1 || list.size() <= gradient_rows_per_block;
  std::vector<PackedShare> shares(alone ? 1 : static_cast<std::size_t>(threads.size()),
                                  PackedShare(pass, rows_before_flush));
  if (alone) {
    PackedPass(pass, tables, list).add(0, list.size(), shares.front());
  } else {
    threads.for_blocks(
        list.size(), gradient_rows_per_block,
        [&](int worker, std::int64_t begin, std::int64_t end) {
          PackedPass(pass, tables, list).add(begin, end, shares[static_cast<std::size_t>(worker)]);
        });
  }
  for (auto& share : shares) share.add_to(pass, total);
}

}  // namespace tacet::optimize::internal
