#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacet/local/service/state_file.h"

/// Several servers for one task, each with a state of its own and the tokens of one range.
///
/// A round ends when it has its reports, wherever they came: with several rounds somebody would
/// have to close each for all servers, which nobody does here. So there are shards of tasks with
/// one round and the plain mean alone, where nothing has to be known before all reports are in.
namespace tacet::local {

/// The states of a task's shards: PATH.0, PATH.1, ...
[[nodiscard]] std::vector<std::filesystem::path> shard_paths(const std::filesystem::path& path,
                                                             std::int64_t count);

/// Makes the missing state files of the shards, all with one key; if one fails, it makes none.
/// UsageError for a task with several rounds or groups, for another count than 2, 4, 8 or 16, and
/// if only some of them exist.
void make_shards(const std::filesystem::path& path, const Task& task, std::int64_t count);

/// Adds tokens, as many for each shard as for the others, one more for the first ones where they do
/// not divide. UsageError where a task would have more tokens than its round has places. One that
/// was revoked before it was used gives its place back.
[[nodiscard]] std::vector<std::string> enrol_in_shards(const std::filesystem::path& path,
                                                       std::int64_t shards, std::int64_t count,
                                                       std::int64_t expires);

struct Merged {
  std::int64_t reports = 0;
  std::int64_t left_out = 0;  ///< their random number came under another token already
};
/// A new state with the tokens and the reports of all shards, those of shard 0 first: what one
/// server would hold that had taken them in this order. Its learner and model are, bit for bit,
/// those of a server that took them in any order. UsageError for states that are open still,
/// of different tasks, not made together, of one shard, or not all of them; DataError for a token
/// in two of them. Then nothing is made.
[[nodiscard]] Merged merge_shards(const std::vector<std::filesystem::path>& states,
                                  const std::filesystem::path& merged);

}  // namespace tacet::local
