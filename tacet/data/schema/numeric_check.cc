#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/schema_node.h"

// Checks the rules for numeric columns.
namespace tacet::data::internal {
namespace {

constexpr double largest_bound = 1e300;  // so that upper - lower is finite
// The number of periods between zero and a bound. With at most this many, the phase is exact to
// 1e-10.
constexpr double max_periods = 1e6;

struct NumericCheck {
  const NumericColumn& rule;
  std::string_view name;
  std::string_view where;

  void check() const {
    check_bounds(rule.lower, rule.upper, fmt::format("column '{}'", name), where);
    check_logarithm();
    check_middle();
    if (rule.standard) check_standard(*rule.standard);
    check_bins();
    check_period();
    if (rule.date) check_date();
    check_line();
    check_step();
  }

  template <typename... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> what, Values&&... values) const {
    fail_at(where, "column '{}': {}", name, fmt::format(what, std::forward<Values>(values)...));
  }

  void check_logarithm() const {
    if (!rule.log1p) return;
    if (!(rule.lower > -1)) fail("log1p needs lower above -1, got {}", rule.lower);
    // Otherwise values would be 0/0, and rows would contain NaN.
    constexpr double min_width = 1e-12;  // relative to the larger logarithm; far above its rounding
    const double top = std::log1p(rule.upper);
    const double bottom = std::log1p(rule.lower);
    if (!(top - bottom > min_width * std::max(std::fabs(top), std::fabs(bottom)))) {
      fail("log1p makes one number of lower = {} and upper = {}", rule.lower, rule.upper);
    }
  }

  void check_middle() const {
    if (rule.fill && !std::isfinite(*rule.fill)) fail("fill must be a finite number");
    if (rule.typical && !(*rule.typical >= rule.lower && *rule.typical <= rule.upper)) {
      fail("typical must lie within the bounds, got {}", *rule.typical);
    }
    if (rule.knots && *rule.knots != 0 && (*rule.knots < 2 || *rule.knots > max_knots)) {
      fail("knots must be 0 or 2 to {}, got {}", max_knots, *rule.knots);
    }
    if (rule.typical && rule.centre == false) {
      fail("give either typical or centre = false, not both");
    }
  }

  void check_standard(const Standard& standard) const {
    if (!(standard.mean >= -1 && standard.mean <= 1)) {
      fail("mean must be between -1 and 1, got {}", standard.mean);
    }
    // Numbers in [-1, 1] cannot have a larger standard deviation. A far smaller one would make this
    // column so long that row scaling would leave almost nothing of the others.
    if (!(standard.stddev >= 0.01 && standard.stddev <= 1)) {
      fail("standard_deviation must be between 0.01 and 1, got {}", standard.stddev);
    }
  }

  void check_bins() const {
    if (rule.bins != 0 && !rule.edges.empty()) fail("give either bins or edges, not both");
    if (rule.bins != 0 && (rule.bins < 2 || rule.bins > max_bins)) {
      fail("bins must be 2 to {}, got {}", max_bins, rule.bins);
    }
    if (std::ssize(rule.edges) >= max_bins) {
      fail("at most {} edges, got {}", max_bins - 1, rule.edges.size());
    }
    double last = rule.lower;
    for (const double edge : rule.edges) {
      if (!(edge > last && edge < rule.upper)) {
        fail("edges must ascend between lower and upper, which are edges anyway; {} does not",
             edge);
      }
      last = edge;
    }
    if (rule.bins_only && rule.bin_count() == 0) fail("bins_only needs bins or edges");
  }

  void check_period() const {
    if (!rule.period) return;
    if (!(std::isfinite(*rule.period) && *rule.period > 0)) {
      fail("period must be above 0, got {}", *rule.period);
    }
    const double farthest = std::max(std::abs(rule.lower), std::abs(rule.upper));
    if (!(farthest / *rule.period <= max_periods)) {
      fail("more than {} periods of {} between 0 and a bound", max_periods, *rule.period);
    }
    if (rule.log1p || rule.typical || rule.centre) {
      fail("sine and cosine of a period know no log1p, typical or centre");
    }
    if (rule.bins_only) fail("give either bins_only or period: each stands instead of the number");
  }

  void check_date() const {
    if (rule.log1p) fail("dates know no log1p");
    std::vector<double> days = rule.edges;
    days.insert(days.end(),
                {rule.lower, rule.upper, rule.fill.value_or(0), rule.typical.value_or(0)});
    for (const double day : days) {
      if (std::floor(day) == day && day >= first_day && day <= last_day) continue;
      fail("day {} is no date of the years 0 to 9999", day);
    }
  }

  /// Hat functions and released means belong to the number itself.
  void check_line() const {
    if (rule.line_count() == 1 || (rule.hat_functions() == 0 && !rule.standard)) return;
    fail("without the number itself (period, bins_only) a column has neither knots nor a mean");
  }

  void check_step() const {
    if (!rule.step) return;
    if (!(*rule.step > 0 && *rule.step <= rule.upper - rule.lower)) {
      fail("step must be above 0 and at most upper - lower = {}, got {}", rule.upper - rule.lower,
           *rule.step);
    }
    if (rule.log1p || rule.line_count() != 1 || rule.period) {
      fail("with log1p, period or bins_only a step has no effect of its own; leave step out");
    }
  }
};

}  // namespace

void check_bounds(double lower, double upper, std::string_view what, std::string_view where) {
  if (!(std::abs(lower) <= largest_bound) || !(std::abs(upper) <= largest_bound)) {
    fail_at(where, "{}: bounds must be finite numbers within 1e300", what);
  }
  if (!(lower < upper)) {
    fail_at(where, "{}: lower must be below upper, got lower = {} and upper = {}", what, lower,
            upper);
  }
}

void check_numeric(const NumericColumn& rule, const std::string& name, std::string_view where) {
  NumericCheck{rule, name, where}.check();
}

void check_constant(const Schema& schema, std::string_view where) {
  if (schema.constant > 0 && schema.constant <= 1) return;
  fail_at(where, "'constant' must be above 0 and at most 1, got {}", schema.constant);
}

}  // namespace tacet::data::internal
