#include "tacet/run/known_releases.h"

#include <array>

#include "tacet/run/quantile.h"
#include "tacet/run/release.h"
#include "tacet/run/schema_fit.h"
#include "tacet/run/summary.h"

namespace tacet::run {
namespace {

using learn::UnitProtection;
using privacy::Adjacency;
using privacy::every_adjacency;

// Bounds and categories are taken under these alone (mechanism/point/column_facts.h).
constexpr privacy::AdjacencySet of_fits{Adjacency::add_remove, Adjacency::zero_out};

// A line a release.
constexpr std::array own_releases{
    learn::RecordedAlgorithm{"quantile by inverse sensitivity",
                             {every_adjacency, every_adjacency, UnitProtection::refused},
                             recorded_quantile},
    learn::RecordedAlgorithm{"summary of a table",
                             {every_adjacency, every_adjacency, UnitProtection::bounded},
                             recorded_summary},
    learn::RecordedAlgorithm{
        "schema fit", {of_fits, of_fits, UnitProtection::bounded}, recorded_fit},
    learn::RecordedAlgorithm{
        "sum", {every_adjacency, every_adjacency, UnitProtection::bounded}, recorded_sum},
};

}  // namespace

std::vector<learn::RecordedAlgorithm> known_releases() {
  const auto lower = learn::known_releases();
  std::vector<learn::RecordedAlgorithm> all(lower.begin(), lower.end());
  all.insert(all.end(), own_releases.begin(), own_releases.end());
  return all;
}

}  // namespace tacet::run
