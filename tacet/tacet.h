#pragma once

/// What a program needs that trains, predicts, releases sums of its own and keeps a budget:
/// docs/library.md. Headers of single rooms are there for all else.

#include "tacet/accounting/composition.h"
#include "tacet/accounting/memory_budget.h"
#include "tacet/base/error.h"
#include "tacet/base/progress.h"
#include "tacet/base/version.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/ledger/ledger.h"
#include "tacet/ledger/ledger_budget.h"
#include "tacet/model/model_file.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/statement.h"
#include "tacet/random/source/source.h"
#include "tacet/run/release.h"
#include "tacet/run/train.h"
