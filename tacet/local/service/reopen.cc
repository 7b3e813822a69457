#include "tacet/local/service/reopen.h"

#include <deque>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/protocol/messages.h"
#include "tacet/local/service/round_learner.h"

namespace tacet::local {
namespace {

[[noreturn]] void differs_at(const StateFile& file, std::int64_t round) {
  throw base::DataError(
      "the state '{}' is not what its reports come to: round {} differs; nothing was changed",
      file.path().string(), round);
}

/// The learner at the beginning of a round, fed with the reports that counted before it.
class Past {
 public:
  explicit Past(StateFile& file)
      : file_(file), learner_(file.task(), GroupOrder(file.group_key())) {
    note_point();
  }

  void go_to(std::int64_t round, const base::Supervision& supervision) {
    const auto dropped = file_.dropped();
    Frame frame;
    file_.each_frame(1, [&](const StoredFrame& one) {
      if (learner_.round() == round || is_dropped(dropped, one.sequence)) return;
      if (read_frame(one.bytes, file_.task().layout, frame) != FrameFault::none) {
        differs_at(file_, learner_.round());
      }
      if (learner_.add(frame.report) != RoundLearner::Step::filled) return;
      supervision.step("replaying rounds", learner_.round(), round);
      note_point();
    });
    if (learner_.round() != round) differs_at(file_, round);
  }
  [[nodiscard]] const RoundLearner& learner() const { return learner_; }
  /// The last rounds, for which reports are still accepted.
  [[nodiscard]] std::vector<StoredRound> points() const { return {points_.begin(), points_.end()}; }

 private:
  void note_point() {
    StoredRound round{.round = learner_.round(), .point = model_bytes(learner_.point())};
    round.model = ledger::sha256(round.point);
    points_.push_back(std::move(round));
    if (std::ssize(points_) > file_.task().terms.staleness + 1) points_.pop_front();
  }

  StateFile& file_;
  RoundLearner learner_;
  std::deque<StoredRound> points_;
};

}  // namespace

Reopened reopen(StateFile& file, std::int64_t from, const base::Supervision& supervision) {
  if (file.shard().count > 1) {
    throw base::UsageError(
        "the state '{}' is one of several shards: merge them (`local.merge`), and reopen the "
        "merged state; nothing was changed",
        file.path().string());
  }
  file.claim();
  const auto last = file.last_round();
  if (from < 0 || from > last.round) {
    throw base::UsageError("there is no round {} to go back to: the task is in round {}", from,
                           last.round);
  }
  StoredRound stored;
  file.each_round(from, [&](const StoredRound& round) {
    if (round.round == from) stored = round;
  });
  Past past(file);
  past.go_to(from, supervision);
  const auto learner = past.learner().bytes();
  if (ledger::sha256(learner) != stored.learner || past.points().back().model != stored.model) {
    differs_at(file, from);
  }
  const auto reports = file.count("frames");
  file.transaction([&] { file.drop_rounds(stored, learner, past.points()); });
  file.release();
  return {from, reports - stored.frames};
}

}  // namespace tacet::local
