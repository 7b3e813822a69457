#include "tacet/local/bounded_note.h"

#include <nlohmann/json.hpp>

namespace tacet::local {

void note_bounded(privacy::Receipt& receipt, const Learner& learner) {
  const auto [rounds, diverged] = std::visit(
      [](const auto& kept) { return std::pair(kept.state().bounded, kept.diverged()); }, learner);
  if (rounds == BoundedRounds{}) return;
  auto parameters = nlohmann::ordered_json::parse(receipt.parameters);
  parameters["rounds_cut"] = rounds.cut;
  parameters["rounds_refused"] = rounds.refused;
  parameters["diverged"] = diverged;
  receipt.parameters = parameters.dump();
}

}  // namespace tacet::local
