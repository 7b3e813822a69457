#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/certified.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// Scores from one of several groups of records. A record's group depends on that record alone, so
/// adding or removing a record changes the scores of one group only.
class GroupScores {
 public:
  /// Only the code that groups and clips records (the optimize module) may call this;
  /// scripts/check_floors enforces it. UsageError unless 0 <= group < groups.
  [[nodiscard]] static GroupScores from_certified(privacy::Certified proof, SparseScores scores,
                                                  std::int64_t group, std::int64_t groups);

  [[nodiscard]] const SparseScores& scores() const { return scores_; }
  [[nodiscard]] std::int64_t group() const { return group_; }
  [[nodiscard]] std::int64_t groups() const { return groups_; }

 private:
  GroupScores(SparseScores scores, std::int64_t group, std::int64_t groups)
      : scores_(std::move(scores)), group_(group), groups_(groups) {}

  SparseScores scores_;
  std::int64_t group_;
  std::int64_t groups_;
};

/// Pays for releases from groups of records, under add_remove and zero_out. (A replaced record may
/// change two groups.) Not for several threads at once.
class GroupPayer {
 public:
  virtual ~GroupPayer() = default;
  /// For mechanisms: pays for a group's turn. InternalError for another number of groups, another
  /// cost, or a group whose turn it is not.
  virtual void take(const GroupScores& scores, const privacy::Event& noise) = 0;
  /// The event that is debited, for a pass or for a draw.
  [[nodiscard]] const privacy::Event& event() const { return event_; }

 protected:
  /// UsageError for fewer than one group, and under replace_one.
  GroupPayer(std::int64_t groups, privacy::Event part, privacy::Event event,
             privacy::Adjacency adjacency, privacy::Reservation& reservation);
  GroupPayer(const GroupPayer&) = delete;
  GroupPayer& operator=(const GroupPayer&) = delete;

  void expect_own(const GroupScores& scores, const privacy::Event& noise) const;
  void debit() { reservation_.debit(event_); }
  [[nodiscard]] std::int64_t groups() const { return groups_; }

 private:
  std::int64_t groups_;
  privacy::Event part_;
  privacy::Event event_;
  privacy::Adjacency adjacency_;
  privacy::Reservation& reservation_;
};

/// Passes over groups: each group is read once per pass, so a pass costs as much as one group
/// (docs/proofs/wide.md, section 7). The first turn of a pass is debited, the others are not; after
/// all groups a new pass begins.
class GroupPass : public GroupPayer {
 public:
  /// UsageError for fewer than one group, and under replace_one.
  GroupPass(std::int64_t groups, const privacy::Event& part, privacy::Adjacency adjacency,
            privacy::Reservation& reservation);

  /// The event of a pass whose groups cost `part` each.
  [[nodiscard]] static privacy::Event event(privacy::Event part);
  using GroupPayer::event;

  void take(const GroupScores& scores, const privacy::Event& noise) override;

 private:
  std::vector<bool> had_turn_;
  std::int64_t turns_ = 0;  // of this pass
};

/// Draws one group per step, uniformly and in secret. That lowers delta but not epsilon: a draw has
/// the curve of one group's release with every delta divided by the number of groups
/// (docs/proofs/wide.md, section 7). Each draw is debited when its group is read.
class GroupDraws : public GroupPayer {
 public:
  /// Errors as of event(), and UsageError under replace_one.
  GroupDraws(std::int64_t groups, const privacy::Event& part, privacy::Adjacency adjacency,
             privacy::Reservation& reservation);

  /// The event of a draw among that many groups, if a group's release has the event `part`: a
  /// Profile. The bits are the same on all machines whose accountants agree to 2^-24 of a delta.
  /// UsageError for fewer than one group, GuaranteeError if `part` has no finite pure epsilon.
  [[nodiscard]] static privacy::Event event(const privacy::Event& part, std::int64_t groups,
                                            privacy::Adjacency adjacency);
  using GroupPayer::event;

  /// The next group. InternalError while a drawn one was not read.
  [[nodiscard]] std::int64_t draw(random::BlockClaim claim);
  void take(const GroupScores& scores, const privacy::Event& noise) override;

 private:
  std::int64_t drawn_ = -1;  // -1: no group was drawn
};

/// The context of a release from a group.
struct GroupContext {
  NoiseAddress address;
  random::Source& source;
  GroupPayer& payer;
};

/// release_sparse_vector on one group.
[[nodiscard]] privacy::Released<SparseVectorAnswer> release_sparse_vector(
    const GroupScores& queries, const SparseVectorOptions& options, const GroupContext& context);

}  // namespace tacet::mechanism
