#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tacet/audit/black_box.h"
#include "tacet/mechanism/release_context.h"

/// A test for each planted fault, by the fault's name. The same code runs on the product as it is,
/// where it may find nothing, and with the fault, which it has to find.
namespace tacet::faults {

/// What a test found: the probability that sound code would look at least as bad, at most.
struct Finding {
  double p_value;
  std::int64_t runs;
};

struct FaultTest {
  std::string_view fault;  ///< tests/faults/FAULT.patch
  Finding (*run)();
};

/// Faults below this p-value are found, and sound code has to stay above it.
constexpr double level = 1e-6;

[[nodiscard]] std::span<const FaultTest> noise_tests();
[[nodiscard]] std::span<const FaultTest> sum_tests();
[[nodiscard]] std::span<const FaultTest> part_tests();
[[nodiscard]] std::span<const FaultTest> selection_tests();
[[nodiscard]] std::span<const FaultTest> training_tests();
[[nodiscard]] std::span<const FaultTest> source_tests();
[[nodiscard]] std::span<const FaultTest> report_tests();
[[nodiscard]] std::span<const FaultTest> receipt_tests();

/// The audit of a subject, on as many threads as there are.
[[nodiscard]] Finding audited(const audit::Subject& subject, std::int64_t trials);
/// The same of one that `audit run` knows.
[[nodiscard]] Finding audited(std::string_view name, const privacy::Guarantee& claim,
                              std::int64_t trials);

/// That this share of runs shows something, looked at from both sides.
[[nodiscard]] Finding share_is(double share, std::int64_t times, std::int64_t runs);

/// Something that sound code never does.
[[nodiscard]] inline Finding certain(bool found, std::int64_t runs) {
  return {found ? 0.0 : 1.0, runs};
}

/// Runs from one seed that show one number each, and pay for it.
using Shown = std::function<double(bool other, const mechanism::ReleaseContext& context)>;
[[nodiscard]] audit::Subject subject_of(const privacy::Event& event,
                                        const privacy::Guarantee& claim, Shown shown);

}  // namespace tacet::faults
