#include "tacet/report/rates.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::report {

using nlohmann::ordered_json;

std::vector<learn::RateProblem> rate_problems(const learn::RateProblem& common,
                                              const RateLists& lists,
                                              const base::CancelToken* cancel) {
  constexpr std::size_t max_lines = 100000;
  std::vector<learn::RateProblem> found{common};
  for (std::size_t at = 0; at < rate_dimensions.size(); ++at) {
    if (cancel != nullptr) cancel->throw_if_cancelled();
    const auto& [name, field] = rate_dimensions.at(at);
    const auto& values = lists.at(at);
    if (values.empty()) {
      if (name != "rank") continue;
      for (auto& problem : found) problem.rank = problem.columns;
      continue;
    }
    if (found.size() * values.size() > max_lines) {
      throw base::UsageError("the lists make more than {} lines; give shorter ones", max_lines);
    }
    std::vector<learn::RateProblem> more;
    for (const auto& problem : found) {
      for (const double value : values) {
        more.push_back(problem);
        more.back().*field = value;
      }
    }
    found = std::move(more);
  }
  return found;
}

std::vector<RateLine> rate_lines(const std::vector<learn::RateProblem>& problems) {
  std::vector<RateLine> lines;
  for (const auto& problem : problems) {
    lines.push_back({problem, learn::smooth_rates(problem), learn::lipschitz_rates(problem)});
  }
  return lines;
}

ordered_json rates_json(const std::vector<RateLine>& lines) {
  auto out = ordered_json::array();
  for (const auto& line : lines) {
    ordered_json row;
    for (const auto& [name, field] : rate_dimensions) row[std::string(name)] = line.problem.*field;
    for (const auto& [name, bounds] :
         {std::pair{"smooth", line.smooth}, std::pair{"lipschitz", line.lipschitz}}) {
      row[name] = {{"lower", bounds.lower},
                   {"upper_known_norm", bounds.known_norm},
                   {"upper_unknown_norm", bounds.unknown_norm}};
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace tacet::report
