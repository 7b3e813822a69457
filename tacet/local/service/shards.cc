#include "tacet/local/service/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <unordered_set>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/protocol/messages.h"
#include "tacet/local/service/round_learner.h"

namespace tacet::local {
namespace {

using States = std::vector<std::unique_ptr<StateFile>>;

void refuse_many_rounds(const Task& task) {
  if (task.plan.rounds == 1 && task.terms.robust_groups == 0) return;
  throw base::UsageError(
      "shards are for tasks of one round with the plain mean, this one has {} rounds and {} "
      "groups: somebody would have to close each round for all servers, and there is no such "
      "program. Serve it from one state, or make the batch as large as the number of devices",
      task.plan.rounds, task.terms.robust_groups);
}

/// In the order of their shards.
States open_all(const std::vector<std::filesystem::path>& paths) {
  States states;
  for (const auto& path : paths) {
    states.push_back(std::make_unique<StateFile>(path, ledger::Access::read));
    auto& state = *states.back();
    state.check_structure();
    state.expect(states.front()->task());
    refuse_many_rounds(state.task());
    if (state.key() != states.front()->key()) {
      throw base::UsageError(
          "the states '{}' and '{}' were not made together: their tokens have different keys",
          paths.front().string(), path.string());
    }
    if (!state.dropped().empty()) {
      throw base::UsageError(
          "reports of the state '{}' were dropped (`local.reopen`): what one server would have "
          "taken in their place is not known. Drop rounds after the merge, of the merged state",
          path.string());
    }
    if (state.closed().empty() && state.last_round().round < state.task().plan.rounds) {
      throw base::UsageError(
          "the state '{}' is open: reports that come later would be lost. Close it first "
          "(`local.close`)",
          path.string());
    }
  }
  std::ranges::sort(states, {}, [](const auto& state) { return state->shard().index; });
  return states;
}

void expect_all_shards(const States& states) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto shard = states[i]->shard();
    if (shard.count != std::ssize(states)) {
      throw base::UsageError("'{}' is one of {} shards, but {} states were given; give each once",
                             states[i]->path().string(), shard.count, states.size());
    }
    if (shard.index != static_cast<std::int64_t>(i)) {
      throw base::UsageError("two states are of shard {}; give each shard once", shard.index);
    }
  }
}

class Merger {
 public:
  explicit Merger(StateFile& into)
      : into_(into), learner_(into.task(), GroupOrder(into.group_key())) {}

  Merged take(const States& states) {
    into_.transaction([&] {
      for (const auto& state : states) take_tokens(*state);
      for (const auto& state : states) {
        state->each_frame(1, [this](const StoredFrame& frame) { take_report(frame); });
      }
      if (!learner_.finished()) into_.close("closed");
    });
    return merged_;
  }

 private:
  void take_tokens(StateFile& state) {
    state.each_token([&](StoredToken token) {
      if (!tokens_.insert(token.mac).second) {
        throw base::DataError("a token is in two of the states, '{}' is the second one",
                              state.path().string());
      }
      into_.put_token(token);
      if (token.revoked) into_.put_revoked(token.mac);
    });
  }

  void take_report(const StoredFrame& stored) {
    Frame frame;
    if (read_frame(stored.bytes, into_.task().layout, frame) != FrameFault::none) {
      throw base::DataError("report {} of a state is none of its task", stored.sequence);
    }
    // A single server would have refused this report: the task was finished, or the report was a
    // repeated one.
    if (learner_.finished() || !reports_.insert(frame.report_id).second) {
      ++merged_.left_out;
      return;
    }
    into_.put_frame({++merged_.reports, stored.mac, stored.bytes}, frame.report_id);
    if (learner_.add(frame.report) != RoundLearner::Step::filled) return;
    const auto learner = learner_.bytes();
    const auto point = model_bytes(learner_.point());
    into_.put_round(
        {learner_.round(), merged_.reports, ledger::sha256(learner), ledger::sha256(point), point},
        learner, 0);
  }

  StateFile& into_;
  RoundLearner learner_;
  Merged merged_;
  std::unordered_set<TokenMac, TokenHash> tokens_;
  std::unordered_set<std::uint64_t> reports_;
};

}  // namespace

std::vector<std::filesystem::path> shard_paths(const std::filesystem::path& path,
                                               std::int64_t count) {
  std::vector<std::filesystem::path> paths;
  for (std::int64_t i = 0; i < count; ++i)
    paths.emplace_back(fmt::format("{}.{}", path.string(), i));
  return paths;
}

void make_shards(const std::filesystem::path& path, const Task& task, std::int64_t count) {
  if (count != 2 && count != 4 && count != 8 && count != 16) {
    throw base::UsageError(
        "`shards` must be 2, 4, 8 or 16, got {}: a token's first digit says where it belongs",
        count);
  }
  refuse_many_rounds(task);
  const auto paths = shard_paths(path, count);
  const auto there =
      std::ranges::count_if(paths, [](const auto& one) { return std::filesystem::exists(one); });
  if (there != 0 && there != count) {
    throw base::UsageError("{} of the {} states '{}.0' and so on are there, others are missing",
                           there, count, path.string());
  }
  const auto key = ledger::random_key();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& one = paths[static_cast<std::size_t>(i)];
    static_cast<void>(StateFile::make(one, task, {i, count}, key));
    StateFile state(one, ledger::Access::read);
    state.expect(task);
    if (state.shard() == Shard{i, count}) continue;
    throw base::UsageError("the state '{}' is not shard {} of {}", one.string(), i, count);
  }
}

std::vector<std::string> enrol_in_shards(const std::filesystem::path& path, std::int64_t shards,
                                         std::int64_t count, std::int64_t expires) {
  States states;
  std::int64_t enrolled = 0;
  for (const auto& one : shard_paths(path, shards)) {
    states.push_back(std::make_unique<StateFile>(one, ledger::Access::write));
    states.back()->each_token([&](const StoredToken& token) {
      enrolled += token.revoked && !token.counted ? 0 : 1;  // nothing comes under it any more
    });
  }
  const auto places = states.front()->task().places();
  if (enrolled + count > places) {
    throw base::UsageError(
        "{} tokens for {} places: no shard knows how many reports the others have, so that a task "
        "with shards has no more tokens than places; {} are enrolled already",
        enrolled + count, places, enrolled);
  }
  std::vector<std::string> tokens;
  for (std::int64_t i = 0; i < shards; ++i) {
    const auto share = count / shards + (i < count % shards ? 1 : 0);
    for (auto& token : states[static_cast<std::size_t>(i)]->enrol(share, expires)) {
      tokens.push_back(std::move(token));
    }
  }
  return tokens;
}

Merged merge_shards(const std::vector<std::filesystem::path>& states,
                    const std::filesystem::path& merged) {
  const auto opened = open_all(states);
  expect_all_shards(opened);
  const auto& first = *opened.front();
  if (!StateFile::make(merged, first.task(), {}, opened.front()->key())) {
    throw base::UsageError("there is a file '{}' already; nothing was merged", merged.string());
  }
  try {
    StateFile into(merged, ledger::Access::write);
    return Merger(into).take(opened);
  } catch (...) {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(merged.string() + suffix, ignored);
    }
    throw;
  }
}

}  // namespace tacet::local
