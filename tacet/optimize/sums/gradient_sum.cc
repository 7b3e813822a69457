#include "tacet/optimize/sums/gradient_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/base/machine.h"
#include "tacet/numeric/hat_kernels.h"
#include "tacet/numeric/kernels.h"
#include "tacet/optimize/sums/exact_accumulator.h"
#include "tacet/optimize/sums/tile_scalars.h"
#include "tacet/optimize/sums/weight_grid.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

constexpr std::int64_t rows_per_block = 2048;  // what a worker takes at a time
// More weights than that are rounded where sparse rows read them: laying them out takes longer.
constexpr std::size_t max_laid_out = std::size_t{1} << 18;
constexpr std::int64_t max_rows = std::int64_t{1} << 32;  // 2^32 * 2^30 = 2^62 fits 64 bits

struct AllRows {
  std::int64_t count;
  [[nodiscard]] std::int64_t size() const { return count; }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const { return i; }
};

struct ListedRows {
  std::span<const std::int64_t> rows;
  [[nodiscard]] std::int64_t size() const { return std::ssize(rows); }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const {
    return rows[static_cast<std::size_t>(i)];
  }
};

// Either of them: what reads through it is compiled once, for a step that is not worth two.
struct AnyRows {
  const std::int64_t* listed;  // null: all
  std::int64_t count;

  explicit AnyRows(const AllRows& all) : listed(nullptr), count(all.count) {}
  explicit AnyRows(const ListedRows& list) : listed(list.rows.data()), count(list.size()) {}
  [[nodiscard]] std::int64_t size() const { return count; }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const {
    return listed == nullptr ? i : listed[i];
  }
};

// What every worker reads during one pass.
struct Pass {
  const data::Dataset& dataset;
  const model::Loss& loss;
  std::span<const double> weights;  // integers, or real ones that `grid` rounds where they are read
  WeightGrid grid;
  std::size_t outputs;
  std::size_t columns;
  bool rounds;    // whether the weights are real ones
  double factor;  // real slope to grid units of the row's integers
  std::span<const std::int32_t> bounds;
  const model::ClassWeights& weights_of_classes;

  [[nodiscard]] std::span<const double> output(std::size_t c) const {
    return weights.subspan(c * columns, columns);
  }

  template <typename RowList>
  void describe(const RowList& list, std::int64_t begin, TileRecords& tile) const {
    for (std::size_t i = 0; i < tile.count; ++i) {
      const auto row = list[begin + static_cast<std::int64_t>(i)];
      tile.labels[i] = dataset.label(row);
      tile.limits[i] = bounds[static_cast<std::size_t>(row)];
      tile.scales[i] = factor;
    }
    if (weights_of_classes.uniform()) return;
    for (std::size_t i = 0; i < tile.count; ++i) {
      tile.scales[i] = factor * weights_of_classes.of(tile.labels[i]);
    }
  }

  // The only step that knows the loss, chosen once a tile: loops over rows are compiled once for
  // all.
  void to_scalars(const TileRecords& tile, TileScalars& scalars) const {
    std::visit([&](const auto& of) { scalars.to_scalars(of, tile, grid.scale); }, loss);
  }
};

template <typename RowList>
void add_dense(const Pass& pass, const RowList& list, std::int64_t begin, std::int64_t end,
               ExactAccumulator& sum) {
  std::array<const std::int16_t*, rows_per_tile> pointers;
  TileScalars scalars(pass.outputs);
  TileRecords records;
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const auto count = static_cast<std::size_t>(std::min(rows_per_tile, end - tile));
    records.count = count;
    for (std::size_t i = 0; i < count; ++i) {
      pointers[i] = pass.dataset.dense_row(list[tile + static_cast<std::int64_t>(i)]).data();
    }
    const std::span rows(pointers.data(), count);
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      numeric::exact_dots(rows, pass.output(c), scalars.of_output(c, count));
    }
    pass.describe(list, tile, records);
    pass.to_scalars(records, scalars);
    const auto target = sum.reserve(static_cast<std::int64_t>(count));
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      numeric::add_exact_multiples(rows, scalars.of_output(c, count),
                                   target.subspan(c * pass.columns, pass.columns));
    }
  }
}

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
  PackedShare(const Pass& pass, std::int64_t rows_before_flush)
      : integers(pass.outputs * pass.dataset.packing()->integer_columns().size(),
                 rows_before_flush),
        hats(pass.outputs, numeric::HatSums(pass.dataset.packing()->place_columns().size())),
        odd(pass.dataset.has_odd_rows() ? pass.weights.size() : 0, rows_before_flush) {}

  void add_to(const Pass& pass, std::span<std::int64_t> total) {
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
  explicit PackedWeights(const Pass& pass)
      : integers(picked(pass.weights, pass.outputs, pass.dataset.packing()->integer_columns())),
        hats(picked(pass.weights, pass.outputs, pass.dataset.packing()->place_columns())) {}

  std::vector<double> integers;
  std::vector<double> hats;
};

