#include "tacet/local/service/replay.h"

#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/bounded_note.h"
#include "tacet/local/protocol/messages.h"
#include "tacet/local/service/round_learner.h"
#include "tacet/local/service/task_receipt.h"

namespace tacet::local {
namespace {

[[noreturn]] void differs(const StateFile& file, std::int64_t round) {
  throw base::DataError(
      "the state '{}' is not what its reports come to: round {} differs; it was changed after it "
      "was written",
      file.path().string(), round);
}

void compare(const StateFile& file, const StoredRound& stored, const RoundLearner& learner,
             std::int64_t reports) {
  const auto point = model_bytes(learner.point());
  if (stored.round != learner.round() || stored.frames != reports ||
      stored.learner != ledger::sha256(learner.bytes()) || stored.model != ledger::sha256(point) ||
      (!stored.point.empty() && stored.point != point)) {
    differs(file, stored.round);
  }
}

Replay replay_as_it_stands(StateFile& file, ReplayCheck check,
                           const base::Supervision& supervision) {
  const auto& task = file.task();
  if (check == ReplayCheck::every_round) file.check_structure();
  std::vector<StoredRound> stored;
  file.each_round(0, [&](const StoredRound& round) { stored.push_back(round); });
  RoundLearner learner(task, GroupOrder(file.group_key()));
  const auto dropped = file.dropped();
  std::int64_t reports = 0;
  const auto look = [&](std::int64_t round) {
    const auto number = static_cast<std::size_t>(round);
    if (number >= stored.size()) differs(file, round);
    if (check == ReplayCheck::every_round || number + 1 == stored.size()) {
      compare(file, stored[number], learner, reports);
    }
  };
  look(0);
  std::vector<std::int64_t> bounded;
  BoundedRounds before{};
  Frame frame;
  file.each_frame(1, [&](const StoredFrame& one) {
    const bool counts = !is_dropped(dropped, one.sequence);
    if (one.sequence != ++reports || (counts && learner.finished()) ||
        read_frame(one.bytes, task.layout, frame) != FrameFault::none) {
      throw base::DataError("the state '{}' was changed: report {} is not what was counted",
                            file.path().string(), reports);
    }
    if (!counts || learner.add(frame.report) != RoundLearner::Step::filled) return;
    if (learner.bounded() != before) bounded.push_back(learner.round() - 1);
    before = learner.bounded();
    supervision.step("replaying rounds", learner.round(), task.plan.rounds);
    look(learner.round());
  });
  if (std::ssize(stored) != learner.round() + 1) differs(file, learner.round() + 1);
  if (file.learner() != learner.bytes()) differs(file, learner.round());
  return {reports, learner.round(), ledger::sha256(learner.bytes()), learner.model(),
          std::move(bounded)};
}

}  // namespace

Replay replay(StateFile& file, ReplayCheck check, const base::Supervision& supervision) {
  Replay found;
  file.snapshot([&] { found = replay_as_it_stands(file, check, supervision); });
  return found;
}

Overview overview(StateFile& file) {
  Overview now;
  file.snapshot([&] {
    const RoundLearner learner(file.task(), GroupOrder(file.group_key()), file.learner());
    now = {.tokens = file.count("tokens"),
           .reports = file.count("frames"),
           .round = file.last_round().round,
           .closed = file.closed(),
           .dropped = count_dropped(file.dropped()),
           .diverged = learner.diverged(),
           .bounded = learner.bounded()};
  });
  return now;
}

model::ModelFile model_of(StateFile& file) {
  const auto& task = file.task();
  const RoundLearner learner(task, GroupOrder(file.group_key()), file.learner());
  model::ModelFile model{task.schema, model::empty_model(task.schema, task.plan.loss),
                         learn::receipt_of(task.plan)};
  model.model.coefficients = learner.model();
  model.receipt.events = task.plan.events;
  note_bounded(model.receipt, learner.learner());
  const auto dropped = count_dropped(file.dropped());
  model.receipt = with_progress(std::move(model.receipt), task,
                                {.rounds = file.last_round().round,
                                 .reports = file.count("frames") - dropped,
                                 .dropped = dropped,
                                 .closed = file.closed()});
  return model;
}

}  // namespace tacet::local
