#include "tacet/ledger/looks.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::ledger {
namespace {

std::string day_of(const std::string& time) { return time.substr(0, time.find('T')); }

std::string days_of(std::span<const Look> looks) {
  const auto first = day_of(looks.front().time);
  const auto last = day_of(looks.back().time);
  return first == last ? "on " + first : fmt::format("from {} to {}", first, last);
}

std::string schemas_in_words(std::span<const Look> looks, std::string_view schema_sha256) {
  if (schema_sha256.empty()) {
    return " This release does not say which schema file it used, so that nothing tells whether it "
           "is the one that was looked through.";
  }
  const bool same = std::ranges::all_of(
      looks, [&](const Look& look) { return look.what.schema_sha256 == schema_sha256; });
  if (same) return {};
  return " This release used another schema than was looked through: if the look led to the "
         "change, "
         "the condition is broken.";
}

}  // namespace

std::string condition_of(std::span<const Look> looks) {
  if (looks.empty()) return {};
  return fmt::format(
      "Whatever is released after the owner's look holds on a condition: the owner of the records "
      "attested {} at "
      "exact figures of them ({}; the ledger says who and why), which nobody else may have seen "
      "and "
      "which may have decided nothing about the release.",
      looks.size() == 1 ? std::string("a look") : fmt::format("{} looks", looks.size()),
      days_of(looks));
}

std::string condition_of(std::span<const Look> looks, std::string_view schema_sha256) {
  if (looks.empty()) return {};
  return condition_of(looks) + schemas_in_words(looks, schema_sha256);
}

}  // namespace tacet::ledger
