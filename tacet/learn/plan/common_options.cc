#include "tacet/learn/plan/common_options.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

constexpr std::array common_bindings{
    bind<&CommonOptions::method>("method"),
    bind<&CommonOptions::delta>("delta"),
    bind<&CommonOptions::adjacency>("adjacency",
                                    [](const std::string& text, CommonOptions& options) {
                                      options.adjacency = privacy::parse_adjacency(text);
                                    }),
    bind<&CommonOptions::public_row_count>("public-row-count"),
};

// The loss is read together with its numbers. `boost` and `radius auto` belong to choices among
// runs.
constexpr std::array<std::string_view, 11> read_by_all{
    "epsilon",          "delta", "adjacency", "loss", "loss-parameter", "loss-width", "method",
    "public-row-count", "model", "threads",   "boost"};

}  // namespace

void read_common(const ParameterValues& values, CommonOptions& options) {
  options.epsilon = checked_epsilon(values.all());
  if (!values.given("adjacency")) {
    throw base::UsageError(
        "adjacency is missing: add_remove, zero_out or replace_one says which data sets the "
        "guarantee makes indistinguishable");
  }
  read_bound(common_bindings, values.all(), options);
  options.loss = values.loss();
}

CommonOptions common_options(const ParameterValues& values) {
  return read_options<CommonOptions, calibration_bindings>(values);
}

std::span<const std::string_view> common_names() { return read_by_all; }

double default_delta(std::int64_t row_count) {
  const double bound = std::pow(static_cast<double>(row_count), -1.1);
  int exponent = -1;
  // Parsing the decimal text gives the double nearest to the power of ten, which pow may miss.
  while (std::stod(fmt::format("1e{}", exponent)) >= bound) --exponent;
  return std::stod(fmt::format("1e{}", exponent));
}

}  // namespace tacet::learn
