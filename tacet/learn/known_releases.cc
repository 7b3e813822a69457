#include "tacet/learn/known_releases.h"

#include <array>

#include "tacet/learn/evaluation.h"

namespace tacet::learn {
namespace {

// One line per release.
constexpr std::array release_table{
    RecordedAlgorithm{"evaluation",
                      {privacy::every_adjacency, privacy::no_adjacency, UnitProtection::bounded},
                      recorded_evaluation}};

}  // namespace

std::span<const RecordedAlgorithm> known_releases() { return release_table; }

}  // namespace tacet::learn
