#include "tacet/apps/help_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::apps {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

void HelpPage::add(std::string name, std::vector<std::string> topics) {
  entries_.push_back({std::move(name), std::move(topics)});
}

void HelpPage::offer(const std::string& name, std::vector<std::string> words) {
  for (auto& entry : entries_) {
    if (entry.name == name) entry.words = std::move(words);
  }
}

void HelpPage::describe(const std::string& topic, std::string text) {
  descriptions_[topic] = std::move(text);
}

std::string HelpPage::described(const std::string& topic) const {
  const auto found = descriptions_.find(topic);
  return found == descriptions_.end() ? std::string() : found->second;
}

const HelpPage::Entry* HelpPage::find(const std::string& name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<std::string> HelpPage::topics_of(const std::string& name) const {
  const auto* entry = find(name);
  return entry == nullptr ? std::vector<std::string>() : entry->topics;
}

std::vector<std::string> HelpPage::words_of(const std::string& name) const {
  const auto* entry = find(name);
  return entry == nullptr ? std::vector<std::string>() : entry->words;
}

std::vector<std::string> HelpPage::topics() const {
  std::vector<std::string> out;
  for (const auto& entry : entries_) {
    for (const auto& topic : entry.topics) {
      if (!contains(out, topic)) out.push_back(topic);
    }
  }
  return out;
}

std::vector<std::string> HelpPage::not_first() const {
  std::vector<std::string> out;
  for (const auto& entry : entries_) {
    if (!first_.empty() && !contains(first_, entry.name)) out.push_back(entry.name);
  }
  return out;
}

std::vector<std::string> HelpPage::not_of(const std::string& topic) const {
  std::vector<std::string> out;
  for (const auto& entry : entries_) {
    if (!contains(entry.topics, topic)) out.push_back(entry.name);
  }
  return out;
}

std::string HelpPage::where_the_rest_is(const std::string& typed) const {
  auto text = fmt::format("More options: `{} --help-all` lists all", typed);
  if (const auto blank = typed.find(' '); !topics().empty() && blank != std::string::npos) {
    text += fmt::format(", `{} help{} METHOD` those of one method", typed.substr(0, blank),
                        typed.substr(blank));
  }
  return text + ".";
}

}  // namespace tacet::apps
