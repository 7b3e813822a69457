#include "tacet/data/schema/feature_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tacet::data {

FeatureNames::FeatureNames(std::initializer_list<std::string> names)
    : FeatureNames(std::vector<std::string>(names)) {}

FeatureNames::FeatureNames(std::vector<std::string> names)
    : listed_(std::move(names)), size_(listed_.size()) {
  if (size_ > 0) runs_.emplace_back();
}

void FeatureNames::add(std::string name) {
  if (runs_.empty() || runs_.back().numbered) {
    runs_.push_back({.begin = size_,
                     .numbered = false,
                     .prefix = {},
                     .first = static_cast<std::int64_t>(listed_.size())});
  }
  listed_.push_back(std::move(name));
  ++size_;
}

void FeatureNames::add_numbered(std::string prefix, std::int64_t first, std::int64_t count) {
  if (count < 1) return;
  runs_.push_back({.begin = size_, .numbered = true, .prefix = std::move(prefix), .first = first});
  size_ += static_cast<std::size_t>(count);
}

std::string FeatureNames::operator[](std::size_t index) const {
  const auto next =
      std::upper_bound(runs_.begin(), runs_.end(), index,
                       [](std::size_t wanted, const Run& run) { return wanted < run.begin; });
  const Run& run = *std::prev(next);
  const auto number = run.first + static_cast<std::int64_t>(index - run.begin);
  return run.numbered ? fmt::format("{}{}", run.prefix, number)
                      : listed_[static_cast<std::size_t>(number)];
}

bool operator==(const FeatureNames& a, const FeatureNames& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != b[k]) return false;
  }
  return true;
}

std::string other_separator(std::string_view line, char separator) {
  constexpr std::string_view usual = ";\t|,";
  for (const char other : usual) {
    if (other == separator || line.find(other) == std::string_view::npos) continue;
    const auto shown = [](char c) { return c == '\t' ? std::string("\\t") : std::string(1, c); };
    return fmt::format(
        "the first line is not cut by '{}', but would be by '{}'; write separator = \"{}\" under "
        "[format] in the schema",
        shown(separator), shown(other), shown(other));
  }
  return "";
}

}  // namespace tacet::data
