#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacet/base/names.h"
#include "tacet/learn/rows/row_table.h"
#include "tacet/mechanism/noise/lazy_rows.h"
#include "tacet/mechanism/noise/row_gaussian.h"

namespace tacet::learn {

/// How a released step moves the rows. All of it is post-processing: an optimizer sees only public
/// values, the choice and the noisy sum, so none costs privacy.
enum class RowOptimizerKind {
  sgd,
  momentum,  ///< heavy ball; numbers that are not chosen go on moving
  adagrad,   ///< Duchi, Hazan, Singer (2011)
  adam,      ///< Kingma, Ba (2015), with moments and counts of chosen numbers only
  /// the same as in dense frameworks: numbers that are not chosen have gradient 0, so their
  /// moments fall and they go on moving
  adam_dense_zero
};
inline constexpr auto row_optimizer_names =
    base::names<RowOptimizerKind>({{RowOptimizerKind::sgd, "sgd"},
                                   {RowOptimizerKind::momentum, "momentum"},
                                   {RowOptimizerKind::adagrad, "adagrad"},
                                   {RowOptimizerKind::adam, "adam"},
                                   {RowOptimizerKind::adam_dense_zero, "adam_dense_zero"}});

struct RowOptimizerSettings {
  RowOptimizerKind kind = RowOptimizerKind::sgd;
  double step_size = 0.1;
  double momentum = 0.9;        ///< decay of momentum, and the first decay of Adam
  double second_decay = 0.999;  ///< of Adam's squares
  double stabiliser = 1e-8;     ///< added to the root in Adagrad and Adam
  /// number of steps in which the step size falls linearly to 0; 0: it stays constant
  std::int64_t fall = 0;
  /// Up to this number of stored rows, all move in every step. With more, a row moves when it is
  /// read.
  std::int64_t eager_rows = 4096;
};

/// The same rule if every number moves in every step. Both kinds of Adam are then equal, and this
/// returns the one that counts no moves.
[[nodiscard]] RowOptimizerSettings in_every_step(RowOptimizerSettings settings);

/// Moves the rows of a table by released sums.
///
/// If many rows are stored, a row that was not chosen is left alone until it is chosen. Then it
/// makes the missed moves, by the same operations in the same order. So the numbers have the same
/// bits as if all stored rows moved in every step.
class RowOptimizer {
 public:
  RowOptimizer(const privacy::RowLayout& layout, RowStart start,
               const RowOptimizerSettings& settings);

  /// One step along the noisy sum over `divisor`, a public number: the expected size of the sample.
  void step(const mechanism::NoisyRows& noisy, double divisor);

  /// A step on all rows, whose noise is drawn one block of rows at a time; the bits are the same.
  void step(const mechanism::LazyRows& noisy, double divisor);

  /// Defers a step over all rows: each row makes it when it is caught up, with the same words of
  /// the keystream block. So the numbers have the bits of step(). It saves memory traffic, but no
  /// draws, if a sample touches few rows of a table. After the first deferred step all steps are
  /// deferred.
  void defer(std::unique_ptr<const mechanism::LazyRows> noisy, double divisor);
  /// Brings the blocks of these rows up to date. Rows may be read then, and no others.
  void catch_up(std::span<const std::int64_t> rows);
  /// Catches up all rows, and forgets the deferred steps.
  void catch_up();
  /// Numbers of touched rows that steps hold which were put off.
  [[nodiscard]] std::size_t held() const;

  /// Rows that are drawn and caught up together.
  [[nodiscard]] std::int64_t block_rows() const;

  /// A row in its current state, stored or not; it may be in `room`, which must have room_size()
  /// numbers. For several threads at once. InternalError for a row that was not caught up.
  [[nodiscard]] std::span<const float> read(std::int64_t row, std::span<float> room) const;
  [[nodiscard]] std::size_t room_size() const;

  [[nodiscard]] const RowTable& table() const { return table_; }

 private:
  /// How rows move in a step.
  struct Along {
    double divisor;
    std::int64_t step;
  };
  [[nodiscard]] double rate_of(std::int64_t step) const;
  void rest(const RowTable::Rows& row, std::int64_t to) const;
  void move_rows(mechanism::LazyRows::Reading& noisy, std::int64_t first, std::int64_t count,
                 const Along& along);
  void catch_up_block(std::int64_t first);

  /// A step that rows have not made yet.
  struct Deferred {
    std::unique_ptr<const mechanism::LazyRows> noisy;
    double divisor;
    std::int64_t step;
  };

  RowOptimizerSettings settings_;
  RowTable table_;
  std::int64_t now_ = 0;  // steps so far
  std::vector<Deferred> deferred_;
};

}  // namespace tacet::learn
