#pragma once

#include <string>

#include "tacet/apps/options.h"
#include "tacet/model/linear_model.h"

namespace tacet::apps {

/// The option --threshold of commands that predict classes. It is public: chosen, never fitted.
class ThresholdOption {
 public:
  void declare(Options& options);
  /// The margin above which the second of two classes is predicted: 0 where none was given.
  /// UsageError for a model without probabilities of two classes.
  [[nodiscard]] double margin(const model::LinearModel& model) const;

 private:
  std::string text_;
};

}  // namespace tacet::apps
