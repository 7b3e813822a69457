#include "tacet/apps/threshold.h"

#include "tacet/apps/command.h"

namespace tacet::apps {

void ThresholdOption::declare(Options& options) {
  options.add("--threshold", text_, "NUMBER",
              "Of two classes predict the positive one above this probability [default: 0.5]");
}

double ThresholdOption::margin(const model::LinearModel& model) const {
  if (text_.empty()) return 0;
  return model::margin_of_probability(
      model, number_option("--threshold", text_, "a number between 0 and 1"));
}

}  // namespace tacet::apps
