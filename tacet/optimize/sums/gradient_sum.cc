#include "tacet/optimize/sums/gradient_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/base/large_pages.h"
#include "tacet/numeric/elementary.h"
#include "tacet/numeric/kernels.h"
#include "tacet/optimize/sums/exact_accumulator.h"
#include "tacet/optimize/sums/weight_grid.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

constexpr std::int64_t rows_per_tile = 32;     // a tile's rows stay in the first cache level
constexpr std::int64_t rows_per_block = 2048;  // what a worker takes at a time
// More weights than that are rounded where sparse rows read them: laying them out takes longer.
constexpr std::size_t most_laid_out = std::size_t{1} << 18;
constexpr std::int64_t most_rows = std::int64_t{1} << 32;  // 2^32 * 2^30 = 2^62 fits 64 bits

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

// Margins over `scale` in; out the probabilities of the classes, less 1 for the record's own. The
// largest margin counts as 0, so that the sum is between 1 and their number.
void softmax_slopes(std::span<double> numbers, double scale, double label) {
  const double largest = *std::ranges::max_element(numbers);
  double sum = 0;
  for (double& number : numbers) {
    number = numeric::exp((number - largest) * scale);
    sum += number;
  }
  for (std::size_t c = 0; c < numbers.size(); ++c) {
    numbers[c] = numbers[c] / sum - (label == static_cast<double>(c) ? 1 : 0);
  }
}

// What every worker reads during one pass.
struct Pass {
  const data::Dataset& dataset;
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

  // Exact inner products in, integer scalars out.
  template <typename LossType>
  void to_scalars(const LossType& loss, std::int64_t row, std::span<double> numbers) const {
    const double label = dataset.label(row);
    const std::int32_t bound = bounds[static_cast<std::size_t>(row)];
    const double scale = factor * weights_of_classes.of(label);
    if (numbers.size() == 1) {
      numbers[0] = clamp_scalar(loss.slope(numbers[0] * grid.scale, label) * scale, bound);
      return;
    }
    if constexpr (requires { LossType::joint; }) {
      softmax_slopes(numbers, grid.scale, label);
      for (double& number : numbers) number *= scale;
      clamp_scalars(numbers, bound);
      return;
    }
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      const double side = label == static_cast<double>(c) ? 1.0 : -1.0;
      numbers[c] = loss.slope(numbers[c] * grid.scale, side) * scale;
    }
    clamp_scalars(numbers, bound);
  }
};

template <typename LossType, typename RowList>
void add_dense(const Pass& pass, const LossType& loss, const RowList& list, std::int64_t begin,
               std::int64_t end, ExactAccumulator& sum) {
  std::array<const std::int16_t*, rows_per_tile> pointers;
  std::vector<double> numbers(pass.outputs * rows_per_tile);  // a row of tile length an output
  std::vector<double> scalars(pass.outputs);
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const auto count = static_cast<std::size_t>(std::min(rows_per_tile, end - tile));
    for (std::size_t i = 0; i < count; ++i) {
      pointers[i] = pass.dataset.dense_row(list[tile + static_cast<std::int64_t>(i)]).data();
    }
    const std::span rows(pointers.data(), count);
    const auto of_output = [&](std::size_t c) {
      return std::span(numbers).subspan(c * rows_per_tile, count);
    };
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      numeric::exact_dots(rows, pass.output(c), of_output(c));
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < pass.outputs; ++c) scalars[c] = of_output(c)[i];
      pass.to_scalars(loss, list[tile + static_cast<std::int64_t>(i)], scalars);
      for (std::size_t c = 0; c < pass.outputs; ++c) of_output(c)[i] = scalars[c];
    }
    const auto target = sum.reserve(static_cast<std::int64_t>(count));
    for (std::size_t c = 0; c < pass.outputs; ++c) {
      numeric::add_exact_multiples(rows, of_output(c),
                                   target.subspan(c * pass.columns, pass.columns));
    }
  }
}

