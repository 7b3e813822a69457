#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/sgd/sgd.h"
#include "tacet/optimize/sgd/sgd_kernels.h"

namespace tacet::optimize::internal {
namespace {

constexpr double grid_unit = 1.0 / data::Dataset::feature_scale;
constexpr std::int64_t chunk = 4096;  // steps between looks at the supervision
// Steps at which a record's number, its label and its row are fetched before they are needed. Each
// is waited for by none of the others: one that is looked up only when it is needed stops the
// steps for as long as its way from memory takes.
constexpr std::int64_t far_ahead = 8;
constexpr std::int64_t label_ahead = 16;
constexpr std::int64_t number_ahead = 24;

struct DenseRows {
  using Row = std::span<const std::int16_t>;
  const data::Dataset& dataset;
  [[nodiscard]] Row row(std::int64_t index) const { return dataset.dense_row(index); }
  // Inlined by force: a call that only fetches looks to the compiler like one without effect.
  [[gnu::always_inline]] static inline void fetch(Row row) {
    constexpr std::size_t line = 64 / sizeof(std::int16_t);
    for (std::size_t j = 0; j < std::min<std::size_t>(row.size(), 16 * line); j += line) {
      __builtin_prefetch(row.data() + j);
    }
  }
};

// The dense row of the current step, already in doubles.
class DenseCursor {
 public:
  DenseCursor(DenseRows::Row row, std::span<double> values) : values_(values) {
    expand_row(row, values);
  }
  [[nodiscard]] double advance_to(DenseRows::Row next, double move, double mean_move,
                                  std::span<double> weights, std::span<double> mean) {
    return advance(values_, move, mean_move, weights, mean, next);
  }

 private:
  std::span<double> values_;
};

struct SparseRows {
  using Row = data::SparseRow;
  const data::Dataset& dataset;
  [[nodiscard]] Row row(std::int64_t index) const { return dataset.sparse_row(index); }
  [[gnu::always_inline]] static inline void fetch(const Row& row) {
    __builtin_prefetch(row.columns.data());
    __builtin_prefetch(row.values.data());
  }
};

// The same for a sparse row.
class SparseCursor {
 public:
  SparseCursor(const data::SparseRow& row, std::span<double> /*values*/) : row_(row) {}
  [[nodiscard]] double advance_to(const data::SparseRow& next, double move, double mean_move,
                                  std::span<double> weights, std::span<double> mean) {
    subtract_row(row_, move, weights);
    subtract_row(row_, mean_move, mean);
    row_ = next;
    return row_dot(next, weights);
  }

 private:
  data::SparseRow row_;
};

DenseCursor cursor_at(const DenseRows& /*rows*/, DenseRows::Row row, std::span<double> values) {
  return {row, values};
}
SparseCursor cursor_at(const SparseRows& /*rows*/, const data::SparseRow& row,
                       std::span<double> values) {
  return {row, values};
}

// Everything a pass for one output reads.
struct Pass {
  const data::Dataset& dataset;
  const SgdProblem& problem;
  const SgdSchedule& schedule;
  const IterateWeights& weights;
  std::span<const StepRegion> regions;
  std::span<const std::uint32_t> rows;
  std::int64_t output;
  const base::Supervision& supervision;

