#include "tacet/mechanism/select/group_scores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::mechanism {
namespace {

constexpr int curve_points = 60;
constexpr double min_delta = 1e-30;  // far below any delta in use

void expect_groups(std::int64_t groups) {
  if (groups < 1) throw base::UsageError("there must be at least one group, got {}", groups);
}

// Rounded up to 24 bits, so that a receipt and its check do not depend on a last bit.
double short_up(double delta) {
  int exponent = 0;
  const double mantissa = std::frexp(delta, &exponent);
  return std::min(1.0, std::ldexp(std::ceil(std::ldexp(mantissa, 24)), exponent - 24));
}

}  // namespace

GroupScores GroupScores::from_certified(privacy::Certified /*proof*/, SparseScores scores,
                                        std::int64_t group, std::int64_t groups) {
  if (group < 0 || group >= groups) {
    throw base::UsageError("group {} of {} does not exist", group, groups);
  }
  if (!scores.sample().is_all()) {
    throw base::InternalError("a group holds all of its records, not a sample of them");
  }
  return {std::move(scores), group, groups};
}

GroupPayer::GroupPayer(std::int64_t groups, privacy::Event part, privacy::Event event,
                       privacy::Adjacency adjacency, privacy::Reservation& reservation)
    : groups_(groups),
      part_(std::move(part)),
      event_(std::move(event)),
      adjacency_(adjacency),
      reservation_(reservation) {
  expect_groups(groups);
  if (adjacency == privacy::Adjacency::replace_one) {
    throw base::UsageError(
        "a replaced record may change two groups; groups go with add_remove or zero_out");
  }
}

void GroupPayer::expect_own(const GroupScores& scores, const privacy::Event& noise) const {
  if (scores.groups() != groups_ || !(noise == part_) ||
      scores.scores().adjacency() != adjacency_) {
    throw base::InternalError("who pays for groups pays for its own groups and releases only");
  }
}

GroupPass::GroupPass(std::int64_t groups, const privacy::Event& part, privacy::Adjacency adjacency,
                     privacy::Reservation& reservation)
    : GroupPayer(groups, part, event(part), adjacency, reservation) {
  had_turn_.resize(static_cast<std::size_t>(groups));
}

privacy::Event GroupPass::event(privacy::Event part) {
  // A record is in one group: parallel composition (McSherry 2009, theorem 4), adaptively too.
  return privacy::Partitioned{privacy::Assignment::by_record, {std::move(part)}};
}

void GroupPass::take(const GroupScores& scores, const privacy::Event& noise) {
  expect_own(scores, noise);
  const auto group = static_cast<std::size_t>(scores.group());
  if (had_turn_[group]) throw base::InternalError("group {} had its turn in this pass", group);
  if (turns_ == 0) debit();
  had_turn_[group] = true;
  if (++turns_ < scores.groups()) return;
  turns_ = 0;
  had_turn_.assign(had_turn_.size(), false);
}

GroupDraws::GroupDraws(std::int64_t groups, const privacy::Event& part,
                       privacy::Adjacency adjacency, privacy::Reservation& reservation)
    : GroupPayer(groups, part, event(part, groups, adjacency), adjacency, reservation) {}

privacy::Event GroupDraws::event(const privacy::Event& part, std::int64_t groups,
                                 privacy::Adjacency adjacency) {
  expect_groups(groups);
  const double pure = accounting::epsilon_interval(part, adjacency, privacy::Delta(0)).upper;
  if (!std::isfinite(pure)) {
    throw base::GuaranteeError(
        "a secret choice among groups is priced by points of a curve that ends, and this release "
        "has no pure epsilon");
  }
  // H(M, M') <= H(P, P') / groups at every epsilon >= 0, by joint convexity: the other groups
  // contribute equal parts to both laws. Between the points the curve is convex in e^epsilon, so
  // chords between them are upper bounds.
  privacy::Profile curve{{}, adjacency};
  for (int i = 0; i < curve_points; ++i) {
    const double epsilon = pure * i / curve_points;
    const double whole =
        accounting::delta_interval(part, adjacency, privacy::Epsilon(epsilon)).upper;
    const double delta = short_up(std::min(1.0, whole / static_cast<double>(groups)));
    if (delta < min_delta) break;
    if (curve.points.empty() || delta < curve.points.back().delta) {
      curve.points.push_back({epsilon, delta});
    }
  }
  curve.points.push_back({pure, 0});
  return curve;
}

std::int64_t GroupDraws::draw(random::BlockClaim claim) {
  if (drawn_ >= 0) throw base::InternalError("a group was drawn and not read");
  random::Stream stream(std::move(claim));
  drawn_ = static_cast<std::int64_t>(
      random::uniform_below(stream, static_cast<std::uint64_t>(groups())));
  return drawn_;
}

void GroupDraws::take(const GroupScores& scores, const privacy::Event& noise) {
  expect_own(scores, noise);
  if (scores.group() != drawn_) throw base::InternalError("only the group that was drawn is read");
  debit();
  drawn_ = -1;
}

}  // namespace tacet::mechanism
