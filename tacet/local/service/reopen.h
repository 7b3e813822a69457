#pragma once

#include <cstdint>

#include "tacet/base/progress.h"
#include "tacet/local/service/state_file.h"

namespace tacet::local {

struct Reopened {
  std::int64_t round = 0;    ///< the one under way now, which has no report yet
  std::int64_t dropped = 0;  ///< reports that teach nothing any more
};

/// Goes back to the beginning of round `from`, 0 being the first: the rounds from there on are
/// dropped, after lies say, and the task goes on with devices that have not reported. What was
/// received stays on record: its tokens stay used, its devices have spent their epsilon, and
/// `replay` passes over it. A task that was closed or finished is open again.
///
/// The learner of that round is computed from the reports. UsageError for a round that has not
/// begun and for one of several shards, IoError where a server has the state, DataError where the
/// state is not what its reports come to.
Reopened reopen(StateFile& file, std::int64_t from, const base::Supervision& supervision = {});

}  // namespace tacet::local