// The rows of a tile that do not pack count as zeros in it, and on their own here.
class OddRows {
 public:
  OddRows(const Pass& pass, const AnyRows& list) : pass_(pass), list_(list) {}

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
  const Pass& pass_;
  const AnyRows& list_;
  std::vector<Found> found_;
};

void add_packed(const Pass& pass, const PackedWeights& weights, const AnyRows& list,
                std::int64_t begin, std::int64_t end, PackedShare& share) {
  const auto& packing = *pass.dataset.packing();
  const std::size_t integers = packing.integer_columns().size();
  const std::size_t places = packing.place_columns().size();
  std::array<const std::int16_t*, rows_per_tile> pointers;
  numeric::HatTile unpacked(packing.numbers(), rows_per_tile);
  TileScalars scalars(pass.outputs);
  TileRecords records;
  OddRows odd(pass, list);
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const auto count = static_cast<std::size_t>(std::min(rows_per_tile, end - tile));
    records.count = count;
    for (std::size_t i = 0; i < count; ++i) {
      pointers[i] = pass.dataset.packed_row(list[tile + static_cast<std::int64_t>(i)]);
    }
    unpacked.unpack(std::span(pointers).first(count));
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

void add_all_packed(const Pass& pass, const AnyRows& list, base::ThreadPool& threads,
                    std::int64_t rows_before_flush, std::span<std::int64_t> total) {
  const PackedWeights weights(pass);
  const bool alone = threads.size() == 1 || list.size() <= rows_per_block;
  std::vector<PackedShare> shares(alone ? 1 : static_cast<std::size_t>(threads.size()),
                                  PackedShare(pass, rows_before_flush));
  if (alone) {
    add_packed(pass, weights, list, 0, list.size(), shares.front());
  } else {
    threads.for_blocks(
        list.size(), rows_per_block, [&](int worker, std::int64_t begin, std::int64_t end) {
          add_packed(pass, weights, list, begin, end, shares[static_cast<std::size_t>(worker)]);
        });
  }
  for (auto& share : shares) share.add_to(pass, total);
}

// Every line of memory that holds a byte of it, the last one too: what is short rarely begins with
// a line.
void fetch_bytes(const void* first, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const auto* byte = static_cast<const char*>(first);
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(byte + at);
  if (bytes > 0) __builtin_prefetch(byte + bytes - 1);
}

// Listed rows lie anywhere: without a hint, each would be waited for.
void fetch(const Pass& pass, std::int64_t row) {
  constexpr std::size_t most = 256;  // longer rows are read in order, which the processor sees
  const auto place = pass.dataset.sparse_row(row);
  const std::size_t bytes = std::min(place.columns.size_bytes(), most);
  fetch_bytes(place.columns.data(), bytes);
  fetch_bytes(place.values.data(), bytes / 2);
  __builtin_prefetch(&pass.bounds[static_cast<std::size_t>(row)]);
}

// So do the places of a wide row's weights and sums: with a hint for each, many are waited for at
// once.
void fetch_places(const Pass& pass, const data::SparseRow& row, std::span<std::int64_t> sum) {
  for (std::size_t c = 0; c < pass.outputs; ++c) {
    const double* weights = pass.output(c).data();
    std::int64_t* output = sum.data() + c * pass.columns;
    for (const std::uint32_t column : row.columns) {
      __builtin_prefetch(weights + column);
      __builtin_prefetch(output + column, 1);
    }
  }
}

// The products of rows with real weights, which are rounded where they are read. Two sums hide the
// latency of an addition; both are exact.
void rounded_dots(const Pass& pass, std::span<const numeric::SparseIntegers> rows,
                  std::size_t output, std::span<double> sums) {
  const double* weights = pass.output(output).data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [columns, values] = rows[i];
    const auto product = [&, columns = columns.data(), values = values.data()](std::size_t k) {
      return pass.grid.integer(weights[columns[k]]) * values[k];
    };
    const std::size_t pairs = columns.size() / 2 * 2;
    double even = 0;
    double odd = 0;
    for (std::size_t k = 0; k < pairs; k += 2) {
      even += product(k);
      odd += product(k + 1);
    }
    if (pairs < columns.size()) even += product(pairs);
    sums[i] = even + odd;
  }
}

