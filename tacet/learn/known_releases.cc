#include "tacet/learn/known_releases.h"

#include <array>

#include "tacet/base/error.h"
#include "tacet/learn/plan/recorded.h"

namespace tacet::learn {
namespace {

constexpr Proved everything{privacy::every_adjacency, privacy::every_adjacency,
                            UnitProtection::bounded};
constexpr Proved with_delta{privacy::every_adjacency, privacy::no_adjacency,
                            UnitProtection::bounded};

/// Of `tacet evaluate`.
privacy::Event evaluation_events(const privacy::Receipt& receipt, RecordedParameters& parameters,
                                 const privacy::Event& /*own*/) {
  expect_sampling(receipt, "full_batch");
  return privacy::Gaussian{recorded_noise(parameters)};
}

/// Of `tacet quantile`: its epsilon is no parameter, so that the kind of the release and its
/// adjacency are what can be held against the file.
privacy::Event quantile_events(const privacy::Receipt& receipt, RecordedParameters& /*parameters*/,
                               const privacy::Event& own) {
  expect_sampling(receipt, "full_batch");
  const auto* draw = own.as<privacy::BoundedRange>();
  return pure_release<privacy::BoundedRange>(receipt, draw == nullptr ? 1 : draw->epsilon, own);
}

// A line a release.
constexpr std::array release_table{
    RecordedAlgorithm{"evaluation", with_delta, evaluation_events},
    RecordedAlgorithm{"quantile by inverse sensitivity", everything, quantile_events},
    RecordedAlgorithm{"summary of a table", everything, nullptr},
    RecordedAlgorithm{"schema fit", everything, nullptr},
    RecordedAlgorithm{"sum", everything, nullptr},
};

}  // namespace

std::span<const RecordedAlgorithm> known_releases() { return release_table; }

}  // namespace tacet::learn