  [[nodiscard]] std::int64_t row_at(std::int64_t place) const {
    return rows[schedule.order[static_cast<std::size_t>(place)]];
  }
  void fetch_number(std::int64_t place) const {
    __builtin_prefetch(&rows[schedule.order[static_cast<std::size_t>(place)]]);
  }
  [[nodiscard]] double label(std::int64_t row) const {
    const double label = dataset.label(row);
    if (problem.outputs == 1) return label;
    return label == static_cast<double>(output) ? 1 : -1;
  }
  // Whether all slopes have one bound.
  [[nodiscard]] bool one_limit() const { return regions.size() == 1 && !problem.clipping_norm; }
  // What slopes are cut to at step t = 1..T, for a row: the bound that the certificate counts on.
  [[nodiscard]] double limit(std::int64_t t, std::int64_t row) const {
    if (!problem.clipping_norm) {
      return regions[regions.size() == 1 ? 0 : static_cast<std::size_t>(t - 1)].slope;
    }
    const auto square = static_cast<double>(dataset.squared_norm(row));
    if (square == 0) return 0;
    const double own = *problem.clipping_norm * data::Dataset::feature_scale / std::sqrt(square);
    const double reach = problem.radius ? *problem.radius * problem.norm_bound
                                        : std::numeric_limits<double>::infinity();
    return std::min(own, model::slope_bound_within(problem.loss, reach));
  }
};

// Weights, mean and a row, each from the start of a cache line on: vectors that straddle two lines
// cost twice the time.
class WorkingSpace {
 public:
  explicit WorkingSpace(std::size_t columns)
      : length_((columns + row_padding - 1) / row_padding * row_padding),
        numbers_(3 * length_ + 4 * row_padding, 0.0) {
    const auto place = reinterpret_cast<std::uintptr_t>(numbers_.data()) / sizeof(double);
    first_ = (row_padding - place % row_padding) % row_padding;
  }
  [[nodiscard]] std::span<double> weights() { return std::span(numbers_).subspan(first_, length_); }
  // A line apart, so that equal columns never lie a whole page apart.
  [[nodiscard]] std::span<double> mean() {
    return std::span(numbers_).subspan(first_ + length_ + row_padding, length_);
  }
  // The row of the current step.
  [[nodiscard]] std::span<double> row() {
    return std::span(numbers_).subspan(first_ + 2 * (length_ + row_padding), length_);
  }

 private:
  std::size_t length_;
  std::vector<double> numbers_;
  std::size_t first_ = 0;
};

// The loss of step t; smoothing follows the step size.
template <typename LossType>
class StepLoss {
 public:
  StepLoss(const Pass& pass, const LossType& first) : pass_(pass), loss_(first) {
    varies_ = pass.schedule.step_sizes.size() > 1;
    follows_ = varies_ && pass.problem.smooth && model::can_be_smoothed(pass.problem.loss);
    factor_ = factor_at(1);
  }
  // Slope over the number of records a step, times the step size, in units of the row's integers.
  [[nodiscard]] double move(std::int64_t t, double dot, double label, double limit) {
    if (varies_) follow(t);
    const double slope = loss_.slope(dot * grid_unit, label);
    // Without branches, which would follow the labels. NaN, which no loss gives, becomes -limit.
    const double cut = std::max(-limit, std::min(slope, limit));
    return cut * factor_;
  }

 private:
  [[nodiscard]] double factor_at(std::int64_t t) const {
    return pass_.schedule.step_size(t) * grid_unit / static_cast<double>(pass_.schedule.batch);
  }
  void follow(std::int64_t t) {
    factor_ = factor_at(t);
    if constexpr (requires { loss_.width; }) {
      if (follows_) {
        const double norm = pass_.problem.norm_bound;
        loss_.width =
            model::width_for_step(pass_.problem.loss, pass_.schedule.step_size(t) * norm * norm);
      }
    }
  }

  const Pass& pass_;
  LossType loss_;
  double factor_;
  bool varies_;
  bool follows_;
};

// The labels, limits and rows of a stretch of places, looked up together: their cache misses then
// overlap instead of delaying the steps.
template <typename Rows>
struct Stretch {
  std::vector<typename Rows::Row> row;
  std::vector<double> label;
  std::vector<double> limit;

