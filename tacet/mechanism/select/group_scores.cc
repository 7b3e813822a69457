#include "tacet/mechanism/select/group_scores.h"

#include <utility>

#include "tacet/base/error.h"

namespace tacet::mechanism {

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

GroupPass::GroupPass(std::int64_t groups, privacy::Event part, privacy::Adjacency adjacency,
                     privacy::Reservation& reservation)
    : part_(std::move(part)),
      event_(event(part_)),
      adjacency_(adjacency),
      reservation_(reservation) {
  if (groups < 1) throw base::UsageError("a pass needs at least one group, got {}", groups);
  if (adjacency == privacy::Adjacency::replace_one) {
    throw base::UsageError(
        "a replaced record may change two groups; groups go with add_remove or zero_out");
  }
  had_turn_.resize(static_cast<std::size_t>(groups));
}

privacy::Event GroupPass::event(privacy::Event part) {
  // A record is in one group: parallel composition (McSherry 2009, theorem 4), adaptively too.
  return privacy::Partitioned{privacy::Assignment::by_record, {std::move(part)}};
}

void GroupPass::take(const GroupScores& scores, const privacy::Event& noise) {
  const auto group = static_cast<std::size_t>(scores.group());
  if (scores.groups() != static_cast<std::int64_t>(had_turn_.size()) || !(noise == part_) ||
      scores.scores().adjacency() != adjacency_) {
    throw base::InternalError("a pass pays for its own groups and releases only");
  }
  if (had_turn_[group]) throw base::InternalError("group {} had its turn in this pass", group);
  if (turns_ == 0) reservation_.debit(event_);
  had_turn_[group] = true;
  if (++turns_ < scores.groups()) return;
  turns_ = 0;
  had_turn_.assign(had_turn_.size(), false);
}

}  // namespace tacet::mechanism
