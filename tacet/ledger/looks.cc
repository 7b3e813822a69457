#include "tacet/ledger/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tacet::ledger {
namespace {

std::string day_of(const std::string& time) { return time.substr(0, time.find('T')); }

std::string days_of(std::span<const Look> looks) {
  const auto first = day_of(looks.front().time);
  const auto last = day_of(looks.back().time);
  return first == last ? "on " + first : fmt::format("from {} to {}", first, last);
}

bool is_known(const Look& look) { return !look.what.command.empty(); }

std::vector<Look> known_of(std::span<const Look> looks) {
  std::vector<Look> known;
  std::ranges::copy_if(looks, std::back_inserter(known), is_known);
  return known;
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
         "change, the condition is broken.";
}

}  // namespace

std::vector<Look> taken_over(std::span<const Look> looks, const std::string& ledger) {
  std::vector<Look> taken(looks.begin(), looks.end());
  for (auto& look : taken) {
    if (look.what.ledger.empty()) look.what.ledger = ledger;
  }
  return taken;
}

Look unread_looks(const std::string& reason, const std::string& ledger) {
  const Looked unread{
      .data_set = {}, .command = {}, .reason = reason, .schema_sha256 = {}, .ledger = ledger};
  const auto entry = entry_now(unread);
  return {entry.time, entry.user, unread};
}

std::string condition_of(std::span<const Look> looks) {
  const auto known = known_of(looks);
  std::string text;
  if (!known.empty()) {
    text = fmt::format(
        "Whatever is released after the owner's look holds on a condition: the owner of the "
        "records attested {} at exact figures of them ({}; the ledger says who and why), which "
        "nobody else may have seen and which may have decided nothing about the release.",
        known.size() == 1 ? std::string("a look") : fmt::format("{} looks", known.size()),
        days_of(known));
  }
  if (known.size() == looks.size()) return text;
  return fmt::format(
      "{}{}Whatever is released holds on a condition: rows of an earlier ledger of the records "
      "could not be read when they got this account, so that nothing tells whether their owner "
      "looked at exact figures of them before; nobody else may have seen such figures, and they "
      "may have decided nothing about the release.",
      text, text.empty() ? "" : " ");
}

std::string condition_of(std::span<const Look> looks, std::string_view schema_sha256) {
  const auto known = known_of(looks);
  if (known.empty()) return condition_of(looks);
  return condition_of(looks) + schemas_in_words(known, schema_sha256);
}

}  // namespace tacet::ledger
