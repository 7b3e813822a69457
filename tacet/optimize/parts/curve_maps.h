#pragma once

#include <mutex>

#include "tacet/base/threads.h"
#include "tacet/data/schema/curves.h"
#include "tacet/data/schema/schema.h"

namespace tacet::optimize {

/// Maps of curves, which parts make for themselves: they follow from the columns, a public seed and
/// released numbers, with the same bits everywhere, and a request of some kilobytes need not carry
/// megabytes of them.
/// The parts of one process share what takes a second to make: the last map is kept. For several
/// threads at once.
class CurveMaps {
 public:
  /// The schema's curves with their directions. DataError for more than a map may have.
  [[nodiscard]] data::Curves of(const data::Schema& schema, base::ThreadPool& threads);

 private:
  std::mutex mutex_;
  data::CurveShape shape_;
  data::Curves made_;  // of that shape; without frequencies until there is one
};

}  // namespace tacet::optimize
