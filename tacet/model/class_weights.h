#pragma once

#include <cstddef>
#include <vector>

#include "tacet/data/schema/schema.h"

namespace tacet::model {

/// Public weights of records by their class: the given weights divided by the largest one, so that
/// each is in (0, 1]. A weighted loss is convex and has all bounds of the loss itself
/// (docs/proofs/class_weights.md).
class ClassWeights {
 public:
  /// smallest weight that may be given
  static constexpr double min = data::Target::min_class_weight;
  static constexpr double max = data::Target::max_class_weight;

  /// All 1.
  ClassWeights() = default;
  /// One a class, by its index: {negative, positive} for two. UsageError for fewer than two, or one
  /// outside of [min, max].
  explicit ClassWeights(std::vector<double> given);

  [[nodiscard]] bool uniform() const { return of_class_.empty(); }
  /// One a class, the largest 1; empty: all 1.
  [[nodiscard]] const std::vector<double>& of_classes() const { return of_class_; }
  /// The weight of this label: -1 or +1 for two classes, else the index of the class.
  [[nodiscard]] double of(double label) const {
    if (of_class_.empty()) return 1;
    if (of_class_.size() == 2) return of_class_[label > 0 ? 1 : 0];
    return of_class_[static_cast<std::size_t>(label)];
  }

 private:
  std::vector<double> of_class_;  // empty: all 1
};

}  // namespace tacet::model
