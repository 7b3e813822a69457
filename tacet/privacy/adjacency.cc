#include "tacet/privacy/adjacency.h"

#include <vector>

#include "tacet/base/names.h"
#include "tacet/base/text.h"

namespace tacet::privacy {
namespace {

constexpr auto names = base::names<Adjacency>({{Adjacency::add_remove, "add_remove"},
                                               {Adjacency::zero_out, "zero_out"},
                                               {Adjacency::replace_one, "replace_one"}});

}  // namespace

std::string to_string(Adjacency adjacency) { return names.of(adjacency); }

std::string to_string(AdjacencySet set) {
  std::vector<std::string> members;
  for (const auto one : {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    if (set.has(one)) members.push_back(to_string(one));
  }
  return members.empty() ? "none" : base::alternatives(members);
}

Adjacency parse_adjacency(std::string_view name) {
  if (const auto found = names.find(name)) return *found;
  throw base::UsageError("adjacency must be add_remove, zero_out or replace_one, got '{}'", name);
}

}  // namespace tacet::privacy
