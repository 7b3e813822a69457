#include "tacet/optimize/sums/gradient_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/machine.h"
#include "tacet/numeric/kernels.h"
#include "tacet/optimize/sums/exact_accumulator.h"
#include "tacet/optimize/sums/gradient_pass.h"
#include "tacet/optimize/sums/packed_gradient.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

using internal::AllRows;
using internal::gradient_rows_per_block;
using internal::GradientPass;
using internal::ListedRows;

// More weights than that are rounded where sparse rows read them: laying them out takes longer.
constexpr std::size_t max_laid_out = std::size_t{1} << 18;
constexpr std::int64_t max_rows = std::int64_t{1} << 32;  // 2^32 * 2^30 = 2^62 fits 64 bits

// Of each output's weights, or none where rows are too short or sums too large.
std::vector<numeric::ShortWeights> in_pieces(const data::Dataset& dataset,
                                             std::span<const double> weights, std::size_t outputs) {
  std::vector<numeric::ShortWeights> pieces;
  if (dataset.sparse() || dataset.packing() != nullptr) return pieces;
  const std::size_t columns = weights.size() / outputs;
  for (std::size_t c = 0; c < outputs; ++c) {
    const auto output = weights.subspan(c * columns, columns);
    if (!numeric::ShortWeights::fit(output, dataset.squared_norm_bound())) return {};
    pieces.emplace_back(output);
  }
  return pieces;
}

template <typename RowList>
void add_dense(const GradientPass& pass, const RowList& list, std::int64_t begin, std::int64_t end,
               ExactAccumulator& sum) {
  internal::TilePointers pointers;
  internal::TilePointers ahead;
  // Sums in pieces fetch the next tile while they work.
  const bool in_order = std::is_same_v<RowList, AllRows>;
  const std::size_t bytes =
      in_order || !pass.pieces.empty() ? 0 : pass.columns * sizeof(std::int16_t);
  const auto find = [&](std::int64_t tile) {
    internal::fetch_tile(
        tile, end, bytes, [&](std::int64_t i) { return pass.dataset.dense_row(list[i]).data(); },
        ahead);
  };
  TileScalars scalars(pass.outputs);
  TileRecords records;
  find(begin);
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const auto count = static_cast<std::size_t>(std::min(rows_per_tile, end - tile));
    records.count = count;
    pointers = ahead;
    find(tile + rows_per_tile);  // rows that do not follow stay those of this tile
    const std::span rows(std::as_const(pointers).data(), count);
    const std::span next(std::as_const(ahead).data(), count);
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      const auto dots = scalars.of_output(c, count);
      if (pass.pieces.empty()) {
        numeric::exact_dots(rows, pass.output(c), dots);
      } else {
        numeric::exact_dots({rows, c == 0 ? next : rows}, pass.pieces[c], dots);
      }
    }
    pass.describe(list, tile, records);
    pass.to_scalars(records, scalars);
    const auto target = sum.reserve(static_cast<std::int64_t>(count));
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      numeric::add_short_multiples({rows, c == 0 ? next : rows}, scalars.of_output(c, count),
                                   target.subspan(c * pass.columns, pass.columns));
    }
  }
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
void fetch(const GradientPass& pass, std::int64_t row) {
  constexpr std::size_t max = 256;  // longer rows are read in order, which the processor sees
  const auto place = pass.dataset.sparse_row(row);
  const std::size_t bytes = std::min(place.columns.size_bytes(), max);
  fetch_bytes(place.columns.data(), bytes);
  fetch_bytes(place.values.data(), bytes / 2);
  __builtin_prefetch(&pass.bounds[static_cast<std::size_t>(row)]);
}

// So do the places of a wide row's weights and sums: with a hint for each, many are waited for at
// once.
void fetch_places(const GradientPass& pass, const data::SparseRow& row,
                  std::span<std::int64_t> sum) {
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
void rounded_dots(const GradientPass& pass, std::span<const numeric::SparseIntegers> rows,
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
  Ahead(const GradientPass& pass, const RowList& list, std::int64_t begin, std::int64_t end)
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
  const GradientPass& pass_;
  const RowList& list_;
  std::int64_t end_;
  std::int64_t placed_;
  std::int64_t fetched_;
};

template <typename RowList>
void add_sparse(const GradientPass& pass, const RowList& list, std::int64_t begin, std::int64_t end,
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
  for (std::int64_t row = 0; row < dataset_.rows(); ++row) {
    // A scalar is a slope times the scale of the row's integers.
    const double cap = std::min(steepest * dataset_.scale(row), 0x1p30);
    auto& bound = scalar_bounds_[static_cast<std::size_t>(row)];
    bound = std::min(bound, static_cast<std::int32_t>(cap));
  }
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
  const auto* packing = dataset_.packing();
  GridWeights laid_out;
  if (!rounds) {
    laid_out = to_grid(weights, packing == nullptr ? dataset_.norm_bound() : packing->norm_bound());
  }
  const WeightGrid grid_of_weights =
      rounds ? weight_grid(weights, dataset_.norm_bound()) : WeightGrid{.scale = laid_out.scale};
  const auto pieces = in_pieces(dataset_, laid_out.integers, outputs);
  const GradientPass pass{dataset_,
                          loss_,
                          rounds ? weights : laid_out.integers,
                          grid_of_weights,
                          outputs,
                          columns,
                          rounds,
                          1 / (grid() * data::Dataset::feature_scale),
                          scalar_bounds_,
                          class_weights_,
                          pieces};
  auto total = base::large_array<std::int64_t>(weights.size());
  if (dataset_.sparse()) {
    add_in_place(total, threads_, {rows.size(), gradient_rows_per_block},
                 [&](std::int64_t begin, std::int64_t end, std::span<std::int64_t> sum) {
                   add_sparse(pass, rows, begin, end, sum);
                 });
  } else if (packing != nullptr) {
    internal::add_packed_rows(pass, internal::AnyRows(rows), threads_,
                              std::int64_t{1} << (52 - norm_bits_), total);
  } else {
    add_exactly(total, threads_, {rows.size(), gradient_rows_per_block},
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
