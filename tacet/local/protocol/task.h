#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/local/local_plan.h"
#include "tacet/local/protocol/frame.h"

namespace tacet::local {

/// What server and devices agree on beside what is learned; all of it is public.
struct TaskTerms {
  double largest_norm = 1e4;       ///< W_max: no device computes at a longer model
  std::int64_t staleness = 8;      ///< a report counts up to so many rounds after its own
  std::int64_t slot_seconds = 20;  ///< how long a slot is kept for a device
  std::int64_t slots = 0;          ///< at one time; 0: default_slots, which the file then states
  double delay_seconds = 5;        ///< devices wait up to this long, at random, before they send
  std::int64_t robust_groups = 0;  ///< groups of a round, in a secret order; 0: the plain mean
  double trim = 0.5;               ///< share of group means left out at each end; .5: the median
  std::int64_t min_reports = 0;    ///< no model is written before rounds with so many are done
  std::string contact;             ///< whom to ask
};

/// A task: an immutable file that both sides are started with, named by its SHA-256. It holds the
/// schema and every setting of the run as text, so that everything else follows from it:
/// randomiser, learner, rounds and the bytes of a report. What follows is in the file too, for
/// other programs, and is checked when it is read.
struct Task {
  std::string text;    ///< the file, byte for byte
  std::string digest;  ///< 64 hexadecimal digits
  data::Schema schema;
  LocalOptions options;
  LocalPlan plan;
  TaskTerms terms;
  FrameLayout layout;

  [[nodiscard]] const mechanism::LocalRandomizer& randomizer() const { return *plan.randomizer; }
  /// That fill all rounds.
  [[nodiscard]] std::int64_t places() const { return plan.batch * plan.rounds; }
};

/// How many slots a task has at one time unless its terms say: 1 + staleness/2 rounds' worth, so
/// that reports are staleness/2 rounds old on average. A device that keeps its slot without a
/// report must not stop small rounds: at least 64, or one for a hundred reports where those are
/// less. With staleness 0 a round's worth.
[[nodiscard]] std::int64_t default_slots(const LocalPlan& plan, std::int64_t staleness);

/// How long a task takes where devices always wait for a slot, in seconds: each keeps one for its
/// delay, its work and its way there and back.
[[nodiscard]] double expected_seconds(const LocalPlan& plan, const TaskTerms& terms);

/// Makes a task from what the options of `tacet local plan` say. UsageError and GuaranteeError as
/// plan_local, and for what this protocol has no place for: several reports of a device, a paper's
/// calibration.
[[nodiscard]] Task make_task(const data::Schema& schema, const learn::OptionValues& values,
                             const TaskTerms& terms);

/// Reads the text strictly: what is missing, unknown, repeated, out of range, or does not follow
/// from the rest is a DataError that starts with `where`.
[[nodiscard]] Task task_from_text(std::string_view text, std::string_view where);
[[nodiscard]] Task load_task(const std::filesystem::path& path);

}  // namespace tacet::local
