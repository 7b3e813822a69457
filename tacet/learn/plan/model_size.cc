#include "tacet/learn/plan/model_size.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"

namespace tacet::learn {
namespace {

constexpr double many_weights = 0x1p24;
// A double with noise in its last bits has 16 or 17 digits; a sign, a point and a comma are added.
constexpr double digits_written = 17;

// How many numbers of 8 bytes there are for each weight, about.
struct WeightCost {
  // doubles per weight in memory at once, beside the records; for a minimiser with its history
  int held = 50;
  // numbers per weight in the model's file: the weight and, if it is known, its noise
  int written = 1;
};

WeightCost cost_of(const Training& training) {
  if (training.unprotected()) return {};
  if (training.method == "gradient") return {.held = 6, .written = 2};
  if (training.method == "output" || training.method == "phased") return {.held = 6};
  return {};
}

// Kept columns are few, and how many is not known before their release.
bool keeps_columns(const Training& training) {
  return std::ranges::any_of(training.settings, [](const Setting& setting) {
    return setting.name == "feature_selection_noise_multiplier";
  });
}

std::string in_gib(double bytes) { return fmt::format("{:.3g} GiB", bytes / 0x1p30); }

}  // namespace

void check_model_size(Training& training, std::int64_t available) {
  const double weights =
      static_cast<double>(training.columns) * static_cast<double>(training.outputs);
  // Wide models have vectors of ids instead of a weight per column; their plan checks the size.
  if (training.method == "wide") return;
  if (weights < many_weights || keeps_columns(training)) return;
  const auto cost = cost_of(training);
  const double held = weights * cost.held * sizeof(double);
  const double written = weights * cost.written * digits_written;
  constexpr std::string_view way_out =
      "read the columns through a random projection (`projection=countsketch`), or find out first "
      "which are worth having (`feature_selection=auto`)";
  if (held > static_cast<double>(available)) {
    throw base::UsageError(
        "{:.0f} weights take {} of memory beside the records, and there are {}; {}", weights,
        in_gib(held), in_gib(static_cast<double>(available)), way_out);
  }
  if (written > static_cast<double>(base::limits::model_bytes)) {
    throw base::UsageError(
        "the model of {:.0f} weights would be a file of {} or more, and one of more than {} is not "
        "read again; {}",
        weights, in_gib(written), in_gib(static_cast<double>(base::limits::model_bytes)), way_out);
  }
  training.reasons.add(
      "{:.0f} weights take {} of memory beside the records; where each step draws noise for all of "
      "them, that takes most of its time: `projection` and `feature_selection` leave fewer",
      weights, in_gib(held));
}

}  // namespace tacet::learn
