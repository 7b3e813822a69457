#include "tacet/learn/rows/row_optimizer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/numeric/adam.h"

namespace tacet::learn {
namespace {

using enum RowOptimizerKind;

// A moment this small cannot move a number any more, so numbers at rest stay there.
constexpr float nothing = numeric::no_moment;

int state_kinds(RowOptimizerKind kind) {
  if (kind == sgd) return 0;
  if (kind == adam) return 3;  // both moments, and a count of the moves
  return kind == adam_dense_zero ? 2 : 1;
}

bool moves_at_rest(RowOptimizerKind kind) { return kind == momentum || kind == adam_dense_zero; }

// b^n by squaring: the same bits everywhere.
double power(double base, std::int64_t n) {
  double result = 1;
  for (; n > 0; n >>= 1, base *= base) {
    if ((n & 1) != 0) result *= base;
  }
  return result;
}

// How far Adam's moments have grown towards the values that they estimate, after a number of moves.
struct Growth {
  std::int64_t moves = 0;
  float first = 0;
  float second = 0;

  void update(const RowOptimizerSettings& settings, std::int64_t n) {
    if (n == moves) return;
    moves = n;
    first = static_cast<float>(1 - power(settings.momentum, n));
    second = static_cast<float>(1 - power(settings.second_decay, n));
  }
};

// Moves single numbers, all with the same constants.
class Mover {
 public:
  Mover(const RowOptimizerSettings& settings, double rate, double scale = 1)
      : settings_(settings),
        scale_(scale),
        rate_(static_cast<float>(rate)),
        momentum_(static_cast<float>(settings.momentum)),
        second_decay_(static_cast<float>(settings.second_decay)),
        stabiliser_(static_cast<float>(settings.stabiliser)) {}

  void heavy_ball(float& value, float& velocity, float gradient) const {
    velocity = momentum_ * velocity + gradient;
    if (std::abs(velocity) < nothing) velocity = 0;
    value -= rate_ * velocity;
  }
  void adagrad_move(float& value, float& squares, float gradient) const {
    squares += gradient * gradient;
    value -= rate_ * gradient / (std::sqrt(squares) + stabiliser_);
  }
  void adam_move(const RowTable::Rows& numbers, const numeric::Gradient& gradient,
                 std::int64_t moves) {
    growth_.update(settings_, moves);
    numeric::adam_step(numbers.values, numbers.state(0), numbers.state(1), gradient,
                       {.rate = rate_,
                        .first_decay = momentum_,
                        .second_decay = second_decay_,
                        .first_growth = growth_.first,
                        .second_growth = growth_.second,
                        .stabiliser = stabiliser_});
  }

  [[nodiscard]] float gradient(double released) const {
    return static_cast<float>(released * scale_);
  }

  // Moves a whole row by its released gradient.
  void move_row(const RowTable::Rows& row, std::span<const double> released, std::int64_t now) {
    gradients_.resize(released.size());
    for (std::size_t j = 0; j < released.size(); ++j) gradients_[j] = gradient(released[j]);
    move_numbers(row, {.floats = gradients_.data()}, now);
  }

  // The same for released integers of several rows, one after the other.
  void move_integers(const RowTable::Rows& numbers, std::span<std::int64_t> released, double unit,
                     std::int64_t now) {
    if (settings_.kind != adam) {
      return move_numbers(numbers, {.integers = released.data(), .unit = unit, .factor = scale_},
                          now);
    }
    gradients_.resize(released.size());
    for (std::size_t j = 0; j < released.size(); ++j) {
      gradients_[j] = gradient(static_cast<double>(std::exchange(released[j], 0)) * unit);
    }
    move_numbers(numbers, {.floats = gradients_.data()}, now);
  }

  // A row that was not chosen in a step.
  void rest_row(const RowTable::Rows& row, std::int64_t now) {
    if (settings_.kind == adam_dense_zero) return adam_move(row, {}, now);
    for (std::size_t j = 0; j < row.values.size(); ++j) move(row, j, 0, now);
  }

  // One number of a row along its gradient, in step `now`.
  void move(const RowTable::Rows& row, std::size_t j, float gradient, std::int64_t now) {
    float& value = row.values[j];
    switch (settings_.kind) {
      case sgd:
        value -= rate_ * gradient;
        return;
      case momentum:
        return heavy_ball(value, row.state(0)[j], gradient);
      case adagrad:
        return adagrad_move(value, row.state(0)[j], gradient);
      case adam: {
        float& moves = row.state(2)[j];
        moves += 1;
        return adam_move(row.numbers(j, 1), {.floats = &gradient},
                         static_cast<std::int64_t>(moves));
      }
      case adam_dense_zero:
        return adam_move(row.numbers(j, 1), {.floats = &gradient}, now);
    }
  }

