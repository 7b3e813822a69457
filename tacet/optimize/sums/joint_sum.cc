#include "tacet/optimize/sums/joint_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/kernels.h"
#include "tacet/numeric/pair_products.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

using privacy::Adjacency;
using Shorts = std::vector<std::int16_t>;

constexpr std::int64_t joint_block = 4096;  // what a worker takes at a time
constexpr std::size_t joint_tile = 128;
constexpr std::int64_t max_design_columns = 1024;
constexpr double coarse_units = std::int64_t{1} << coarse_bits;
constexpr double score_units = std::int64_t{1} << score_bits;
constexpr double squares_units = std::int64_t{1} << squares_bits;
// Integers of a whitening matrix or of coefficients: with features of at most 2^11 their products
// add up exactly in doubles.
constexpr double largest_sum = 0x1p42;
constexpr double slightly_up = numeric::up_ulps(4);  // of a few roundings
static_assert(coarse_units <= numeric::largest_paired && joint_tile <= numeric::max_paired_rows);

double residual_bound(const Response& response) {
  return response.mean == MeanModel::none || response.mean == MeanModel::logistic ? 1
                                                                                  : response.cut;
}

double curvature_bound(const Response& response) {
  if (response.mean == MeanModel::logistic) return 0.25;
  return response.mean == MeanModel::poisson ? response.curvature_bound : 1;
}

/// Rounds factor * z to integers whose squared norm is at most `limit`: to the nearest, or where
/// that is too long shortened and toward zero. Each is less than 1, and a rounding of the product,
/// from a multiple of z that is the same for all (docs/proofs/inference.md, lemma 1).
template <typename Integer>
void put_bounded(std::span<const double> z, double factor, std::int64_t limit,
                 std::span<Integer> out) {
  // Added and taken away, this rounds to the nearest even as nearbyint does, which is a call where
  // the processor is not known to round. Entries are at most 2^24, since |w z| is at most R.
  constexpr double whole = 0x1.8p52;
  std::int64_t squared = 0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const auto value = static_cast<std::int64_t>((factor * z[k] + whole) - whole);
    out[k] = static_cast<Integer>(value);
    squared += value * value;
  }
  if (squared <= limit) return;
  double square = 0;
  for (const double entry : z) square += entry * entry;
  const double shorter = std::sqrt(static_cast<double>(limit) / square) * numeric::amply_down;
  const double min = std::copysign(std::min(std::abs(factor), shorter), factor);
  squared = 0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const auto value = static_cast<std::int64_t>(min * z[k]);
    out[k] = static_cast<Integer>(value);
    squared += value * value;
  }
  // The proof needs this and nothing else of the lines above.
  if (squared > limit) std::ranges::fill(out, Integer{0});
}

/// The score's row in coarse units, whose square is the moment: to the nearest, or where that is
/// too long toward zero, which is no longer than the score.
void put_coarse(std::span<const std::int32_t> score, std::int64_t limit,
                std::span<std::int16_t> out) {
  constexpr int shift = score_bits - coarse_bits;
  std::int64_t squared = 0;
  for (std::size_t k = 0; k < score.size(); ++k) {
    const std::int64_t value = (std::int64_t{score[k]} + (1 << (shift - 1))) >> shift;
    out[k] = static_cast<std::int16_t>(value);
    squared += value * value;
  }
  if (squared <= limit) return;
  for (std::size_t k = 0; k < score.size(); ++k) {
    out[k] = static_cast<std::int16_t>(score[k] / (1 << shift));
  }
}

/// A record's square, at most 1 and no less than its score's: relative and weight are at most 1.
std::int64_t bounded_square(double relative, double weight, std::span<const std::int32_t> score) {
  std::int64_t squared = 0;
  for (const std::int64_t entry : score) squared += entry * entry;
  constexpr int shift = 2 * score_bits - squares_bits;
  const std::int64_t min = (squared + (std::int64_t{1} << shift) - 1) >> shift;
  return std::clamp(static_cast<std::int64_t>(weight * relative * relative * squares_units), min,
                    std::int64_t{1} << squares_bits);
}

struct JointShare {
  std::vector<std::int64_t> score;
  std::vector<std::int64_t> curvature;
  std::vector<std::int64_t> moment;
  std::int64_t squares = 0;
};