// Listed rows lie anywhere: without a hint, each would be waited for.
void fetch(const data::Dataset& dataset, std::int64_t row) {
  constexpr std::size_t line = 64;
  const auto place = dataset.sparse_row(row);
  const auto* columns = reinterpret_cast<const char*>(place.columns.data());
  const auto* values = reinterpret_cast<const char*>(place.values.data());
  // Longer rows are left to the processor, which sees that they are read in order.
  const std::size_t bytes = std::min(place.columns.size_bytes(), 4 * line);
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(columns + at);
  for (std::size_t at = 0; at < bytes / 2; at += line) __builtin_prefetch(values + at);
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

// weight(column) is an integer.
template <typename Weight>
double dot(const data::SparseRow& row, const Weight& weight) {
  // Integers below 2^53 throughout, so the order does not matter.
  double even = 0;
  double odd = 0;
  const std::size_t pairs = row.columns.size() / 2 * 2;
  for (std::size_t k = 0; k < pairs; k += 2) {
    even += weight(row.columns[k]) * row.values[k];
    odd += weight(row.columns[k + 1]) * row.values[k + 1];
  }
  if (pairs < row.columns.size()) even += weight(row.columns[pairs]) * row.values[pairs];
  return even + odd;
}

double dot(const Pass& pass, const data::SparseRow& row, std::size_t output) {
  const double* weights = pass.output(output).data();
  if (!pass.rounds) return dot(row, [&](std::uint32_t column) { return weights[column]; });
  return dot(row, [&](std::uint32_t column) { return pass.grid.integer(weights[column]); });
}

template <typename LossType, typename RowList>
void add_sparse(const Pass& pass, const LossType& loss, const RowList& list, std::int64_t begin,
                std::int64_t end, std::span<std::int64_t> sum) {
  std::array<data::SparseRow, rows_per_tile> rows;
  std::vector<double> scalars(pass.outputs * rows_per_tile);  // those of a row stand together
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const auto count = static_cast<std::size_t>(std::min(rows_per_tile, end - tile));
    const std::int64_t next = std::min(tile + 2 * rows_per_tile, end);
    for (std::int64_t i = tile + rows_per_tile; i < next; ++i) fetch(pass.dataset, list[i]);
    for (std::size_t i = 0; i < count; ++i) {
      rows[i] = pass.dataset.sparse_row(list[tile + static_cast<std::int64_t>(i)]);
      if (pass.rounds) fetch_places(pass, rows[i], sum);
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < pass.outputs; ++c) {
        scalars[i * pass.outputs + c] = dot(pass, rows[i], c);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      pass.to_scalars(loss, list[tile + static_cast<std::int64_t>(i)],
                      std::span(scalars).subspan(i * pass.outputs, pass.outputs));
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < pass.outputs; ++c) {
        std::int64_t* output = sum.data() + c * pass.columns;
        const auto scalar = static_cast<std::int64_t>(scalars[i * pass.outputs + c]);
        for (std::size_t k = 0; k < rows[i].columns.size(); ++k) {
          output[rows[i].columns[k]] += scalar * rows[i].values[k];
        }
      }
    }
  }
}

}  // namespace

GradientSum::GradientSum(const GradientProblem& problem, const ContributionLimit& limit,
                         base::ThreadPool& threads, base::Reducer& reducer)
    : dataset_(problem.dataset),
      loss_(problem.loss),
      outputs_(problem.outputs),
      norm_bits_(limit.norm_bits),
      records_a_unit_(limit.records_a_unit),
      clipping_norm_(checked_clipping_norm(limit)),
      class_weights_(limit.class_weights),
      threads_(threads),
      reducer_(reducer) {
  if (dataset_.rows() > most_rows) {
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
  const bool rounds = dataset_.sparse() && weights.size() > most_laid_out;
  GridWeights laid_out;
  if (!rounds) laid_out = to_grid(weights, dataset_.norm_bound());
  const WeightGrid grid_of_weights =
      rounds ? weight_grid(weights, dataset_.norm_bound()) : WeightGrid{.scale = laid_out.scale};
  const Pass pass{dataset_,
                  rounds ? weights : laid_out.integers,
                  grid_of_weights,
                  outputs,
                  columns,
                  rounds,
                  1 / (grid() * data::Dataset::feature_scale),
                  scalar_bounds_,
                  class_weights_};
  auto total = base::large_array<std::int64_t>(weights.size());
  std::visit(
      [&](const auto& loss) {
        if (dataset_.sparse()) {
          add_in_place(total, threads_, {rows.size(), rows_per_block},
                       [&](std::int64_t begin, std::int64_t end, std::span<std::int64_t> sum) {
                         add_sparse(pass, loss, rows, begin, end, sum);
                       });
          return;
        }
        add_exactly(total, threads_, {rows.size(), rows_per_block},
                    {total.size(), std::int64_t{1} << (52 - norm_bits_)},
                    [&](std::int64_t begin, std::int64_t end, ExactAccumulator& sum) {
                      add_dense(pass, loss, rows, begin, end, sum);
                    });
      },
      loss_);
  reducer_.sum(total);
  return total;
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
  const auto records = sample.sample().records_a_unit();
  if (!sample.sample().is_all() &&
      (records > records_a_unit_ || (dataset_.has_units() && records < records_a_unit_))) {
    throw base::InternalError(
        "{} records of a unit share its bound in a sample that is accounted for {}",
        records_a_unit_, records);
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
