#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/apps/command.h"
#include "tacet/apps/expect_claim.h"
#include "tacet/apps/one_run_report.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/spool_option.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_run.h"
#include "tacet/audit/canaries.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/method.h"

namespace tacet::apps {
namespace {

constexpr std::string_view examples =
    "  tacet audit one-run data.csv --schema s.toml --epsilon 4 --canaries 6 --public\n"
    "      adds each of 6 records or not, by a random draw, trains once, and guesses which;\n"
    "      at most as many as encoded columns, without the intercept\n"
    "  tacet audit one-run data.csv --schema s.toml --epsilon 1 --canaries 6 --ledger b.ledger\n"
    "      costs what the training costs: one of the two has to be given\n"
    "\n"
    "Takes the options of `tacet train`. The bound holds at 95 %. Exit code 5 where the claim is\n"
    "refuted. A bound below the claim proves nothing.\n";

/// `audit one-run` of a table: what is inserted into its training are records.
class OneRunOfRecords : public Command {
 public:
  void declare(CommandLine& line) override {
    if (!audits_a_table(line)) return;
    auto& options = add(line, "audit one-run",
                        "Bound epsilon from below by one training with inserted records", examples);
    options.add_records("data", data_, "File with one record per line", Reading::once);
    training_.declare(options);
    options.heading("Output");
    spending_.declare(options);
    seed_.declare(options);
    spool_.declare(options);
    options.heading("Audit");
    options.flag("--public", public_, "The records need no protection: nothing is booked");
    options.add("--canaries", canaries_, "COUNT",
                "Records that are added or not, each by a random draw, each in a column of its own "
                "[default: as many as the schema has columns, at most 1000]");
    options.add("--guesses", guesses_, "COUNT",
                "How many of them are guessed at, fixed beforehand [default: a tenth]");
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    if (!public_ && !spending_.names_a_ledger()) {
      throw base::UsageError(
          "an audit of a training costs what the training costs; name the account that pays with "
          "--ledger, or give --public if these records are public");
    }
    training_.fit_to(spending_.terms(console, cancel, data_), console);
    const auto request = asked();
    choose::check(request);
    auto schema = training_.schema();
    const auto alone = expect_claim([&] { return choose::plan(request, schema); });
    const auto count = canary_count(alone);
    // Where a record that is left out keeps its place, the canaries are records more.
    if (alone.guarantee.adjacency == privacy::Adjacency::zero_out && schema.public_row_count) {
      *schema.public_row_count += count;
    }
    const auto plan = expect_claim([&] { return choose::plan(request, schema); });
    const auto source = seed_.source();
    auto draws = draws_of(*source);
    const audit::Canaries canaries(plan, count, draws);
    const auto made = guess_count(guesses_, count);
    attack(plan, canaries, made, *source, console, cancel, request);
  }

 private:
  /// A canary is scored by the column that is its own, so that columns stay those of the schema
  /// unless somebody says otherwise.
  [[nodiscard]] choose::Request asked() const {
    auto request = training_.request();
    constexpr std::array<std::pair<std::string_view, const char*>, 3> kept{
        {{"curves", "none"}, {"knots", "none"}, {"feature-selection", "all"}}};
    const auto method = request.value("method").value_or("auto");
    for (const auto& [name, value] : kept) {
      const auto readers = learn::readers_of(name);
      const bool read = method == "auto" || readers.empty() ||
                        std::ranges::find(readers, method) != readers.end();
      if (read && !request.value(name)) request.set(name, value);
    }
    return request;
  }

  /// Which records are in: of a run of random numbers before that of the training.
  static data::RandomDraws draws_of(random::Source& source) {
    std::uint64_t word = 0;
    {
      const random::KeystreamBlock block(source.claim(random::Purpose::audit, 0, 0));
      random::KeystreamBlockReader(block).words(0, {&word, 1});
    }
    source.next_run();
    return data::RandomDraws(word);
  }

  [[nodiscard]] std::int64_t canary_count(const learn::Training& plan) const {
    constexpr std::int64_t usual = 1000;
    if (!canaries_.empty()) return count_option("--canaries", canaries_, 1);
    return std::min(usual, audit::room_for_canaries(plan));
  }

  void attack(const learn::Training& plan, const audit::Canaries& canaries, std::int64_t made,
              random::Source& source, const Console& console, const base::CancelToken& cancel,
              const choose::Request& request) {
    if (plan.unprotected()) {
      console.warn("PRIVACY: NONE (epsilon inf: what is printed may reveal any record)");
    } else {
      seed_.warn(console);
    }
    const auto threads = TrainingRun::threads(console, request.values());
    const auto spool = spool_.open();
    std::string fault;
    ConsoleOutput output(console);
    ProgressLine progress(console);
    const base::Supervision supervision{.progress = &progress, .cancel = &cancel};
    run::spend(
        expense_of(plan), spending_.front(console, cancel), output,
        [&](data::ByteObserver* seen) {
          progress.announce("reading " + data_);
          return data::read_dataset(data_, plan.reading_schema(),
                                    {.units = data::UnitUse::index,
                                     .cancel = &cancel,
                                     .threads = threads.get(),
                                     .passes = data::Passes::once,
                                     .observers = {seen},
                                     .spool = spool});
        },
        [&](data::Dataset& records, privacy::Reservation& reservation, run::Pieces& result) {
          canaries.insert(records);
          const auto trained = plan.consume(std::move(records), plan.schema,
                                            {.source = source,
                                             .reservation = reservation,
                                             .threads = *threads,
                                             .supervision = supervision});
          progress.clear();
          const auto guesses = canaries.guess(trained.model, made);
          result.write(one_run_report(console, guesses, 1, trained.receipt.guarantee));
          fault = one_run_refutation(guesses, 1, trained.receipt.guarantee);
          return trained.receipt.prg_slack;
        });
    if (!fault.empty()) throw base::GuaranteeError("{}", fault);
  }

  [[nodiscard]] run::Expense expense_of(const learn::Training& plan) const {
    return {.command = name(),
            .data = data_,
            .privacy_unit = plan.schema.unit.value_or("record"),
            .planned = plan.events,
            .cost = plan.guarantee,
            .schema = {&plan.schema, training_.schema_file()},
            .unprotected_reason =
                plan.unprotected() ? "trained with epsilon inf" : seed_.unprotected_reason()};
  }

  std::string data_;
  TrainingOptions training_;
  SpendingOptions spending_;
  SeedOption seed_;
  SpoolOption spool_;
  bool public_ = false;
  std::string canaries_;
  std::string guesses_;
};

}  // namespace

std::unique_ptr<Command> make_audit_records() { return std::make_unique<OneRunOfRecords>(); }

}  // namespace tacet::apps
