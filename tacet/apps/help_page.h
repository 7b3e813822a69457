#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tacet::apps {

/// Which options of a command its help page shows: those that a first user needs, those of one
/// topic, or all. Options that a page leaves out are taken as ever. Options are named as on the
/// command line, "--output"; what goes by its place is always shown and needs no entry.
class HelpPage {
 public:
  /// The options that stand on the short page; without them the short page has all.
  void show_first(std::vector<std::string> names) { first_ = std::move(names); }
  /// No topics: it belongs to none of them.
  void add(std::string name, std::vector<std::string> topics);
  /// What stands below the options of a topic.
  void describe(const std::string& topic, std::string text);
  /// The words that an option takes, for shells that complete them.
  void offer(const std::string& name, std::vector<std::string> words);

  /// In the order in which they were first named.
  [[nodiscard]] std::vector<std::string> topics() const;
  /// What the short page leaves out; empty: nothing.
  [[nodiscard]] std::vector<std::string> not_first() const;
  /// What does not belong to `topic`.
  [[nodiscard]] std::vector<std::string> not_of(const std::string& topic) const;
  /// Empty for a topic that nothing was said of.
  [[nodiscard]] std::string described(const std::string& topic) const;
  [[nodiscard]] std::vector<std::string> topics_of(const std::string& name) const;
  /// Empty for an option that takes anything.
  [[nodiscard]] std::vector<std::string> words_of(const std::string& name) const;
  /// Where the rest is found, for the foot of the short page. `typed` is the command, "tacet
  /// train".
  [[nodiscard]] std::string where_the_rest_is(const std::string& typed) const;

 private:
  struct Entry {
    std::string name;
    std::vector<std::string> topics;
    std::vector<std::string> words = {};
  };

  [[nodiscard]] const Entry* find(const std::string& name) const;

  std::vector<std::string> first_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> descriptions_;
};

}  // namespace tacet::apps
