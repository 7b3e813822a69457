#include "tacet/privacy/adjacency.h"

#include <fmt/format.h>

#include "tacet/base/error.h"

namespace tacet::privacy {

std::string to_string(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::add_remove:
      return "add_remove";
    case Adjacency::zero_out:
      return "zero_out";
    case Adjacency::replace_one:
      return "replace_one";
  }
  throw base::InternalError("an adjacency outside its enumeration");
}

Adjacency parse_adjacency(std::string_view name) {
  if (name == "add_remove") return Adjacency::add_remove;
  if (name == "zero_out") return Adjacency::zero_out;
  if (name == "replace_one") return Adjacency::replace_one;
  throw base::UsageError(
      fmt::format("adjacency must be add_remove, zero_out or replace_one, got '{}'", name));
}

}  // namespace tacet::privacy