// What of rows that are not in memory's order is asked for before it is read: the places of rows
// two tiles before, the rows themselves one tile before.
template <typename RowList>
class Ahead {
 public:
  Ahead(const Pass& pass, const RowList& list, std::int64_t begin, std::int64_t end)
      : pass_(pass), list_(list), end_(end), placed_(begin), fetched_(begin) {}

  void of(std::int64_t tile) {
    if constexpr (!std::is_same_v<RowList, AllRows>) {
      for (; placed_ < std::min(tile + 3 * rows_per_tile, end_); ++placed_) {
        pass_.dataset.fetch_ahead(list_[placed_]);
      }
      for (; fetched_ < std::min(tile + 2 * rows_per_tile, end_); ++fetched_) {
        fetch(pass_, list_[fetched_]);
      }
    }
  }

 private:
  const Pass& pass_;
  const RowList& list_;
  std::int64_t end_;
  std::int64_t placed_;
  std::int64_t fetched_;
};

template <typename RowList>
void add_sparse(const Pass& pass, const RowList& list, std::int64_t begin, std::int64_t end,
                std::span<std::int64_t> sum) {
  std::array<numeric::SparseIntegers, rows_per_tile> places;
  TileScalars scalars(pass.outputs);
  TileRecords records;
  Ahead ahead(pass, list, begin, end);
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const auto count = static_cast<std::size_t>(std::min(rows_per_tile, end - tile));
    const std::span rows(places.data(), count);
    records.count = count;
    ahead.of(tile);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = pass.dataset.sparse_row(list[tile + static_cast<std::int64_t>(i)]);
      places[i] = {row.columns, row.values};
      if (pass.rounds) fetch_places(pass, row, sum);
    }
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      const auto numbers = scalars.of_output(c, count);
      if (pass.rounds) {
        rounded_dots(pass, rows, c, numbers);
      } else {
        numeric::exact_sparse_dots(rows, pass.output(c), numbers);
      }
    }
    pass.describe(list, tile, records);
    pass.to_scalars(records, scalars);
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      numeric::add_sparse_multiples(rows, scalars.of_output(c, count),
                                    sum.subspan(c * pass.columns, pass.columns));
    }
  }
}

}  // namespace

GradientSum::GradientSum(const GradientProblem& problem, const ContributionLimit& limit,
                         base::ThreadPool& threads)
    : dataset_(problem.dataset),
      loss_(problem.loss),
      outputs_(problem.outputs),
      norm_bits_(limit.norm_bits),
      max_records_per_unit_(limit.max_records_per_unit),
      clipping_norm_(checked_clipping_norm(limit)),
      class_weights_(limit.class_weights),
      threads_(threads) {
  if (dataset_.rows() > max_rows) {
    throw base::UsageError("a data set may hold at most 2^32 records for one sum");
  }
  scalar_bounds_ = scalar_bounds(dataset_, limit);
  const double steepest = limit.slope_bound / (grid() * data::Dataset::feature_scale);
  if (!(steepest > 0)) throw base::UsageError("the bound of a slope must be positive");
  if (steepest >= std::numeric_limits<std::int32_t>::max()) return;
  const auto cap = static_cast<std::int32_t>(steepest);
  for (auto& bound : scalar_bounds_) bound = std::min(bound, cap);
}

double GradientSum::grid() const { return std::ldexp(clipping_norm_, -norm_bits_); }

