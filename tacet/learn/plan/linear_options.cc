#include "tacet/learn/plan/linear_options.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

[[noreturn]] void refuse(std::string_view name, double given, std::string_view allowed) {
  throw base::UsageError(fmt::format("{} must be {}, got {}", name, allowed, given));
}

std::optional<double> real_within(const ParameterValues& values, std::string_view name,
                                  bool (*holds)(double), std::string_view allowed) {
  const auto value = values.real(name);
  if (value && !holds(*value)) refuse(name, *value, allowed);
  return value;
}

std::optional<std::int64_t> integer_within(const ParameterValues& values, std::string_view name,
                                           std::int64_t lowest, std::int64_t highest) {
  const auto value = values.integer(name);
  if (value && (*value < lowest || *value > highest)) {
    throw base::UsageError(
        fmt::format("{} must be {} to {}, got {}", name, lowest, highest, *value));
  }
  return value;
}

// Generous, and narrow enough that no computation leaves the range of doubles.
bool positive(double value) { return value >= 1e-9 && value <= 1e9; }
constexpr std::string_view positive_range = "1e-9 to 1e9";

std::optional<model::Loss> loss_of(const ParameterValues& values) {
  const auto name = values.text("loss");
  const auto parameter = values.real("loss-parameter");
  const auto width = values.real("loss-width");
  if (!name) {
    if (parameter || width) {
      throw base::UsageError(fmt::format("{} needs a loss that has one; add --loss",
                                         parameter ? "loss-parameter" : "loss-width"));
    }
    return std::nullopt;
  }
  constexpr double usual = std::numeric_limits<double>::quiet_NaN();
  return model::make_loss(*name, parameter.value_or(usual), width.value_or(usual));
}

std::optional<Averaging> averaging_of(const ParameterValues& values) {
  const auto name = values.text("averaging");
  if (!name) return std::nullopt;
  for (const auto kind :
       {Averaging::suffix, Averaging::uniform, Averaging::last, Averaging::polynomial}) {
    if (*name == to_string(kind)) return kind;
  }
  throw base::UsageError(
      fmt::format("averaging must be suffix, uniform, last or polynomial, got '{}'", *name));
}

// Whether a word of two is the first; so it is when none is given.
bool first_of(const ParameterValues& values, std::string_view name, std::string_view first,
              std::string_view second) {
  const auto word = values.text(name).value_or(std::string(first));
  if (word == first) return true;
  if (word == second) return false;
  throw base::UsageError(fmt::format("{} must be {} or {}, got '{}'", name, first, second, word));
}

}  // namespace

std::string to_string(Averaging averaging) {
  switch (averaging) {
    case Averaging::suffix:
      return "suffix";
    case Averaging::uniform:
      return "uniform";
    case Averaging::last:
      return "last";
    case Averaging::polynomial:
      return "polynomial";
  }
  throw base::InternalError("unknown kind of averaging");
}

LinearOptions linear_options(const ParameterValues& values, privacy::Adjacency adjacency) {
  LinearOptions options;
  options.method = values.text("method").value_or(options.method);
  const auto epsilon = values.real("epsilon");
  if (!epsilon) {
    throw base::UsageError(
        "epsilon is missing; give --epsilon (1 is usual; inf trains without protection)");
  }
  if (!(*epsilon > 0)) refuse("epsilon", *epsilon, "above 0, or inf for no protection");
  if (*epsilon > 1e4 && !std::isinf(*epsilon)) {
    refuse("epsilon", *epsilon, "at most 10000, or inf for no protection");
  }
  options.epsilon = *epsilon;
  options.delta = real_within(
      values, "delta", [](double d) { return d >= 0 && d < 1; }, "below 1, and above 0 or 0");
  options.adjacency = adjacency;
  if (const auto name = values.text("adjacency")) {
    options.adjacency = privacy::parse_adjacency(*name);
  }
  options.public_row_count = integer_within(values, "public-row-count", 1, std::int64_t{1} << 32);
  options.loss = loss_of(values);
  options.steps = integer_within(values, "steps", 1, 1000000000);
  options.step_size = real_within(values, "step-size", positive, positive_range);
  options.momentum = real_within(
      values, "momentum", [](double m) { return m >= 0 && m <= 0.9999; }, "0 to 0.9999");
  options.clipping_norm = real_within(values, "clipping-norm", positive, positive_range);
  options.average = real_within(
      values, "average", [](double a) { return a >= 0 && a <= 1; }, "0 to 1");
  options.averaging = averaging_of(values);
  options.batch_size = integer_within(values, "batch-size", 1, std::int64_t{1} << 32);
  options.l2 = real_within(
                   values, "l2", [](double l) { return l >= 0 && l <= 1e9; }, "0 to 1e9")
                   .value_or(0);
  options.sampling = values.text("sampling");
  options.order_seed =
      integer_within(values, "order-seed", 0, std::numeric_limits<std::int64_t>::max());
  options.step_decay =
      real_within(
          values, "step-decay", [](double d) { return d >= 0 && d <= 1; }, "0 to 1")
          .value_or(0);
  options.smoothing = first_of(values, "smoothing", "auto", "off");
  options.weight_scale = real_within(values, "weight-scale", positive, positive_range);
  options.phases = integer_within(values, "phases", 1, 64);
  options.paper = !first_of(values, "calibration", "tight", "paper");
  options.radius = real_within(values, "radius", positive, positive_range);
  options.growth = real_within(
      values, "growth", [](double g) { return g > 1 && g <= 100; }, "above 1 to 100");
  options.reuse = first_of(values, "record-use", "reuse", "disjoint");
  options.records_a_unit =
      integer_within(values, "records-a-unit", 1, std::int64_t{1} << 20).value_or(1);
  return options;
}

double default_delta(std::int64_t row_count) {
  const double bound = std::pow(static_cast<double>(row_count), -1.1);
  int exponent = -1;
  // Parsing the decimal text gives the double nearest to the power of ten, which pow may miss.
  while (std::stod(fmt::format("1e{}", exponent)) >= bound) --exponent;
  return std::stod(fmt::format("1e{}", exponent));
}

}  // namespace tacet::learn
