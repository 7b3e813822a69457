#include "tacet/run/known_releases.h"

#include <array>

#include "tacet/learn/evaluation.h"
#include "tacet/run/quantile.h"
#include "tacet/run/release.h"
#include "tacet/run/schema_fit.h"
#include "tacet/run/summary.h"

namespace tacet::run {
namespace {

// A line a release.
constexpr std::array releases{
    learn::RecordedRelease{"evaluation", learn::recorded_evaluation},
    learn::RecordedRelease{"quantile by inverse sensitivity", recorded_quantile},
    learn::RecordedRelease{"summary of a table", recorded_summary},
    learn::RecordedRelease{"schema fit", recorded_fit},
    learn::RecordedRelease{"sum", recorded_sum},
};

}  // namespace

std::span<const learn::RecordedRelease> known_releases() { return releases; }

}  // namespace tacet::run
