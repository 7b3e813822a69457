#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tacet/mechanism/noise_address.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/certified.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// Scores of one of several groups of records, each record in the group that follows from itself
/// alone: a record more or less changes the scores of one group.
class GroupScores {
 public:
  /// Only the code that groups and clips records (the optimize module) may state this; the check of
  /// floors enforces it. UsageError unless 0 <= group < groups.
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

/// Pays for passes over groups of records: each group is read once a pass, so that a pass costs
/// what one group costs (docs/proofs/wide.md, section 7). Under add_remove and zero_out; a replaced
/// record may change two groups. Not for several threads at once.
class GroupPass {
 public:
  /// UsageError for fewer than one group, and under replace_one.
  GroupPass(std::int64_t groups, privacy::Event part, privacy::Adjacency adjacency,
            privacy::Reservation& reservation);

  /// What a plan holds for a pass whose groups cost `part` each.
  [[nodiscard]] static privacy::Event event(privacy::Event part);

  /// For mechanisms: pays for a group's turn. The first turn of a pass debits event(part), the
  /// others nothing; after all groups a new pass begins. InternalError for a group that had its
  /// turn, another number of groups, or another cost.
  void take(const GroupScores& scores, const privacy::Event& noise);

  [[nodiscard]] const privacy::Event& event() const { return event_; }

 private:
  privacy::Event part_;
  privacy::Event event_;
  privacy::Adjacency adjacency_;
  privacy::Reservation& reservation_;
  std::vector<bool> had_turn_;
  std::int64_t turns_ = 0;  // of this pass
};

/// ReleaseMeans of a release that a pass over groups pays for.
struct GroupMeans {
  NoiseAddress address;
  random::Source& source;
  GroupPass& pass;
};

/// release_sparse_vector on one group.
[[nodiscard]] privacy::Released<SparseVectorAnswer> release_sparse_vector(
    const GroupScores& queries, const SparseVectorOptions& options, const GroupMeans& means);

}  // namespace tacet::mechanism
