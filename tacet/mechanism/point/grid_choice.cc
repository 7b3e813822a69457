#include "tacet/mechanism/point/grid_choice.h"

#include "tacet/mechanism/select/selection.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::mechanism::internal {

std::int64_t choose_point(std::span<const random::WeightedLevel> runs, RationalEpsilon epsilon,
                          std::int64_t sensitivity, random::Stream& stream) {
  const auto rate = score_rate(epsilon, sensitivity, Movement::any);
  const std::size_t run = random::ExponentialChoice(runs, rate).draw(stream);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < run; ++i) first += runs[i].count;
  return static_cast<std::int64_t>(first + random::uniform_below(stream, runs[run].count));
}

}  // namespace tacet::mechanism::internal
