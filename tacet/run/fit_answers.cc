#include "tacet/run/fit_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/data/schema/calendar.h"

namespace tacet::run::internal {

std::string why_no_target(const std::string& target, const mechanism::KindCounts& counts,
                          double need) {
  const auto numbers = std::max<std::int64_t>(counts.numbers, 0);
  const auto texts = std::max<std::int64_t>(counts.codes + counts.prose, 0);
  if (texts > numbers) {
    return fmt::format(
        "The schema has no target: column '{}' holds about {} texts and {} numbers. If it has "
        "classes, say so with `positive` or `class`; if its numbers are spelt in another way, with "
        "`decimal`, `thousands` or `symbol`.",
        target, texts, numbers);
  }
  return fmt::format(
      "The schema has no target: column '{}' holds about {} numbers, and this budget needs {:.0f} "
      "for bounds. Write [target] with public bounds, or fit with a larger epsilon.",
      target, numbers, std::ceil(need));
}

data::NumericColumn numbers_between(const mechanism::Bounds& found, bool dates) {
  if (!dates) return {.lower = found.lower, .upper = found.upper};
  const auto first = static_cast<double>(data::first_day);
  const auto last = static_cast<double>(data::last_day);
  const double lower = std::clamp(std::floor(found.lower), first, last - 1);
  const double upper = std::clamp(std::ceil(found.upper), lower + 1, last);
  return {.lower = lower, .upper = upper, .date = true};
}

void cap_hashed(std::int64_t most, data::Schema& schema) {
  std::vector<int*> bits;
  for (auto& column : schema.columns) {
    if (auto* hashed = std::get_if<data::HashedColumn>(&column.rule)) bits.push_back(&hashed->bits);
    if (auto* text = std::get_if<data::TextColumn>(&column.rule)) bits.push_back(&text->bits);
  }
  for (auto* own : bits) {
    const double share = static_cast<double>(most) / static_cast<double>(bits.size());
    *own = std::clamp(static_cast<int>(std::floor(std::log2(std::max(share, 2.0)))), 1, *own);
  }
}

void keep_one_column(const FitRequest& request, data::Schema& schema) {
  const bool some = std::ranges::any_of(
      schema.columns, [](const data::Column& column) { return !column.ignored(); });
  if (some || (schema.intercept && schema.target)) return;
  for (auto& column : schema.columns) {
    if (request.ignores(column.name)) continue;
    column.rule = data::HashedColumn{1};
    return;
  }
}

}  // namespace tacet::run::internal
