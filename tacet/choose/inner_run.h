#pragma once

#include <cstdint>
#include <memory>

#include "tacet/learn/plan/training.h"
#include "tacet/privacy/budget.h"
#include "tacet/random/source/source.h"

namespace tacet::choose {

/// What a run inside another one draws on: noise of a source of its own, and a reservation that was
/// opened inside the outer one, whose debit stands for all of them. What it spends is written down
/// nowhere: neither how often there was such a run nor what it cost by itself. It shows no progress
/// either, since that would tell how many there are. Not for several threads at once.
class InnerRun {
 public:
  /// `index` tells inner runs of one outer run apart: where the outer noise is of a known seed, the
  /// inner one is of a seed drawn from it, so that the whole can be repeated.
  InnerRun(const learn::TrainingContext& outer, std::uint64_t index, privacy::Event planned,
           const privacy::Guarantee& guarantee);

  [[nodiscard]] learn::TrainingContext context();
  /// The run's model. One whose numbers or records fail it (NumericError, DataError) after it
  /// released something has none: that it failed would be known of one run of many, so its model is
  /// one that left the numbers and scores worst. Other errors are thrown: an invariant that is
  /// broken, a disk that is full, a user who had enough are no result of a run.
  [[nodiscard]] learn::TrainedModel carry_out(const learn::Training& training,
                                              const data::Dataset& records);

 private:
  const learn::TrainingContext& outer_;
  std::unique_ptr<random::Source> source_;
  privacy::Reservation reservation_;
};

}  // namespace tacet::choose
