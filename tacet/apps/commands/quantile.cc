#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/receipt_notes.h"
#include "tacet/apps/spending.h"
#include "tacet/base/error.h"
#include "tacet/data/read/read_column.h"
#include "tacet/report/results.h"
#include "tacet/run/quantile.h"

namespace tacet::apps {
namespace {

constexpr std::string_view quantile_examples =
    "  tacet quantile data.csv --schema s.toml --column age --epsilon 1\n"
    "      the median, among numbers between the schema's bounds\n"
    "  tacet quantile data.csv --schema s.toml --column income --q 0.9 --lower 0 --upper 1e6\n"
    "      --step 100 --epsilon 0.5\n"
    "\n"
    "The answer is exactly epsilon-differentially private, and never a record's value by more "
    "than\n"
    "probability: it is chosen among public points. Bounds must be public; values outside count as "
    "the\n"
    "nearest bound.\n";

class Quantile : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "quantile", "Release a quantile of one column", quantile_examples);
    options.add_records("data", data_, "File with one record per line", Reading::repeated);
    options.add("--schema,-s", schema_, "FILE", "Schema of the file", Form::required);
    options.add("--column,-c", column_, "COLUMN", "A numeric column, or the numeric target",
                Form::required);
    options.add("--epsilon,-e", epsilon_, "NUMBER", "Privacy parameter, above 0", Form::required);
    options.add("--q", level_, "NUMBER", "Which quantile: 0 smallest, 0.5 median, 1 largest value");
    options.add("--lower", lower_, "NUMBER",
                "Smallest possible answer [default: the schema's lower bound]");
    options.add("--upper", upper_, "NUMBER",
                "Largest possible answer [default: the schema's upper bound]");
    options.add(
        "--step", step_, "NUMBER",
        "Distance of possible answers [default: 2^-40 of the bounds' distance, a day for dates]");
    options.add("--adjacency", adjacency_, "NAME",
                "Who is protected: replace_one, zero_out or add_remove [default: as the account "
                "that pays, else replace_one]");
    options.offer("--adjacency", {"add_remove", "zero_out", "replace_one"});
    seed_.declare(options);
    output_.declare_result(options);
    spending_.declare(options);
    notes_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    auto request = request_of(data::load_schema(schema_));
    request.adjacency =
        chosen_adjacency({.adjacency = adjacency_, .usual_adjacency = request.adjacency},
                         spending_.terms(console, cancel, data_));
    const auto source = seed_.source();
    seed_.warn(console);
    const auto output = output_.open(console);
    const auto plan = run::plan_quantile(request);
    const auto notes = notes_.notes(request.schema, spending_.data_set(), schema_);
    run::ReleasedQuantile found;
    run::spend(
        {.command = name(),
         .data = data_,
         .planned = plan.event,
         .cost = plan.cost,
         .schema = {&request.schema, schema_},
         .unprotected_reason = seed_.unprotected_reason()},
        spending_.front(console, cancel), *output,
        [&] { return data::read_numeric_column(data_, request.schema, column_, &cancel); },
        [&](const auto& values, privacy::Reservation& reservation, run::Pieces& result) {
          found = run::release_quantile(request, plan, values, *source, reservation);
          found.receipt.notes = reservation.noted(notes);
          result.write(output_.json(console)
                           ? json_text(report::quantile_json(request, plan, found))
                           : report::quantile_text(plan, found.value) + "\n" +
                                 condition_text(found.receipt.notes.condition));
          return plan.prg_slack;
        });
    if (!console.json()) console.say(guarantee_text(found.receipt));
  }

 private:
  [[nodiscard]] run::QuantileRequest request_of(data::Schema schema) const {
    static_cast<void>(data::numeric_bounds(schema, column_));  // says first what is no column
    const auto number = [](const char* name, const std::string& text) {
      return text.empty() ? std::nullopt : std::optional(number_option(name, text, "a number"));
    };
    const double level = number_option("--q", level_, "a number from 0 to 1");
    if (!(level >= 0 && level <= 1)) {
      throw base::UsageError("--q must lie in [0, 1], got {}", level);
    }
    return {.schema = std::move(schema),
            .column = column_,
            .level = level,
            .lower = number("--lower", lower_),
            .upper = number("--upper", upper_),
            .step = step_.empty()
                        ? std::nullopt
                        : std::optional(number_option("--step", step_, "a number above 0")),
            .epsilon = privacy::Epsilon(number_option("--epsilon", epsilon_, "a number above 0"))};
  }

  std::string data_;
  std::string schema_;
  std::string column_;
  std::string epsilon_;
  std::string level_ = "0.5";
  std::string lower_;
  std::string upper_;
  std::string step_;
  std::string adjacency_;
  SeedOption seed_;
  OutputOptions output_;
  SpendingOptions spending_;
  NotesOptions notes_;
};

}  // namespace

std::unique_ptr<Command> make_quantile() { return std::make_unique<Quantile>(); }

}  // namespace tacet::apps
