#include "tacet/accounting/routes/refusal.h"

#include <fmt/format.h>

#include <cmath>

#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/accounting/routes/sampling.h"

namespace tacet::accounting::internal {
namespace {

/// The first kind inside an event that compares two records, or two samples of one size. Such a
/// kind says nothing about a sample with a record against the same sample without it.
std::string kind_of_another_record(const Event& event) {
  const auto stated = stated_adjacency(event);
  const auto* blocks = event.as<Partitioned>();
  if ((stated && *stated != Adjacency::add_remove) || event.as<ShuffledLocal>() != nullptr ||
      event.as<FixedSizeSampled>() != nullptr ||
      (blocks != nullptr && !blocks_are_parallel(*blocks, Adjacency::add_remove))) {
    return kind_name(event);
  }
  for (const auto& child : inside(event)) {
    if (auto kind = kind_of_another_record(child); !kind.empty()) return kind;
  }
  return {};
}

/// Why an event of this kind has no proof, whatever is inside it.
struct OwnRefusal {
  Adjacency adjacency;

  std::string mismatch(const char* kind, Adjacency stated) const {
    if (stated == adjacency) return {};
    return fmt::format(
        "{} was proved for {} neighbours and says nothing under {}; state what is proved for {}, "
        "or account for {}",
        kind, to_string(stated), to_string(adjacency), to_string(adjacency), to_string(stated));
  }
  template <StatesGuarantee Stated>
  std::string operator()(const Stated& e) const {
    return mismatch(e.kind, e.adjacency);
  }
  std::string operator()(const ApproximateDp& e) const {
    if (e.delta >= 1) {
      return "approximate_dp with delta 1 promises nothing, whatever its epsilon; state the delta "
             "below 1 that was proved";
    }
    return mismatch(e.kind, e.adjacency);
  }
  std::string operator()(const Profile& e) const {
    if (e.points.back().delta >= 1) {
      return "a profile that lists no delta below 1 promises nothing; list a point that was proved";
    }
    return mismatch(e.kind, e.adjacency);
  }
  std::string operator()(const ShuffledLocal& e) const {
    return mismatch(e.kind, Adjacency::replace_one);
  }
  std::string operator()(const PoissonSampled& e) const {
    if (adjacency == Adjacency::add_remove || e.rate == 0 || e.rate == 1) return {};
    const auto kind = kind_of_another_record(*e.base);
    if (kind.empty()) return {};
    return fmt::format(
        "a Poisson sample holds a record or does not, and {} says nothing about a record more "
        "or less, so no bound is proved under {}; state it for add_remove, use samples of "
        "fixed size, or leave the sampling out",
        kind, to_string(adjacency));
  }
  std::string operator()(const FixedSizeSampled&) const {
    if (adjacency != Adjacency::add_remove) return {};
    return "a record more displaces another one from a sample of fixed size, so no bound is "
           "proved for fixed_size_sampled under add_remove; use Poisson sampling or replace_one";
  }
  std::string operator()(const Partitioned& e) const {
    if (blocks_are_parallel(e, adjacency)) return {};
    return adjacency == Adjacency::add_remove
               ? "a record more shifts the others between blocks formed by position, so no bound "
                 "is proved for them under add_remove; form the blocks by record, or use "
                 "replace_one"
               : "a replaced record may change its block when blocks are formed by record, so no "
                 "bound is proved for them under replace_one; form the blocks by position, or "
                 "use add_remove";
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

/// The adjacency under which the events inside are accounted: that of a sample, or else the event's
/// own.
Adjacency adjacency_inside(const Event& event, Adjacency adjacency) {
  const auto* sampled = event.as<PoissonSampled>();
  if (sampled != nullptr && sampled->rate > 0 && sampled->rate < 1) return Adjacency::add_remove;
  const auto* subset = event.as<FixedSizeSampled>();
  return subset != nullptr ? inner_adjacency(*subset, adjacency) : adjacency;
}

std::string too_deep(const RandomlyRepeated& e, Adjacency adjacency) {
  if (repetition::depth(e) <= repetition::deepest_profile) return {};
  if (std::isfinite(pure_epsilon(e, adjacency)) || rdp::curve(e, adjacency)) return {};
  return fmt::format(
      "more than {} tunings inside one another have a bound only where all have a truncated "
      "negative binomial law without a cap and the run a Renyi bound, or where all is pure; "
      "tune in one level over all combinations",
      repetition::deepest_profile);
}

}  // namespace

std::string refusal(const Event& event, Adjacency adjacency) {
  auto reason = std::visit(OwnRefusal{adjacency}, event.node());
  for (const auto& child : inside(event)) {
    if (!reason.empty()) return reason;
    reason = refusal(child, adjacency_inside(event, adjacency));
  }
  const auto* selection = event.as<RandomlyRepeated>();
  return reason.empty() && selection != nullptr ? too_deep(*selection, adjacency) : reason;
}

}  // namespace tacet::accounting::internal
