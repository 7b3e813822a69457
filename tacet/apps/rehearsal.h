#pragma once

#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/choose/request.h"
#include "tacet/data/schema/schema.h"
#include "tacet/report/record/planned.h"

namespace tacet::apps {

/// What is rehearsed: public records of the form of those that are meant, and what would be asked
/// for.
struct RehearsalRequest {
  std::string file;
  const data::Schema& schema;
  const choose::Request& request;  ///< without an epsilon
  std::vector<double> epsilons;
};

/// Splits the records, trains on one part with known seeds, five times at each epsilon and once
/// without protection, and measures each model on the other part. NOT PRIVATE, and books nothing:
/// for records that were declared public. DataError for a file of fewer than ten records;
/// UsageError for files of arrays, which cannot be split.
[[nodiscard]] report::Rehearsal rehearse(const RehearsalRequest& asked, base::ThreadPool& threads,
                                         base::Progress& progress, const base::CancelToken& cancel);

}  // namespace tacet::apps
