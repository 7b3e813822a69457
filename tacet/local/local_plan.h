#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

#include "tacet/learn/plan/training.h"
#include "tacet/local/local_options.h"
#include "tacet/mechanism/local/local_randomizer.h"

namespace tacet::local {

/// What a report can be the gradient of.
inline constexpr learn::Problems reported_problems{
    .targets = {learn::TargetKind::two_classes, learn::TargetKind::number,
                learn::TargetKind::probability, learn::TargetKind::count}};

/// A run in which every record of a data set is a device: what each computes, what it sends and how
/// the reports are read, all resolved from public facts.
struct LocalPlan : learn::MethodPlan {
  std::optional<mechanism::LocalRandomizer> randomizer;
  mechanism::LocalMechanism mechanism = mechanism::LocalMechanism::gaussian;
  double report_noise = 0;  ///< of a report: the noise multiplier, or epsilon
  std::int64_t passes = 1;
  std::int64_t batch = 1;   ///< devices a round
  std::int64_t rounds = 1;  ///< of all passes; devices beyond whole rounds are not asked
  std::variant<BancoSettings, LocalSgdSettings> learner;
  double predicted_excess = 0;  ///< the theorem's bound at norm weight-scale
  std::function<void(const Learner&)> keep;

  [[nodiscard]] std::int64_t rounds_per_pass() const { return public_row_count / batch; }
};

/// UsageError for what makes no sense or cannot be done in this model, each with its reason;
/// GuaranteeError where nothing is proved.
[[nodiscard]] LocalPlan plan_local(const data::Schema& schema, const LocalOptions& options);

/// What the reports of a device release, and the settings of a plan: for planning and for the way
/// back from a receipt.
[[nodiscard]] privacy::Event releases(const LocalPlan& plan);
void list_settings(learn::SettingList& list, LocalPlan& plan);

/// The largest power of two that leaves 4,000 rounds, but at least 1: fewer rounds starve the bets.
[[nodiscard]] std::int64_t usual_batch(std::int64_t devices);

}  // namespace tacet::local
