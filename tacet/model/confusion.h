#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Figures of a classifier that follow from its confusion matrix alone. Each one is a ratio of two
/// sums of cells. So exact counts give it exactly, and noisy counts give it with the noise of both
/// sums.
namespace tacet::model {

/// The index of a cell in a matrix of k classes, row by row.
[[nodiscard]] constexpr std::size_t cell_of(std::int64_t actual, std::int64_t predicted,
                                            std::int64_t classes) {
  return static_cast<std::size_t>(actual * classes + predicted);
}

/// (sum of upper[i] * cell i) / (sum of lower[i] * cell i).
struct CountRatio {
  std::string name;
  std::vector<double> upper;
  std::vector<double> lower;
};

/// The share of records on the diagonal.
[[nodiscard]] CountRatio accuracy_ratio(std::int64_t classes);

/// One class against the rest, in this order: sensitivity (the share of the class's records that
/// are predicted as it), specificity (of the rest that are not), precision (of those predicted as
/// it that are), and f1, the harmonic mean of precision and sensitivity. For two classes `of` is
/// usually the second one, the positive class.
[[nodiscard]] std::vector<CountRatio> class_ratios(std::int64_t classes, std::int64_t of);

/// Absent if the lower sum is not above 0.
[[nodiscard]] std::optional<double> ratio_of(const CountRatio& ratio,
                                             std::span<const double> cells);

/// Counts of records by actual and predicted class, row by row. UsageError for spans of unequal
/// length.
[[nodiscard]] std::vector<double> confusion_counts(std::span<const std::int64_t> actual,
                                                   std::span<const std::int64_t> predicted,
                                                   std::int64_t classes);

}  // namespace tacet::model
