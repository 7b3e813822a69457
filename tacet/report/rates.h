#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/learn/theory/rates.h"

namespace tacet::report {

/// One of the numbers that a table of rates goes through, and where a problem has it.
struct RateDimension {
  std::string_view name;
  double learn::RateProblem::*field;
};
inline constexpr std::array rate_dimensions{RateDimension{"rows", &learn::RateProblem::rows},
                                            RateDimension{"columns", &learn::RateProblem::columns},
                                            RateDimension{"rank", &learn::RateProblem::rank},
                                            RateDimension{"radius", &learn::RateProblem::radius},
                                            RateDimension{"epsilon", &learn::RateProblem::epsilon}};

/// Values of each dimension; an empty list is what the common problem has, full rank for the rank.
using RateLists = std::array<std::vector<double>, rate_dimensions.size()>;

/// Every combination. UsageError for more than 100,000 of them.
[[nodiscard]] std::vector<learn::RateProblem> rate_problems(const learn::RateProblem& common,
                                                            const RateLists& lists,
                                                            const base::CancelToken* cancel);

struct RateLine {
  learn::RateProblem problem;
  learn::RateBounds smooth;
  learn::RateBounds lipschitz;
};
[[nodiscard]] std::vector<RateLine> rate_lines(const std::vector<learn::RateProblem>& problems);
[[nodiscard]] nlohmann::ordered_json rates_json(const std::vector<RateLine>& lines);

}  // namespace tacet::report
