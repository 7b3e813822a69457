#pragma once

/// The interface in C++: what a program needs that trains, predicts, releases sums of its own and
/// keeps a budget (docs/library.md). These headers, and what they include, are all that is
/// installed. They are stable in the sense of semantic versioning: a patch of TACET_VERSION changes
/// none of them; before 1.0 a minor version may.

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/filter.h"
#include "tacet/accounting/memory_budget.h"
#include "tacet/api/ledger.h"
#include "tacet/api/mechanism.h"
#include "tacet/api/model.h"
#include "tacet/api/release.h"
#include "tacet/base/version.h"
