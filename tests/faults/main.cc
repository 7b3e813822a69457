// fault_tests FAULT...   runs the tests of these faults: all of them have to find one.
// fault_tests            runs all tests on the product as it is: none may find one.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "tacet/audit/subjects.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/faults/fault_tests.h"

namespace tacet::faults {

Finding audited(const audit::Subject& subject, std::int64_t trials) {
  base::ThreadPool threads(base::available_threads());
  const auto found = audit::audit(subject, {.trials = trials, .seed = 55}, threads);
  return {found.p_value, 2 * trials};
}

Finding audited(std::string_view name, const privacy::Guarantee& claim, std::int64_t trials) {
  return audited(audit::subject_of(audit::find_audit(name), claim), trials);
}

Finding share_is(double share, std::int64_t times, std::int64_t runs) {
  return {audit::p_value([&](double of) {
            return audit::binomial_lower_bound(times, runs, of / 2) > share ||
                   audit::binomial_upper_bound(times, runs, of / 2) < share;
          }),
          runs};
}

audit::Subject subject_of(const privacy::Event& event, const privacy::Guarantee& claim,
                          Shown shown) {
  audit::Subject subject{.claim = claim};
  subject.draw = [event, adjacency = claim.adjacency, shown = std::move(shown)](
                     bool other, std::uint64_t seed, std::span<double> out) {
    random::SeededSource source(seed);
    privacy::TrustingBudget budget(adjacency);
    auto reservation = budget.reserve(privacy::Repeated{std::ssize(out), event},
                                      {std::numeric_limits<double>::infinity(), 0, adjacency});
    std::uint64_t step = 0;
    for (double& number : out) number = shown(other, {{.step = step++}, source, reservation});
  };
  return subject;
}

namespace {

std::vector<FaultTest> all_tests() {
  std::vector<FaultTest> all;
  for (const auto tests : {noise_tests(), sum_tests(), part_tests(), selection_tests(),
                           training_tests(), source_tests(), report_tests(), receipt_tests()}) {
    all.insert(all.end(), tests.begin(), tests.end());
  }
  return all;
}

/// Whether the test says what it has to.
bool holds(const FaultTest& test, bool planted) {
  const auto [p_value, runs] = test.run();
  const bool found = p_value < level;
  fmt::print(
      "{0:<38} test fault_{0:<38} p-value {1:<9.3g} runs {2:<7} {3}\n", test.fault, p_value, runs,
      found == planted ? (planted ? "found" : "sound") : (planted ? "NOT FOUND" : "FALSE ALARM"));
  std::fflush(stdout);
  return found == planted;
}

int run(const std::vector<std::string>& planted) {
  const auto tests = all_tests();
  bool good = true;
  if (planted.empty()) {
    for (const auto& test : tests) good = holds(test, false) && good;
  }
  for (const auto& name : planted) {
    const auto test = std::ranges::find(tests, name, &FaultTest::fault);
    if (test == tests.end()) {
      fmt::print("there is no test of the fault {}\n", name);
      return 2;
    }
    good = holds(*test, true) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tacet::faults

int main(int argc, char** argv) {
  try {
    return tacet::faults::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 2;
  }
}
