#include "tacet/report/record/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/privacy/decimal.h"
#include "tacet/report/figure/labels.h"

namespace tacet::report {

std::string in_quotes(std::string_view name) {
  constexpr std::size_t letters = 60;
  return "'" + shortened(name, letters) + "'";
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t max = 12;
  const auto shown = std::min(names.size(), max);
  std::string out;
  for (std::size_t k = 0; k < shown; ++k) {
    const bool last = k + 1 == names.size();
    out += (k == 0 ? "" : last ? " and " : ", ") + in_quotes(names[k]);
  }
  if (names.size() > max) out += fmt::format(" and {} more", names.size() - max);
  return out;
}

std::string percent_up(double share) {
  const double safe = std::clamp(share, 0.0, 1.0);
  // A product that was rounded down would say less.
  return privacy::rounded_up(std::min(100.0, safe * 100 * (1 + 1e-12)), 3) + " %";
}

std::string percent(double share) { return number_text(share * 100, 3) + " %"; }

std::string guarantee_in_words(const privacy::Guarantee& guarantee) {
  return fmt::format("epsilon {} at delta {}", privacy::rounded_up(guarantee.epsilon, 4),
                     privacy::rounded_up(guarantee.delta, 3));
}

std::string protected_in_words(const std::string& unit) {
  if (unit == "record") return "Each record (a person with several records is protected less)";
  return fmt::format("Each {} with all of its records", in_quotes(unit));
}

std::string difference_in_words(privacy::Adjacency adjacency, const std::string& unit) {
  const bool single = unit == "record";
  const auto whose =
      single ? std::string("one record") : fmt::format("all records of one {}", in_quotes(unit));
  switch (adjacency) {
    case privacy::Adjacency::add_remove:
      return fmt::format("whether {} {} among the data", whose, single ? "was" : "were");
    case privacy::Adjacency::zero_out:
      return fmt::format(
          "whether {} counted or {}", whose,
          single ? "was replaced by an empty record" : "were replaced by empty records");
    case privacy::Adjacency::replace_one:
      return fmt::format("what {} {}", whose, single ? "says" : "say");
  }
  return {};
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace tacet::report