  void load(const Pass& pass, const Rows& rows, std::int64_t first, std::int64_t end) {
    const auto count = static_cast<std::size_t>(end - first);
    row.resize(count);
    label.resize(count);
    const bool varying = !pass.one_limit();
    limit.assign(count, pass.regions[0].slope);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t place = first + static_cast<std::int64_t>(i);
      const auto index = pass.row_at(place);
      row[i] = rows.row(index);
      label[i] = pass.label(index);
      if (varying) limit[i] = pass.limit(place / pass.schedule.batch + 1, index);
    }
  }
};

// Weight that the mean gives to everything after step t: sum of a_{t+1}..a_{T+1}.
std::vector<double> later_weights(const IterateWeights& weights) {
  std::vector<double> later(static_cast<std::size_t>(weights.steps));
  if (weights.kind == Averaging::uniform) {
    const auto count = static_cast<double>(weights.steps);
    for (std::size_t i = 0; i < later.size(); ++i) {
      later[i] = (count - 1 - static_cast<double>(i)) / count;
    }
    return later;
  }
  double sum = 0;
  for (std::int64_t t = weights.steps; t >= 1; --t) {
    sum += weights.at(t + 1);
    later[static_cast<std::size_t>(t - 1)] = sum;
  }
  return later;
}

// Steps of one record each: the update of a step and the prediction of the next share one pass over
// the weights.
template <typename LossType, typename Rows>
void single_records(const Pass& pass, StepLoss<LossType>& loss, const Rows& rows,
                    std::span<const double> later, WorkingSpace& space) {
  const auto weights = space.weights();
  const auto mean = space.mean();
  struct Record {
    typename Rows::Row row;
    std::int64_t index;
  };
  // The records of the next steps, whose rows are on their way from memory.
  std::array<Record, 2 * far_ahead> ahead;
  const auto slot = [&](std::int64_t place) -> Record& {
    return ahead[static_cast<std::size_t>(place) % ahead.size()];
  };
  const std::int64_t steps = pass.schedule.steps();
  const auto look = [&](std::int64_t place) {
    if (place >= steps) return;
    const auto index = pass.row_at(place);
    slot(place) = {rows.row(index), index};
    Rows::fetch(slot(place).row);
  };
  for (std::int64_t place = 0; place < far_ahead; ++place) look(place);
  const bool varying = !pass.one_limit();
  double limit = pass.regions[0].slope;
  double dot = row_dot(slot(0).row, weights);
  auto cursor = cursor_at(rows, slot(0).row, space.row());
  for (std::int64_t place = 0; place < steps; ++place) {
    if (place % chunk == 0) pass.supervision.step("training", place, steps);
    if (place + number_ahead < steps) pass.fetch_number(place + number_ahead);
    if (place + label_ahead < steps) pass.dataset.fetch_ahead(pass.row_at(place + label_ahead));
    look(place + far_ahead);
    const Record& now = slot(place);
    if (varying) limit = pass.limit(place + 1, now.index);
    const double move = loss.move(place + 1, dot, pass.label(now.index), limit);
    const auto& next = slot(place + 1 < steps ? place + 1 : place).row;
    dot =
        cursor.advance_to(next, move, move * later[static_cast<std::size_t>(place)], weights, mean);
  }
}

// Without penalty and projection the iterates are sums of moves, and so is their mean, with each
// move weighted by what the mean gives to everything after it.
template <typename LossType, typename Rows>
void sum_of_moves(const Pass& pass, const LossType& first, const Rows& rows, WorkingSpace& space) {
  const auto weights = space.weights();
  const auto mean = space.mean();
  StepLoss<LossType> loss(pass, first);
  const auto later = later_weights(pass.weights);
  const std::int64_t steps = pass.schedule.steps();
  const std::int64_t batch = pass.schedule.batch;
  if (batch == 1) {
    single_records(pass, loss, rows, later, space);
    return;
  }
  Stretch<Rows> now;
  std::vector<double> moves(static_cast<std::size_t>(batch));
  for (std::int64_t begin = 0; begin < steps; begin += chunk) {
    pass.supervision.step("training", begin, steps);
    const std::int64_t end = std::min(begin + chunk, steps);
    now.load(pass, rows, begin * batch, end * batch);
    std::size_t i = 0;
    for (std::int64_t t = begin + 1; t <= end; ++t, i += moves.size()) {
      const double share = later[static_cast<std::size_t>(t - 1)];
      for (std::size_t k = 0; k < moves.size(); ++k) {
        if (i + k + far_ahead < now.row.size()) Rows::fetch(now.row[i + k + far_ahead]);
        moves[k] =
            loss.move(t, row_dot(now.row[i + k], weights), now.label[i + k], now.limit[i + k]);
      }
      for (std::size_t k = 0; k < moves.size(); ++k) {
        subtract_row(now.row[i + k], moves[k], weights);
        subtract_row(now.row[i + k], moves[k] * share, mean);
      }
    }
  }
}

double squared_length(std::span<const double> vector) {
  std::array<double, 32> sums{};
  for (std::size_t j = 0; j < vector.size(); ++j) sums[j % sums.size()] += vector[j] * vector[j];
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

// With a penalty or a ball every iterate is formed, and added to the mean.
template <typename LossType, typename Rows>
void mean_of_iterates(const Pass& pass, const LossType& first, const Rows& rows,
                      std::span<double> weights, std::span<double> mean) {
  StepLoss<LossType> loss(pass, first);
  const std::int64_t steps = pass.schedule.steps();
  const std::int64_t batch = pass.schedule.batch;
  Stretch<Rows> now;
  std::vector<double> moves(static_cast<std::size_t>(batch));
  const auto add = [&](double share) {
    if (share == 0) return;
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += share * weights[j];
  };
  std::ranges::fill(mean, 0.0);
  for (std::int64_t t = 1; t <= steps; ++t) {
    if ((t - 1) % chunk == 0) {
      pass.supervision.step("training", t - 1, steps);
      now.load(pass, rows, (t - 1) * batch, std::min(t - 1 + chunk, steps) * batch);
    }
    add(pass.weights.at(t));
    const auto i = static_cast<std::size_t>((t - 1) % chunk * batch);
    for (std::size_t k = 0; k < moves.size(); ++k) {
      moves[k] = loss.move(t, row_dot(now.row[i + k], weights), now.label[i + k], now.limit[i + k]);
    }
    for (std::size_t k = 0; k < moves.size(); ++k) {
      subtract_row(now.row[i + k], moves[k], weights);
    }
    double scale = pass.schedule.shrink(t);
    if (pass.problem.radius) {
      const double length = scale * std::sqrt(squared_length(weights));
      if (length > *pass.problem.radius) scale *= *pass.problem.radius / length;
    }
    if (scale != 1) {
      for (double& weight : weights) weight *= scale;
    }
  }
  add(pass.weights.at(steps + 1));
}

template <typename LossType, typename Rows>
void descend_one(const Pass& pass, const LossType& loss, const Rows& rows, WorkingSpace& space) {
  if (pass.schedule.mean_l2 == 0 && !pass.problem.radius) {
    sum_of_moves(pass, loss, rows, space);
  } else {
    mean_of_iterates(pass, loss, rows, space.weights(), space.mean());
  }
}

}  // namespace

std::vector<double> descend(const SgdRun& given, const SgdProblem& problem,
                            const SgdSchedule& schedule, const IterateWeights& weights,
                            std::span<const StepRegion> regions) {
  const auto& dataset = given.dataset;
  const auto columns = static_cast<std::size_t>(problem.columns);
  const auto outputs = static_cast<std::size_t>(problem.outputs);
  std::vector<double> mean(columns * outputs, 0.0);
  std::ranges::copy(given.start, mean.begin());
  const auto first = loss_of_step(problem, schedule.step_size(1));
  // Only one output may report: progress is not made for several threads.
  const base::Supervision silent{.progress = nullptr, .cancel = given.supervision.cancel};
  given.threads.for_blocks(problem.outputs, 1, [&](int, std::int64_t output, std::int64_t) {
    const Pass pass{dataset, problem,    schedule, weights,
                    regions, given.rows, output,   output == 0 ? given.supervision : silent};
    const auto own = std::span(mean).subspan(static_cast<std::size_t>(output) * columns, columns);
    WorkingSpace space(columns);
    std::ranges::copy(own, space.weights().begin());
    std::ranges::copy(own, space.mean().begin());
    std::visit(
        [&](const auto& loss) {
          if (dataset.sparse()) {
            descend_one(pass, loss, SparseRows{dataset}, space);
          } else {
            descend_one(pass, loss, DenseRows{dataset}, space);
          }
        },
        first);
    std::copy_n(space.mean().begin(), columns, own.begin());
  });
  return mean;
}

}  // namespace tacet::optimize::internal
