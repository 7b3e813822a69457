#pragma once

#include "tacet/base/progress.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/event_tree.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::accounting {

/// What events cost is said in the words of privacy/ throughout; a new kind of event is one of
/// them.
using namespace privacy;  // NOLINT(google-build-using-namespace)

using base::WorkMeter;

}  // namespace tacet::accounting
