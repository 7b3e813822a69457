#include "tacet/report/record/read_results.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"

namespace tacet::report {
namespace {

std::string sha256_of_text(const std::string& text) {
  base::Sha256 sum;
  sum.add(text);
  return sum.digest();
}

ResultKind kind_of_values(const nlohmann::ordered_json& values) {
  if (values.contains("accuracy") || values.contains("r2") || values.contains("mean_capped_loss")) {
    return ResultKind::evaluation;
  }
  if (values.contains("columns") && values.contains("count_margin")) return ResultKind::summary;
  if (values.contains("q") && values.contains("value")) return ResultKind::quantile;
  return ResultKind::receipt;
}

ReadResult read_one(const ResultText& given, base::WorkMeter& work) {
  ReadResult result{.name = given.name,
                    .sha256 = sha256_of_text(given.text),
                    .recorded = result_in(given.text, given.name)};
  if (result.recorded.model) {
    result.kind = ResultKind::model;
  } else if (result.recorded.schema) {
    result.kind = ResultKind::schema;
  } else {
    result.values = nlohmann::ordered_json::parse(given.text);
    result.kind = kind_of_values(result.values);
  }
  if (!result.is_protected()) return result;
  try {
    result.verified = verification_of(result.recorded, work);
    result.fault = result.verified->fault;
  } catch (const base::GuaranteeError& error) {
    result.fault = error.what();
  }
  return result;
}

}  // namespace

bool ReadResults::all_follow() const {
  return std::ranges::all_of(all, [](const ReadResult& one) { return one.fault.empty(); });
}

ReadResults read_results(const std::vector<ResultText>& texts, base::WorkMeter& work) {
  ReadResults results;
  JointCostSum sum;
  for (const auto& text : texts) {
    results.all.push_back(read_one(text, work));
    sum.add(results.all.back().recorded, text.name);
  }
  results.together = std::move(sum).total();
  return results;
}

}  // namespace tacet::report
