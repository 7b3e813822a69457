#pragma once

#include "tacet/audit/black_box.h"
#include "tacet/learn/plan/training.h"

/// Whole trainings under attack: the production code of a plan on records that are made up, as far
/// apart as the schema's shape lets neighbours be. No data are read.
namespace tacet::audit {

/// The planned training on two neighbouring data sets, seen through the numbers of its model:
/// coefficients, those of a table, or a wide model's. Of more than `max_numbers` the first and the
/// last ones are looked at.
///
/// All records are alike: the largest feature, one label. The canary has the other label: it is
/// there or not (add_remove), contributes nothing instead (zero_out), or has the label of the rest
/// (replace_one). Where a unit may have several records the canary is a whole unit. Without a
/// public number of records there are `few_records`. Where few records have public places, the one
/// that is felt most is taken, by trainings that are not counted.
///
/// `others`: the length of all other records, as a share of the one that differs. Where a model is
/// chosen by its scores, one long record among short ones moves the choice the most.
///
/// `supervision` follows the search for that place. Its `cancel`, which must outlive the subject,
/// also ends the trainings.
/// UsageError for a training without guarantee.
[[nodiscard]] Subject training_subject(const learn::Training& plan, double others = 1,
                                       const base::Supervision& supervision = {});

constexpr std::int64_t max_numbers = 256;

constexpr std::int64_t few_records = 6;

/// Runs on each data set where none are asked for: whole trainings take their time.
constexpr std::int64_t usual_training_trials = 1000;

}  // namespace tacet::audit