/// One worker's way from records to sums.
class JointWorker {
 public:
  JointWorker(const data::Dataset& dataset, const JointTask& task, Adjacency adjacency)
      : dataset_(dataset),
        task_(task),
        adjacency_(adjacency),
        rows_(dataset, task.design),
        columns_(static_cast<std::size_t>(task.columns())),
        stride_(numeric::pair_stride(columns_)),
        features_(joint_tile * columns_),
        whitened_(columns_ * joint_tile),
        words_(joint_tile / 2 * stride_, 0),
        score_(columns_),
        z_(columns_) {
    share_.score.resize(columns_, 0);
    const auto room = [&](std::int64_t part) {
      const auto step = numeric::panel_step;
      return part > 0 ? (columns_ + step - 1) / step * step * stride_ : 0;
    };
    share_.curvature.resize(room(task.shares.curvature), 0);
    share_.moment.resize(room(task.shares.moment), 0);
    curvature_.resize(task.shares.curvature > 0 ? features_.size() : 0);
    moment_.resize(task.shares.moment > 0 ? features_.size() : 0);
    for (std::size_t k = 0; k < columns_; ++k) {
      const Eigen::VectorXd row = task.whitening.row(static_cast<Eigen::Index>(k));
      whitening_.insert(whitening_.end(), row.begin(), row.end());
    }
  }

  void add(std::int64_t begin, std::int64_t end) {
    constexpr auto step = static_cast<std::int64_t>(joint_tile);
    for (std::int64_t tile = begin; tile < end; tile += step) {
      add_tile(tile, std::min(tile + step, end));
    }
  }
  [[nodiscard]] const JointShare& share() const { return share_; }

 private:
  void add_tile(std::int64_t begin, std::int64_t end) {
    const auto count = static_cast<std::size_t>(end - begin);
    std::array<const std::int16_t*, joint_tile> places;
    std::array<bool, joint_tile> complete{};
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = std::span(features_).subspan(i * columns_, columns_);
      complete[i] = rows_.read(begin + static_cast<std::int64_t>(i), row);
      places[i] = row.data();
    }
    const auto rows = std::span(places).first(count);
    for (std::size_t k = 0; k < columns_; ++k) {
      numeric::exact_dots(rows, std::span(whitening_).subspan(k * columns_, columns_),
                          std::span(whitened_).subspan(k * joint_tile, count));
    }
    std::array<double, joint_tile> predictors;
    numeric::exact_dots(rows, {task_.predictor.data(), columns_},
                        std::span(predictors).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < columns_; ++k) {
        z_[k] = task_.whitening_unit * whitened_[k * joint_tile + i];
      }
      const auto residual =
          complete[i]
              ? residual_of(task_.response, dataset_.label(begin + static_cast<std::int64_t>(i)),
                            task_.predictor_unit * predictors[i])
              : Residual{};
      add_record(i, residual);
    }
    add_squares(curvature_, count, share_.curvature);
    add_squares(moment_, count, share_.moment);
  }

  /// The record at place `i` of the tile, with z_ its whitened row.
  void add_record(std::size_t i, const Residual& residual) {
    const auto limits = record_limits(task_.shares, adjacency_, residual.value, residual.curvature);
    double square = 0;
    for (const double entry : z_) square += entry * entry;
    if (!std::isfinite(square)) std::ranges::fill(z_, square = 0);
    const double weight = square > task_.squared_reach ? task_.squared_reach / square : 1;
    const double reach = std::sqrt(task_.squared_reach);
    const double share = static_cast<double>(residual.value) / residual_units * weight / reach;
    put_bounded(std::span<const double>(z_), share * score_units, limits.score, std::span(score_));
    for (std::size_t k = 0; k < columns_; ++k) share_.score[k] += score_[k];
    const auto row_of = [&](Shorts& rows) {
      return std::span(rows).subspan(i * columns_, columns_);
    };
    if (!curvature_.empty()) {
      const double root =
          std::sqrt(static_cast<double>(residual.curvature) / residual_units * weight) / reach;
      put_bounded(std::span<const double>(z_), root * coarse_units, limits.curvature,
                  row_of(curvature_));
    }
    if (!moment_.empty()) {
      put_coarse(score_, limits.moment, row_of(moment_));
    }
    if (task_.shares.squares > 0) {
      const double relative = static_cast<double>(residual.value) / residual_units;
      share_.squares += bounded_square(relative, weight, score_);
    }
  }

  /// The rows of a tile times themselves.
  void add_squares(const Shorts& rows, std::size_t count, std::vector<std::int64_t>& sums) {
    if (rows.empty()) return;
    std::array<const std::int16_t*, joint_tile> places;
    for (std::size_t i = 0; i < count; ++i) places[i] = rows.data() + i * columns_;
    const auto used = std::span(words_).first((count + 1) / 2 * stride_);
    numeric::pair_rows(std::span(places).first(count), columns_, used, stride_);
    numeric::add_pair_products(used, stride_, {0, columns_, columns_}, sums);
  }

  const data::Dataset& dataset_;
  const JointTask& task_;
  Adjacency adjacency_;
  DesignRows rows_;
  std::size_t columns_;
  std::size_t stride_;
  Shorts features_;
  std::vector<double> whitening_;  // row by row
  std::vector<double> whitened_;   // a row of the tile's records a coordinate
  std::vector<std::uint32_t> words_;
  std::vector<std::int32_t> score_;
  Shorts curvature_;
  Shorts moment_;
  std::vector<double> z_;
  JointShare share_;
};

