#pragma once

#include "tacet/local/learner_file.h"
#include "tacet/privacy/receipt.h"

namespace tacet::local {

/// Writes into the receipt of a model how many rounds met a bound, and whether the learner
/// diverged: what lies or a wrong scale have done to it. Nothing where no round did.
void note_bounded(privacy::Receipt& receipt, const Learner& learner);

}  // namespace tacet::local
