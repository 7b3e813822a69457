#include "tacet/apps/one_run_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/base/error.h"

namespace tacet::apps {

bool audits_a_table(const CommandLine& line) {
  return line.was_given("--schema") || line.was_given("-s");
}

std::string claim_text(const privacy::Guarantee& claim) {
  return fmt::format("epsilon {:.4g} at delta {:.4g}", claim.epsilon, claim.delta);
}

std::int64_t guess_count(const std::string& given, std::int64_t canaries) {
  const auto made = given.empty() ? (canaries + 9) / 10 : count_option("--guesses", given, 1);
  if (made > canaries) {
    throw base::UsageError("--guesses must be at most the {} canaries, got {}", canaries, made);
  }
  return made;
}

std::string one_run_report(const Console& console, const audit::Guesses& guesses,
                           std::int64_t copies, const privacy::Guarantee& claim) {
  const double bound = audit::one_run_bound_of_copies(guesses, copies, claim.delta, one_run_level);
  if (console.json()) {
    return json_text({{"canaries", guesses.canaries},
                      {"copies", copies},
                      {"guesses", guesses.made},
                      {"right", guesses.right},
                      {"level", one_run_level},
                      {"epsilon_at_least", json_number(bound)},
                      {"claimed_epsilon", json_number(claim.epsilon)},
                      {"delta", claim.delta}});
  }
  return fmt::format(
      "Guessed rightly of {} canaries: {} of {}\n"
      "Claimed: {}\n"
      "Measured: epsilon at least {:.4g} (95 %, one run)\n",
      guesses.canaries, guesses.right, guesses.made, claim_text(claim), bound);
}

std::string one_run_refutation(const audit::Guesses& guesses, std::int64_t copies,
                               const privacy::Guarantee& claim) {
  const double bound = audit::one_run_bound_of_copies(guesses, copies, claim.delta, one_run_level);
  if (bound <= claim.epsilon) return {};
  return fmt::format(
      "the claim of {} is refuted: epsilon is at least {:.4g}. By chance this happens in at most "
      "one of 20 audits of correct code; repeat it, and if it happens again report how it was "
      "run, its output and the version of tacet as SECURITY.md says",
      claim_text(claim), bound);
}

}  // namespace tacet::apps