double longest_row(const Eigen::MatrixXd& integers) {
  return integers.size() == 0 ? 0 : integers.cwiseAbs().rowwise().sum().maxCoeff();
}

void check_task(const JointTask& task, Adjacency adjacency) {
  const auto columns = std::ssize(task.design.columns);
  if (columns < 1 || columns > max_design_columns) {
    throw base::UsageError("a regression needs 1 to {} columns, got {}", max_design_columns,
                           columns);
  }
  if (task.whitening.rows() != columns || task.whitening.cols() != columns ||
      task.predictor.size() != columns) {
    throw base::InternalError("a joint sum's matrix and predictor are not those of its design");
  }
  const auto whole = [](const auto& values) { return values == values.array().round().matrix(); };
  if (!whole(task.whitening) || !whole(task.predictor) ||
      !(longest_row(task.whitening) < largest_sum) ||
      !(task.predictor.cwiseAbs().sum() < largest_sum)) {
    throw base::InternalError("a joint sum's matrix and predictor must be integers below 2^42");
  }
  const auto& shares = task.shares;
  const bool positive =
      shares.score > 0 && shares.curvature >= 0 && shares.moment >= 0 && shares.squares >= 0;
  if (!positive || !within_joint_bound(shares, adjacency, residual_units, 0)) {
    throw base::UsageError("the shares of a joint release must be above 0 and leave room for it");
  }
  const auto above_0 = [](double value) { return std::isfinite(value) && value > 0; };
  if (!above_0(task.squared_reach) || !above_0(task.whitening_unit) ||
      !above_0(task.predictor_unit) || !above_0(residual_bound(task.response)) ||
      !above_0(curvature_bound(task.response))) {
    throw base::UsageError("the bounds of a joint release must be above 0");
  }
  const double cut = task.response.cut;
  if (task.response.mean == MeanModel::poisson &&
      (cut != std::round(cut) || cut > static_cast<double>(max_count_cut))) {
    throw base::UsageError("counts are cut at a whole number of at most {}, got {}", max_count_cut,
                           cut);
  }
}

/// Integer bounds of the blocks over the roots of their shares.
class BlockScales {
 public:
  BlockScales(const JointShares& shares, Adjacency adjacency, std::int64_t columns)
      : shares_(shares), factor_(rounding_allowance(shares, adjacency, columns) * slightly_up) {}

  [[nodiscard]] double score() const { return of(score_units, shares_.score); }
  [[nodiscard]] double curvature() const {
    return of(coarse_units * coarse_units, shares_.curvature);
  }
  [[nodiscard]] double moment() const { return of(coarse_units * coarse_units, shares_.moment); }
  [[nodiscard]] double squares() const { return of(squares_units, shares_.squares); }

 private:
  /// 0 where nothing is released.
  [[nodiscard]] double of(double bound, std::int64_t share) const {
    return share > 0 ? bound / std::sqrt(JointShares::real(share)) * factor_ : 0;
  }

  const JointShares& shares_;
  double factor_;
};

void put_triangle(std::span<const std::int64_t> sums, std::size_t columns,
                  std::span<std::int64_t>& values) {
  if (sums.empty()) return;
  const std::size_t stride = numeric::pair_stride(columns);
  std::size_t beside = columns;
  for (std::size_t i = 0; i < columns; ++i) {
    values[i] += sums[i * stride + i];
    for (std::size_t j = i + 1; j < columns; ++j) values[beside++] += sums[i * stride + j];
  }
  values = values.subspan(beside);
}

std::size_t triangle(std::int64_t columns) {
  return static_cast<std::size_t>(columns * (columns + 1) / 2);
}

Eigen::MatrixXd symmetric(std::span<const double> values, Eigen::Index columns, double real) {
  Eigen::MatrixXd matrix(columns, columns);
  auto beside = static_cast<std::size_t>(columns);
  for (Eigen::Index i = 0; i < columns; ++i) {
    matrix(i, i) = real * values[static_cast<std::size_t>(i)];
    for (Eigen::Index j = i + 1; j < columns; ++j) {
      matrix(i, j) = matrix(j, i) = real * values[beside++];
    }
  }
  return matrix;
}

}  // namespace

std::int64_t JointTask::values() const {
  const auto square = static_cast<std::int64_t>(triangle(columns()));
  return columns() + (shares.curvature > 0 ? square : 0) + (shares.moment > 0 ? square : 0) +
         (shares.squares > 0 ? 1 : 0);
}