 private:
  // Uses kernels that do the same as move().
  void move_numbers(const RowTable::Rows& numbers, const numeric::Gradient& gradient,
                    std::int64_t now) {
    switch (settings_.kind) {
      case sgd:
        return numeric::descent_step(numbers.values, gradient, rate_);
      case momentum:
        return numeric::momentum_step(numbers.values, numbers.state(0), gradient, rate_, momentum_);
      case adagrad:
        return numeric::adagrad_step(numbers.values, numbers.state(0), gradient, rate_,
                                     stabiliser_);
      case adam_dense_zero:
        return adam_move(numbers, gradient, now);
      case adam:
        return adam_numbers(numbers, gradient.floats, now);
    }
  }

  // Moves all numbers together if all of them were moved equally often, as is the case if rows are
  // chosen.
  void adam_numbers(const RowTable::Rows& numbers, const float* gradients, std::int64_t now) {
    const auto moves = numbers.state(2);
    if (std::ranges::count(moves, moves.front()) != std::ssize(moves)) {
      for (std::size_t j = 0; j < moves.size(); ++j) move(numbers, j, gradients[j], now);
      return;
    }
    std::ranges::fill(moves, moves.front() + 1);
    adam_move(numbers, {.floats = gradients}, static_cast<std::int64_t>(moves.front()));
  }

