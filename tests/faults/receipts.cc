// Faults of what looks at receipts: an edited one follows from itself.

#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/report/verification.h"
#include "tests/faults/fault_tests.h"

namespace tacet::faults {
namespace {

using enum privacy::Adjacency;

/// What a small training leaves.
model::ModelFile genuine(privacy::Adjacency adjacency, const std::string& method = "gradient") {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.public_row_count = 6;
  choose::Request request(adjacency);
  request.set("method", method).set("epsilon", 1).set("delta", 1e-5);
  if (method == "gradient") request.set("steps", std::int64_t{3});
  const auto plan = choose::plan(request, schema);
  data::Dataset records(plan.reading_schema().shape());
  for (int i = 0; i < 6; ++i) records.append_dense(std::vector<std::int16_t>{1024, 1024}, 1);
  random::SeededSource source(7);
  privacy::TrustingBudget budget(adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool threads(1);
  auto trained = plan.run(records, plan.schema, {source, reservation, threads});
  return {.schema = plan.schema,
          .model = std::move(trained.model),
          .receipt = std::move(trained.receipt)};
}

bool follows(const report::RecordedResult& result) {
  base::WorkMeter work(base::default_patience, nullptr);
  return report::verification_of(result, work).verdict == report::Verdict::follows;
}

/// An edited receipt follows; the one that was edited has to, or nothing is tested.
template <typename Edit>
Finding edited(const model::ModelFile& file, const Edit& edit) {
  report::RecordedResult result{.receipt = file.receipt};
  result.receipt.unprotected_reason.clear();  // as if its noise had been secret
  if (!follows(result)) throw base::InternalError("the genuine receipt does not follow");
  edit(result);
  return certain(follows(result), 1);
}

Finding other_adjacency() {
  return edited(genuine(replace_one), [](report::RecordedResult& result) {
    result.receipt.guarantee.adjacency = add_remove;  // at which this noise costs half
  });
}

/// Units cost this method a draw, whose share of delta single records have not paid.
Finding other_unit() {
  return edited(genuine(add_remove, "objective"), [](report::RecordedResult& result) {
    result.receipt.privacy_unit = "patient";
    result.receipt.parameters.insert(1, "\"max_records_per_unit\": 1, ");
  });
}

Finding other_name() {
  return edited(genuine(add_remove),
                [](report::RecordedResult& result) { result.receipt.algorithm = "something new"; });
}

/// Two steps of three: what is stated costs more than these.
Finding other_events() {
  return edited(genuine(add_remove), [](report::RecordedResult& result) {
    const auto* steps = result.receipt.events.as<privacy::Repeated>();
    if (steps == nullptr) throw base::InternalError("three steps are no repeated release");
    result.receipt.events = privacy::Repeated{2, *steps->base};
  });
}

Finding other_sentence() {
  return edited(genuine(add_remove), [](report::RecordedResult& result) {
    result.statement = "Nobody can learn anything about anybody.";
  });
}

Finding other_checksum() {
  const auto file = genuine(add_remove);
  auto text = model::model_to_json(file);
  const auto place = text.find("\"noise_multiplier\": ");
  if (place == std::string::npos) throw base::InternalError("the receipt has no multiplier");
  auto& digit = text[text.find_first_of("123456789", place)];
  digit = digit == '9' ? '8' : static_cast<char>(digit + 1);
  try {
    (void)model::model_from_json(text, "edited.json");
    return certain(true, 1);
  } catch (const base::DataError&) {
    return certain(false, 1);
  }
}

constexpr FaultTest tests[] = {{"receipt_of_another_adjacency", other_adjacency},
                               {"receipt_of_another_unit", other_unit},
                               {"receipt_of_another_name", other_name},
                               {"receipt_of_other_events", other_events},
                               {"receipt_with_another_sentence", other_sentence},
                               {"edited_file_with_its_checksum", other_checksum}};

}  // namespace

std::span<const FaultTest> receipt_tests() { return tests; }

}  // namespace tacet::faults
