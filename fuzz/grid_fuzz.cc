// A grid that is accepted has candidates, at most so many, each with a weight and a name of its
// own, and its values are those of parameters.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/choose/grid.h"

namespace grid_fuzz {

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tacet::choose::ParameterGrid grid;
  try {
    grid = tacet::choose::grid_from_toml(text, "g.toml");
  } catch (const tacet::base::DataError&) {
    return 0;
  }
  check(!grid.candidates.empty());
  check(static_cast<std::int64_t>(grid.candidates.size()) <= tacet::choose::max_candidates);
  std::set<std::string_view> names;
  for (const auto& candidate : grid.candidates) {
    check(candidate.weight > 0 && std::isfinite(candidate.weight));
    check(names.insert(candidate.name).second);
    check(!candidate.values.given("epsilon") && !candidate.values.given("threads"));
  }
  return 0;
}

}  // namespace grid_fuzz
