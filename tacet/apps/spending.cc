#include "tacet/apps/spending.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacet/apps/command.h"

namespace tacet::apps {
namespace {

/// Each process of a job would book, draw noise of its own and write by itself: several noises on
/// one sum, which together hide less than was promised.
void refuse_many_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    const std::string_view digits(text);
    std::int64_t count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (count <= 1) continue;
    throw base::UsageError(
        "the program was started as {} processes of one job ({}), each of which would spend by "
        "itself; start one. For records that lie on many machines Python has tacet.Parts "
        "(docs/how-to/cluster.md)",
        count, name);
  }
}

}  // namespace

void SpendingOptions::declare(Options& options) {
  account_.offers_ways_past = true;
  options.heading("Budget");
  options.add("--ledger", account_.ledger, "FILE",
              "Book the cost in this ledger, before the data are read");
  options.add("--data-set", account_.data_set, "NAME",
              "Name of the account in the ledger [default: the only one, or the file's own]");
  options.add("--without-ledger", account_.override_reason, "REASON",
              "Spend past the cap of data that have an account; the reason and the cost stay in "
              "their ledger. What protects nobody, as exact figures, makes the account infinite "
              "from now on: it also needs --for-ever");
  options.flag("--for-ever", account_.for_ever,
               "With --without-ledger: an infinite account can promise nothing any more, and "
               "nothing undoes that");
  options.heading("Options");
}

void SpendingOptions::declare_look(Options& options) {
  options.heading("Budget");
  options.add("--attested-look", account_.look_reason, "REASON",
              "You own the records, nobody else sees the output and it decides nothing about later "
              "releases: kept in the ledger at no cost, and stated by every later receipt as a "
              "condition [default: none]");
  options.heading("Options");
}

run::Front SpendingOptions::front(const Console& console, const base::CancelToken& cancel) const {
  refuse_many_processes();
  return {.account = account_,
          .warn = [&console](std::string_view line) { console.warn(line); },
          .cancel = &cancel};
}

std::optional<run::AccountTerms> SpendingOptions::terms(const Console& console,
                                                        const base::CancelToken& cancel,
                                                        const std::string& data) const {
  return run::terms_of(data, front(console, cancel), {});
}

privacy::Adjacency chosen_adjacency(const GuaranteeChoice& choice,
                                    const std::optional<run::AccountTerms>& terms) {
  if (!choice.adjacency.empty()) return privacy::parse_adjacency(choice.adjacency);
  return terms ? terms->adjacency : choice.usual_adjacency;
}

std::optional<double> chosen_delta(const GuaranteeChoice& choice,
                                   const std::optional<run::AccountTerms>& terms,
                                   const Console& console) {
  if (!choice.delta.empty()) {
    return number_option("--delta", choice.delta, "a number from 0 to below 1");
  }
  if (!terms) return choice.usual_delta;
  const auto fitting = run::fitting_delta(*terms, choice.usual_delta);
  if (fitting && fitting != choice.usual_delta) {
    console.say(fmt::format("delta {}: what fits the account '{}'; --delta names another", *fitting,
                            terms->data_set));
  }
  return fitting;
}

std::string other_account(std::string_view terms) {
  return fmt::format(
      "`tacet ledger init OTHER --data-set NAME --data FILE {} --override --reason TEXT` makes one "
      "for the same data, in words that both ledgers keep, and `--ledger OTHER` pays from it",
      terms);
}

void refuse_in_account(const base::GuaranteeError& error, const run::AccountTerms& terms,
                       std::string_view way) {
  std::string counts = fmt::format("{} budgets in {}", privacy::to_string(terms.adjacency),
                                   ledger::to_string(terms.currency));
  if (terms.currency == ledger::Currency::basic) {
    counts += fmt::format(" and has delta {} left", terms.delta_left);
  } else if (terms.currency == ledger::Currency::pure) {
    counts += ", without any delta";
  }
  throw base::GuaranteeError("{}. The account '{}' counts {}: {}", error.what(), terms.data_set,
                             counts, way);
}

void ConsoleOutput::appear() {
  console_.result(text_);
  flush_results();
}

void OutputOptions::declare(Options& options) {
  options.add("--output,-o", path_, "FILE", "File to write [default: standard output]");
  options.flag("--force", force_, "Overwrite the output file");
}

void OutputOptions::declare_result(Options& options) {
  options.add("--output,-o", path_, "FILE",
              "File to write, as JSON with its receipt if the name ends with .json [default: "
              "standard output]");
  options.flag("--force", force_, "Overwrite the output file");
}

std::unique_ptr<run::Output> OutputOptions::open(const Console& console) const {
  if (file().empty()) return std::make_unique<ConsoleOutput>(console);
  return std::make_unique<run::FileOutput>(file(), overwrite());
}

void SeedOption::declare(Options& options) {
  options.add("--seed", seed_, "COUNT",
              "Repeatable noise from a known seed, which protects nobody: for tests");
}

std::unique_ptr<random::Source> SeedOption::source() const {
  if (seed_.empty()) return random::SecureSource::create();
  const auto number = static_cast<std::uint64_t>(count_option("--seed", seed_, 0));
  return std::make_unique<random::SeededSource>(number);
}

void SeedOption::warn(const Console& console) const {
  if (seed_.empty()) return;
  console.warn("PRIVACY: NONE (seeded noise; for tests and experiments only)");
}

std::string SeedOption::unprotected_reason() const {
  return seed_.empty() ? "" : "noise from a known seed";
}

}  // namespace tacet::apps
