#pragma once

#include <cstdint>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/local/banco.h"
#include "tacet/local/service/state_file.h"
#include "tacet/model/model_file.h"

namespace tacet::local {

/// What a state comes to, computed again from its task and its reports in their order.
struct Replay {
  std::int64_t reports = 0;
  std::int64_t rounds = 0;
  std::string learner;  ///< SHA-256 of the state after the last round
  std::vector<double> model;
  std::vector<std::int64_t> bounded;  ///< the rounds that met a bound
};

enum class ReplayCheck {
  last_round,  ///< the learner and the model of the last round are those in the file
  every_round  ///< so are those of all others, and SQLite's structures
};

/// DataError where something in the file is not what follows from its reports.
[[nodiscard]] Replay replay(StateFile& file, ReplayCheck check,
                            const base::Supervision& supervision = {});

/// How far a task is.
struct Overview {
  std::int64_t tokens = 0;
  std::int64_t reports = 0;
  std::int64_t round = 0;
  std::string closed;        ///< why; empty: open
  std::int64_t dropped = 0;  ///< reports among them that teach nothing any more (reopen.h)
  bool diverged = false;     ///< see Banco::diverged
  BoundedRounds bounded{};
  [[nodiscard]] bool finished(const Task& task) const { return round == task.plan.rounds; }
};
[[nodiscard]] Overview overview(StateFile& file);

/// The model as it stands, with the receipt of what each device's report promises. At any time: it
/// is a function of reports that were private when they left their devices.
[[nodiscard]] model::ModelFile model_of(StateFile& file);

}  // namespace tacet::local
