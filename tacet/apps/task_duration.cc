#include "tacet/apps/task_duration.h"

#include <fmt/format.h>

#include <cmath>

#include "tacet/apps/describe.h"

namespace tacet::apps {
namespace {

std::string time_text(double seconds) {
  constexpr double minute = 60;
  constexpr double hour = 60 * minute;
  constexpr double day = 24 * hour;
  if (seconds < 2 * minute) return fmt::format("{:.0f} seconds", std::ceil(seconds));
  if (seconds < 2 * hour) return fmt::format("{:.0f} minutes", std::ceil(seconds / minute));
  if (seconds < 2 * day) return fmt::format("{:.0f} hours", std::ceil(seconds / hour));
  return fmt::format("{:.0f} days", std::ceil(seconds / day));
}

}  // namespace

std::string duration_text(const local::LocalPlan& plan, const local::TaskTerms& terms) {
  const auto slots = terms.slots == 0 ? local::default_slots(plan, terms.staleness) : terms.slots;
  return paragraph(
      fmt::format("Takes about {} if devices are always waiting: {} at a time, each of which waits "
                  "up to {:.4g} seconds before it sends (--slots, --delay of `tacet local task`).",
                  time_text(local::expected_seconds(plan, terms)), slots, terms.delay_seconds));
}

}  // namespace tacet::apps
