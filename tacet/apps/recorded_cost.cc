#include "tacet/apps/recorded_cost.h"

#include <utility>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"

namespace tacet::apps {
namespace {

namespace limits = base::limits;

privacy::Event event_of(const std::string& text, const std::string& path) {
  try {
    return privacy::event_from_json(text);
  } catch (const base::DataError& error) {
    throw base::DataError("'{}': {}", path, error.what());
  }
}

}  // namespace

RecordedCost read_costs(const std::vector<std::string>& paths) {
  report::JointCostSum sum;
  for (const auto& path : paths) {
    const auto text = base::read_file(path, limits::model_bytes);
    if (const auto recorded = report::recorded_in(text, path)) {
      sum.add(*recorded, path);
    } else {
      sum.add(event_of(text, path));
    }
  }
  return std::move(sum).total();
}

RecordedResult read_result(const std::string& path) {
  return report::result_in(base::read_file(path, limits::model_bytes), path);
}

}  // namespace tacet::apps
