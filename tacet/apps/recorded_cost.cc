#include "tacet/apps/recorded_cost.h"

#include <filesystem>
#include <system_error>
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

std::string receipt_of_vectors(const std::string& file) { return file + ".receipt.json"; }

std::string file_with_receipt(const std::string& result) {
  const auto beside = receipt_of_vectors(result);
  std::error_code none;
  const bool vectors = !result.ends_with(".json") && std::filesystem::exists(beside, none);
  return vectors ? beside : result;
}

RecordedCost read_costs(const std::vector<std::string>& paths) {
  report::JointCostSum sum;
  for (const auto& result : paths) {
    const auto path = file_with_receipt(result);
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
  const auto file = file_with_receipt(path);
  return report::result_in(base::read_file(file, limits::model_bytes), file);
}

}  // namespace tacet::apps
