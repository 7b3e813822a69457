#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/names.h"
#include "tacet/random/source/source.h"

/// The public part of stochastic gradient descent: which record is read at which step, how long
/// the steps are and how the iterates are weighed. Nothing here sees a record.
namespace tacet::optimize {

/// How records are chosen. The order may be published: output perturbation does not need it to be
/// secret (docs/proofs/output_perturbation.md, Theorem A).
enum class RecordOrder {
  permutation,        ///< passes over the records in an order that is drawn once
  fresh_permutation,  ///< a new order for each pass
  with_replacement,   ///< one uniform record a step
  minibatch           ///< a uniform subset a step
};
inline constexpr auto record_order_names =
    base::names<RecordOrder>({{RecordOrder::permutation, "permutation"},
                              {RecordOrder::fresh_permutation, "fresh_permutation"},
                              {RecordOrder::with_replacement, "with_replacement"},
                              {RecordOrder::minibatch, "minibatch"}});
[[nodiscard]] std::string to_string(RecordOrder sampling);

/// Steps 1..T take iterate w_t to w_{t+1}.
struct SgdSchedule {
  std::int64_t records = 0;
  std::int64_t batch = 1;             ///< records a step
  std::vector<std::uint32_t> order;   ///< `batch` record numbers a step, steps one after another
  std::vector<double> step_sizes{1};  ///< one for all steps, or one each
  double mean_l2 = 0;                 ///< proximal penalty: w <- (w - step g) / (1 + step l2)

  [[nodiscard]] std::int64_t steps() const {
    return static_cast<std::int64_t>(order.size()) / batch;
  }
  /// Step t = 1..T.
  [[nodiscard]] double step_size(std::int64_t t) const {
    return step_sizes.size() == 1 ? step_sizes[0] : step_sizes[static_cast<std::size_t>(t - 1)];
  }
  [[nodiscard]] double shrink(std::int64_t t) const {
    return mean_l2 == 0 ? 1 : 1 / (1 + step_size(t) * mean_l2);
  }

  /// UsageError for a schedule that makes no sense: no steps, a record out of range, steps that
  /// are not positive and finite, batches that do not divide the order.
  void validate() const;
};

/// `steps` steps of `batch` records each, out of `records`.
struct StepCounts {
  std::int64_t records;
  std::int64_t batch;
  std::int64_t steps;
};
/// The order of these steps. Permutations are cut into steps one after
/// another; a last batch of a pass that is not full is left out, so that each record occurs at most
/// once a pass. Of more than 65536 records, blocks of 128 neighbours are put into uniform order,
/// and so are the records of each block, so that rows are read from memory in stretches.
[[nodiscard]] std::vector<std::uint32_t> draw_order(RecordOrder sampling, const StepCounts& counts,
                                                    random::Source& source,
                                                    std::uint64_t address = 0);

/// Step sizes first / t^decay, t = 1..steps; one number where decay is 0.
[[nodiscard]] std::vector<double> decaying_steps(double first, double decay, std::int64_t steps);

/// Weights a_1..a_{T+1} of the iterates w_1..w_{T+1}: at least 0, their sum 1.
enum class Averaging {
  uniform,    ///< of w_1..w_T: the last update does not enter
  suffix,     ///< of the last share of them
  last,       ///< w_{T+1}
  polynomial  ///< of w_1..w_T, weights growing like t^power
};
inline constexpr auto averaging_names =
    base::names<Averaging>({{Averaging::suffix, "suffix"},
                            {Averaging::uniform, "uniform"},
                            {Averaging::last, "last"},
                            {Averaging::polynomial, "polynomial"}});
[[nodiscard]] std::string to_string(Averaging averaging);

struct IterateWeights {
  Averaging kind = Averaging::uniform;
  std::int64_t steps = 1;
  std::int64_t suffix = 1;  ///< how many of the last iterates
  std::int64_t power = 3;   ///< 0..8

  /// Weight of w_t, t = 1..steps+1.
  [[nodiscard]] double at(std::int64_t t) const;
};

}  // namespace tacet::optimize

namespace tacet::optimize::internal {

/// The steps at which each record is read, ascending; a record that a batch holds twice has its
/// step twice.
class Visits {
 public:
  explicit Visits(const SgdSchedule& schedule);
  [[nodiscard]] std::span<const std::uint32_t> of(std::int64_t record) const {
    const auto j = static_cast<std::size_t>(record);
    return std::span(steps_).subspan(starts_[j], starts_[j + 1] - starts_[j]);
  }
  [[nodiscard]] std::int64_t max() const { return max_; }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> steps_;
  std::int64_t max_ = 0;
};

}  // namespace tacet::optimize::internal