std::int64_t JointTask::blocks() const {
  const std::int64_t each = columns() > 1 ? 2 : 1;
  return 1 + (shares.curvature > 0 ? each : 0) + (shares.moment > 0 ? each : 0) +
         (shares.squares > 0 ? 1 : 0);
}

PublicIntegers public_integers(const Eigen::MatrixXd& values) {
  // The largest of several numbers may leave out one that is none.
  if (!values.allFinite()) throw base::NumericError("a released matrix is not finite");
  const double largest = values.size() == 0 ? 0 : values.cwiseAbs().maxCoeff();
  // A power of two, so that the rounded values are those that are used, exactly; and found without
  // logarithms, which differ among machines.
  int exponent = 30;
  if (largest > 0) static_cast<void>(std::frexp(largest, &exponent));
  const double step = std::ldexp(1.0, exponent - 30);
  return {.integers = (values / step).array().round().matrix(), .unit = step};
}

privacy::WeightedSum joint_sum(const data::Dataset& dataset, const JointTask& task,
                               Adjacency adjacency, base::ThreadPool& threads) {
  check_task(task, adjacency);
  std::vector<std::optional<JointWorker>> workers(static_cast<std::size_t>(threads.size()));
  threads.for_blocks(dataset.rows(), joint_block,
                     [&](int worker, std::int64_t begin, std::int64_t end) {
                       auto& own = workers[static_cast<std::size_t>(worker)];
                       if (!own) own.emplace(dataset, task, adjacency);
                       own->add(begin, end);
                     });
  std::vector<std::int64_t> values(static_cast<std::size_t>(task.values()), 0);
  const auto columns = static_cast<std::size_t>(task.columns());
  for (const auto& own : workers) {
    if (!own) continue;
    const auto& share = own->share();
    for (std::size_t k = 0; k < columns; ++k) values[k] += share.score[k];
    auto rest = std::span(values).subspan(columns);
    put_triangle(share.curvature, columns, rest);
    put_triangle(share.moment, columns, rest);
    if (task.shares.squares > 0) rest[0] += share.squares;
  }
  const BlockScales scales(task.shares, adjacency, task.columns());
  std::vector<privacy::WeightedSum::Block> blocks{{columns, scales.score()}};
  for (const double diagonal : {scales.curvature(), scales.moment()}) {
    if (diagonal == 0) continue;
    blocks.push_back({columns, diagonal});
    // The entries beside the diagonal stand once and count twice: docs/proofs/gram.md, section 1.
    if (columns > 1)
      blocks.push_back(
          {triangle(task.columns()) - columns, diagonal * std::sqrt(.5) * slightly_up});
  }
  if (task.shares.squares > 0) blocks.push_back({1, scales.squares()});
  return privacy::WeightedSum::from_certified(privacy::Certifier::clipped(), std::move(values), 1,
                                              std::move(blocks), adjacency);
}

namespace {

/// Real values of one unit of each block.
JointNoise joint_units(const JointTask& task) {
  const double cut = residual_bound(task.response);
  const double square = task.squared_reach;
  constexpr double coarse = coarse_units * coarse_units;
  return {.score = std::sqrt(square) * cut / score_units,
          .curvature = square * curvature_bound(task.response) / coarse,
          .moment = square * cut * cut / coarse,
          .squares = cut * cut / squares_units};
}

}  // namespace

JointRelease joint_release(const std::vector<double>& released, const JointTask& task) {
  const auto columns = static_cast<std::size_t>(task.columns());
  const auto units = joint_units(task);
  std::span<const double> rest(released);
  JointRelease parts;
  parts.score = Eigen::Map<const Eigen::VectorXd>(rest.data(), task.columns()) * units.score;
  rest = rest.subspan(columns);
  if (task.shares.curvature > 0) {
    parts.curvature = symmetric(rest, task.columns(), units.curvature);
    rest = rest.subspan(triangle(task.columns()));
  }
  if (task.shares.moment > 0) {
    parts.moment = symmetric(rest, task.columns(), units.moment);
    rest = rest.subspan(triangle(task.columns()));
  }
  if (task.shares.squares > 0) parts.squares = rest[0] * units.squares;
  return parts;
}

JointNoise joint_noise(const JointTask& task, Adjacency adjacency) {
  const auto units = joint_units(task);
  const BlockScales scales(task.shares, adjacency, task.columns());
  return {.score = units.score * scales.score(),
          .curvature = units.curvature * scales.curvature(),
          .moment = units.moment * scales.moment(),
          .squares = units.squares * scales.squares()};
}

double largest_joint_multiplier(const JointShares& shares, Adjacency adjacency,
                                std::int64_t columns) {
  const BlockScales scales(shares, adjacency, columns);
  const double largest =
      std::max({scales.score(), scales.curvature(), scales.moment(), scales.squares()});
  return 0x1p32 / largest * numeric::amply_down;
}

}  // namespace tacet::optimize