  const RowOptimizerSettings& settings_;
  double scale_;  // of released values
  float rate_;
  float momentum_;
  float second_decay_;
  float stabiliser_;
  Growth growth_;
  std::vector<float> gradients_;
};

// Whether a number of the row still moves on its own: its first moment is not 0.
bool is_moving(const RowTable::Rows& row) {
  return std::ranges::any_of(row.state(0), [](float m) { return m != 0; });
}

}  // namespace

RowOptimizerSettings in_every_step(RowOptimizerSettings settings) {
  if (settings.kind == adam) settings.kind = adam_dense_zero;
  return settings;
}

RowOptimizer::RowOptimizer(const privacy::RowLayout& layout, RowStart start,
                           const RowOptimizerSettings& settings)
    : settings_(settings), table_(layout, std::move(start), state_kinds(settings.kind)) {}

double RowOptimizer::rate_of(std::int64_t step) const {
  if (settings_.fall == 0) return settings_.step_size;
  return settings_.step_size * static_cast<double>(settings_.fall - step + 1) /
         static_cast<double>(settings_.fall);
}

// The steps after the last one up to `to`, in which the row was not chosen.
void RowOptimizer::rest(const RowTable::Rows& row, std::int64_t to) const {
  auto step = std::exchange(row.last_steps.front(), to) + 1;
  if (!moves_at_rest(settings_.kind)) return;
  for (; step <= to && is_moving(row); ++step) {
    Mover(settings_, rate_of(step)).rest_row(row, step);
  }
  if (settings_.kind == momentum) return;
  const auto decay = static_cast<float>(settings_.second_decay);
  for (; step <= to; ++step) {
    for (auto& second : row.state(1)) second *= decay;
  }
}

std::size_t RowOptimizer::room_size() const {
  return static_cast<std::size_t>(table_.layout().widest()) *
         static_cast<std::size_t>(1 + state_kinds(settings_.kind));
}

std::span<const float> RowOptimizer::read(std::int64_t row, std::span<float> room) const {
  const auto view = table_.read(row, room);
  if (!deferred_.empty() && view.last_step != now_) {
    throw base::InternalError("a row was read whose steps were put off");
  }
  if (!view.stored() || view.last_step == now_ || !moves_at_rest(settings_.kind)) {
    return view.values;
  }
  auto last_step = view.last_step;
  const RowTable::Rows copy{room.first(view.values.size()), view.values.size(), {&last_step, 1}};
  std::ranges::copy(view.values, copy.values.begin());
  for (std::size_t kind = 0; kind < static_cast<std::size_t>(state_kinds(settings_.kind)); ++kind) {
    std::ranges::copy(view.state(kind), copy.state(kind).begin());
  }
  rest(copy, now_);
  return copy.values;
}

std::int64_t RowOptimizer::block_rows() const {
  // Enough numbers that opening the keystream block takes a small part of the time.
  constexpr std::int64_t block_numbers = 2048;
  return std::max<std::int64_t>(1, block_numbers / table_.layout().widest());
}

// Moves `count` rows from `first` on; their noise is drawn and added while the first cache holds
// it.
void RowOptimizer::move_rows(mechanism::LazyRows::Reading& noisy, std::int64_t first,
                             std::int64_t count, const Along& along) {
  if (count == 0) return;
  Mover mover(settings_, rate_of(along.step), 1 / along.divisor);
  auto cell = table_.layout().first_cell(first);
  for (const auto end = first + count; first < end;) {
    const auto rows = table_.change_from(first, end - first);
    for (std::size_t k = 0; k < rows.last_steps.size(); ++k) {
      if (rows.last_steps[k] < along.step - 1) rest(rows.row(k), along.step - 1);
      rows.last_steps[k] = along.step;
    }
    for (std::size_t at = 0; at < rows.values.size();) {
      const auto released = noisy.cells(cell, std::min(noisy.max_cells, rows.values.size() - at));
      mover.move_integers(rows.numbers(at, released.size()), released, noisy.grid(), along.step);
      at += released.size();
      cell += std::ssize(released);
    }
    first += std::ssize(rows.last_steps);
  }
}

void RowOptimizer::step(const mechanism::LazyRows& noisy, double divisor) {
  if (!deferred_.empty()) throw base::InternalError("a step overtakes those that were put off");
  ++now_;
  mechanism::LazyRows::Reading reading(noisy);
  move_rows(reading, 0, table_.layout().rows(), {divisor, now_});
}

void RowOptimizer::defer(std::unique_ptr<const mechanism::LazyRows> noisy, double divisor) {
  // In ascending order: rows were caught up in the order of the samples.
  const auto rows = table_.layout().rows();
  if (std::ssize(table_.stored_rows()) < rows) {
    for (std::int64_t row = 0; row < rows; ++row) (void)table_.change(row);
  }
  deferred_.push_back({std::move(noisy), divisor, ++now_});
}

// A block has made the steps up to the last one of its first row.
void RowOptimizer::catch_up_block(std::int64_t first) {
  const auto made = table_.change(first).last_steps.front();
  for (const auto& later : deferred_) {
    if (later.step <= made) continue;
    mechanism::LazyRows::Reading reading(*later.noisy);
    move_rows(reading, first, std::min(block_rows(), table_.layout().rows() - first),
              {later.divisor, later.step});
  }
}

void RowOptimizer::catch_up(std::span<const std::int64_t> rows) {
  if (deferred_.empty()) return;
  for (const auto row : rows) {
    const auto first = row / block_rows() * block_rows();
    if (table_.change(first).last_steps.front() < now_) catch_up_block(first);
  }
}

void RowOptimizer::catch_up() {
  if (deferred_.empty()) return;
  for (std::int64_t first = 0; first < table_.layout().rows(); first += block_rows()) {
    catch_up_block(first);
  }
  deferred_.clear();
}

std::size_t RowOptimizer::held() const {
  std::size_t numbers = 0;
  for (const auto& later : deferred_) numbers += later.noisy->held();
  return numbers;
}

void RowOptimizer::step(const mechanism::NoisyRows& noisy, double divisor) {
  if (!deferred_.empty()) throw base::InternalError("a step overtakes those that were put off");
  ++now_;
  const auto& layout = table_.layout();
  Mover mover(settings_, rate_of(now_), 1 / divisor);
  const auto numbers = noisy.cells();
  std::size_t at = 0;
  const auto step_row = [&](std::int64_t index) {
    const auto row = table_.change(index);
    rest(row, now_ - 1);
    mover.move_row(row, numbers.subspan(at, row.values.size()), now_);
    at += row.values.size();
    row.last_steps.front() = now_;
  };
  std::vector<double> released;
  const auto step_cells = [&](std::span<const std::int64_t> cells) {
    const auto index = layout.row_of_cell(cells[at]);
    const auto first = layout.first_cell(index);
    const auto row = table_.change(index);
    rest(row, now_ - 1);
    // As for a row without a chosen cell, except for the chosen cells.
    if (settings_.kind == adam_dense_zero) {
      released.assign(row.values.size(), 0);
      for (; at < cells.size() && cells[at] < first + layout.width(index); ++at) {
        released[static_cast<std::size_t>(cells[at] - first)] = numbers[at];
      }
      mover.move_row(row, released, now_);
    }
    for (std::size_t j = 0; settings_.kind != adam_dense_zero && j < row.values.size(); ++j) {
      if (at < cells.size() && cells[at] == first + static_cast<std::int64_t>(j)) {
        mover.move(row, j, mover.gradient(numbers[at++]), now_);
      } else if (moves_at_rest(settings_.kind)) {
        mover.move(row, j, 0, now_);
      }
    }
    row.last_steps.front() = now_;
  };
  if (const auto* rows = noisy.selection.rows()) {
    for (const auto row : *rows) step_row(row);
  } else if (const auto* cells = noisy.selection.cells()) {
    while (at < cells->size()) step_cells(*cells);
  } else {
    for (std::int64_t row = 0; row < layout.rows(); ++row) step_row(row);
  }
  // Few rows are read again before they have rested for long.
  const auto stored = table_.stored_rows();
  if (!moves_at_rest(settings_.kind) || std::ssize(stored) > settings_.eager_rows) return;
  for (const auto index : stored) {
    const auto row = table_.change(index);
    if (row.last_steps.front() == now_) continue;
    rest(row, now_ - 1);
    if (is_moving(row)) {
      mover.rest_row(row, now_);
      row.last_steps.front() = now_;
    } else {
      rest(row, now_);
    }
  }
}

}  // namespace tacet::learn