template <typename RowList>
std::vector<std::int64_t> GradientSum::total(std::span<const double> weights,
                                             const RowList& rows) const {
  const auto columns = static_cast<std::size_t>(dataset_.columns());
  const auto outputs = static_cast<std::size_t>(outputs_);
  if (weights.size() != columns * outputs) {
    throw base::InternalError("{} weights for {} outputs of {} encoded columns", weights.size(),
                              outputs, columns);
  }
  const bool rounds = dataset_.sparse() && weights.size() > max_laid_out;
  GridWeights laid_out;
  if (!rounds) laid_out = to_grid(weights, dataset_.norm_bound());
  const WeightGrid grid_of_weights =
      rounds ? weight_grid(weights, dataset_.norm_bound()) : WeightGrid{.scale = laid_out.scale};
  const Pass pass{dataset_,
                  loss_,
                  rounds ? weights : laid_out.integers,
                  grid_of_weights,
                  outputs,
                  columns,
                  rounds,
                  1 / (grid() * data::Dataset::feature_scale),
                  scalar_bounds_,
                  class_weights_};
  auto total = base::large_array<std::int64_t>(weights.size());
  if (dataset_.sparse()) {
    add_in_place(total, threads_, {rows.size(), rows_per_block},
                 [&](std::int64_t begin, std::int64_t end, std::span<std::int64_t> sum) {
                   add_sparse(pass, rows, begin, end, sum);
                 });
  } else if (dataset_.packing() != nullptr) {
    add_all_packed(pass, AnyRows(rows), threads_, std::int64_t{1} << (52 - norm_bits_), total);
  } else {
    add_exactly(total, threads_, {rows.size(), rows_per_block},
                {total.size(), std::int64_t{1} << (52 - norm_bits_)},
                [&](std::int64_t begin, std::int64_t end, ExactAccumulator& sum) {
                  add_dense(pass, rows, begin, end, sum);
                });
  }
  return total;
}

std::vector<std::int64_t> GradientSum::integers(std::span<const double> weights) const {
  return total(weights, AllRows{dataset_.rows()});
}

privacy::BoundedSum certified_gradient_sum(std::vector<std::int64_t> integers,
                                           const ContributionLimit& limit) {
  return privacy::BoundedSum::from_certified(
      privacy::Certifier::clipped(), std::move(integers),
      std::ldexp(checked_clipping_norm(limit), -limit.norm_bits),
      std::int64_t{1} << limit.norm_bits);
}

privacy::BoundedSum GradientSum::at(std::span<const double> weights) const {
  return privacy::BoundedSum::from_certified(privacy::Certifier::clipped(),
                                             total(weights, AllRows{dataset_.rows()}), grid(),
                                             std::int64_t{1} << norm_bits_);
}

void GradientSum::check_sample(const privacy::DrawnSample& sample) const {
  if (sample.population() == dataset_.rows()) return;
  throw base::UsageError("a sample out of {} records was drawn for a sum over {}",
                         sample.population(), dataset_.rows());
}

void GradientSum::refuse_units() const {
  if (!dataset_.has_units()) return;
  throw base::UsageError(
      "units of several records have no proof in samples of fixed size and in blocks; take Poisson "
      "samples or all records");
}

privacy::BoundedSum GradientSum::at(std::span<const double> weights,
                                    const privacy::DrawnSample& sample) const {
  check_sample(sample);
  if (sample.sample().rate() == nullptr) {
    throw base::UsageError("a sample of fixed size is accounted otherwise than a Poisson sample");
  }
  // No fewer records than take part, and none that adds more than its share: an event for more
  // records promises smaller ones, which costs less.
  const auto records = sample.sample().max_records_per_unit();
  if (!sample.sample().is_all() && (records > max_records_per_unit_ ||
                                    (dataset_.has_units() && records < max_records_per_unit_))) {
    throw base::InternalError(
        "{} records of a unit share its bound in a sample that is accounted for {}",
        max_records_per_unit_, records);
  }
  return privacy::BoundedSum::from_certified(privacy::Certifier::clipped(),
                                             total(weights, ListedRows{sample.rows()}), grid(),
                                             std::int64_t{1} << norm_bits_, sample.sample());
}

privacy::PartialSum GradientSum::partial(std::span<const double> weights,
                                         const privacy::DrawnSample& sample) const {
  check_sample(sample);
  if (sample.sample().fixed() == nullptr) {
    throw base::UsageError("a Poisson sample is accounted otherwise than one of fixed size");
  }
  refuse_units();
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(),
                                          total(weights, ListedRows{sample.rows()}), grid(),
                                          std::int64_t{1} << norm_bits_),
      sample.sample());
}

privacy::PartialSum GradientSum::partial(std::span<const double> weights,
                                         std::span<const std::int64_t> rows,
                                         privacy::PassBlock block) const {
  refuse_units();
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(),
                                          total(weights, ListedRows{rows}), grid(),
                                          std::int64_t{1} << norm_bits_),
      block);
}

}  // namespace tacet::optimize
