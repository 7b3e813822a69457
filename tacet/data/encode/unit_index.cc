#include "tacet/data/encode/unit_index.h"

#include <algorithm>
#include <utility>

#include "tacet/data/dataset.h"

namespace tacet::data {

UnitIndex::UnitIndex(std::span<const std::string> missing)
    : missing_(missing.begin(), missing.end()) {}

std::int64_t UnitIndex::number(std::string_view field) {
  const auto from = field.find_first_not_of(" \t");
  if (from == std::string_view::npos) return Dataset::no_unit;
  const auto name = field.substr(from, field.find_last_not_of(" \t") - from + 1);
  if (std::find(missing_.begin(), missing_.end(), name) != missing_.end()) return Dataset::no_unit;
  const auto next = static_cast<std::int64_t>(numbers_.size());
  return numbers_.try_emplace(std::string(name), next).first->second;
}

std::vector<std::string> UnitIndex::take_names() {
  std::vector<std::string> names(numbers_.size());
  while (!numbers_.empty()) {
    auto one = numbers_.extract(numbers_.begin());
    names[static_cast<std::size_t>(one.mapped())] = std::move(one.key());
  }
  return names;
}

}  // namespace tacet::data
