#include "tacet/model/confusion.h"

#include <functional>
#include <numeric>

#include "tacet/base/error.h"

namespace tacet::model {
namespace {

/// 1, or another weight, for each cell (actual, predicted).
std::vector<double> weights(std::int64_t classes,
                            const std::function<double(std::int64_t, std::int64_t)>& of) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(classes * classes));
  for (std::int64_t actual = 0; actual < classes; ++actual) {
    for (std::int64_t predicted = 0; predicted < classes; ++predicted) {
      out.push_back(of(actual, predicted));
    }
  }
  return out;
}

}  // namespace

CountRatio accuracy_ratio(std::int64_t classes) {
  return {"accuracy", weights(classes, [](auto a, auto p) { return a == p ? 1.0 : 0.0; }),
          weights(classes, [](auto, auto) { return 1.0; })};
}

std::vector<CountRatio> class_ratios(std::int64_t classes, std::int64_t of) {
  const auto where = [&](const auto& holds) {
    return weights(classes, [&](auto actual, auto predicted) {
      return holds(actual == of, predicted == of) ? 1.0 : 0.0;
    });
  };
  const auto hits = where([](bool is, bool said) { return is && said; });
  // 2 hits / (2 hits + misses + false alarms): each record of the class and each prediction of it.
  auto twice = hits;
  for (auto& weight : twice) weight *= 2;
  const auto either = weights(classes, [&](auto actual, auto predicted) {
    return (actual == of ? 1.0 : 0.0) + (predicted == of ? 1.0 : 0.0);
  });
  return {{"sensitivity", hits, where([](bool is, bool) { return is; })},
          {"specificity", where([](bool is, bool said) { return !is && !said; }),
           where([](bool is, bool) { return !is; })},
          {"precision", hits, where([](bool, bool said) { return said; })},
          {"f1", twice, either}};
}

std::optional<double> ratio_of(const CountRatio& ratio, std::span<const double> cells) {
  const double lower = std::inner_product(cells.begin(), cells.end(), ratio.lower.begin(), 0.0);
  if (!(lower > 0)) return std::nullopt;
  return std::inner_product(cells.begin(), cells.end(), ratio.upper.begin(), 0.0) / lower;
}

std::vector<double> confusion_counts(std::span<const std::int64_t> actual,
                                     std::span<const std::int64_t> predicted,
                                     std::int64_t classes) {
  if (actual.size() != predicted.size()) {
    throw base::UsageError(
        "a confusion matrix needs as many predictions as outcomes; got {} and {}", predicted.size(),
        actual.size());
  }
  std::vector<double> cells(static_cast<std::size_t>(classes * classes), 0.0);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    cells[cell_of(actual[i], predicted[i], classes)] += 1;
  }
  return cells;
}

}  // namespace tacet::model
