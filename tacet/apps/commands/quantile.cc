#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/receipt_notes.h"
#include "tacet/apps/spending.h"
#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/data/read/read_column.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/mechanism/point/quantile.h"
#include "tacet/privacy/cipher_share.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/receipt.h"
#include "tacet/privacy/statement.h"
#include "tacet/random/source/source.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view quantile_examples =
    "  tacet quantile data.csv --schema s.toml --column age --epsilon 1\n"
    "      the median, among numbers between the schema's bounds\n"
    "  tacet quantile data.csv --schema s.toml --column income --q 0.9 --lower 0 --upper 1e6\n"
    "      --step 100 --epsilon 0.5\n"
    "\n"
    "The answer is exactly epsilon-differentially private, and never a record's value by more "
    "than\n"
    "chance: it is chosen among public points. Bounds must be public; values outside count as the\n"
    "nearest bound.\n";

/// The cipher's term of one draw, which may read its leaf to the end.
const double cipher_delta = random::cipher_term(1, random::most_leaf_words);

class Quantile : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "quantile", "Release a quantile of one column", quantile_examples);
    options.add("data", data_, "FILE", "File with one record a line", Form::required);
    options.add("--schema,-s", schema_, "FILE", "Schema of the file", Form::required);
    options.add("--column,-c", column_, "NAME", "A numeric column, or the numeric target",
                Form::required);
    options.add("--epsilon,-e", epsilon_, "NUMBER", "Privacy parameter, above 0", Form::required);
    options.add("--q", level_, "NUMBER", "Which quantile: 0 smallest, 0.5 median, 1 largest value");
    options.add("--lower", lower_, "NUMBER", "Smallest possible answer; the schema's lower bound");
    options.add("--upper", upper_, "NUMBER", "Largest possible answer; the schema's upper bound");
    options.add("--step", step_, "NUMBER",
                "Distance of possible answers; 2^-40 of the bounds' distance, a day for dates");
    options.add("--adjacency", adjacency_, "NAME",
                "Who is protected: replace_one, zero_out or add_remove");
    seed_.declare(options);
    spending_.declare(options);
    notes_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto schema = data::load_schema(schema_);
    const auto bounds = data::numeric_bounds(schema, column_);
    const auto query = make_query(bounds);
    const privacy::Epsilon epsilon(number_option("--epsilon", epsilon_, "a number above 0"));
    const auto source = seed_.source();
    seed_.warn(console);
    ConsoleOutput output(console);
    const privacy::Epsilon spent(privacy::decimal_down(epsilon.value()));
    const run::Expense expense{.command = name(),
                               .data = data_,
                               .planned = mechanism::quantile_event(query, spent),
                               .cost = {epsilon.value(), 0, query.adjacency},
                               .schema = {&schema, schema_},
                               .unprotected_reason = seed_.unprotected_reason()};
    static_cast<void>(privacy::delta_left(expense.cost, cipher_delta));
    static_cast<void>(
        data::with_schema_cost(schema, {expense.planned, expense.cost, cipher_delta}));
    const auto notes = notes_.notes(schema, spending_.data_set(), schema_);
    privacy::Receipt receipt;
    const auto read = [&] { return data::read_numeric_column(data_, schema, column_, &cancel); };
    run::spend(expense, spending_.front(console, cancel), output, read,
               [&](const auto& values, privacy::Reservation& reservation, run::Pieces& result) {
                 const auto released =
                     mechanism::release_quantile(values, query, spent, {{}, *source, reservation});
                 auto own = receipt_of(query, released.event(), epsilon, *source);
                 own.public_row_count = schema.public_row_count;
                 receipt = data::with_schema_cost(schema, own);
                 receipt.notes = notes;
                 result.write(console.json() ? report_json(bounds, released, receipt)
                                             : value_text(bounds, released.value()) + "\n");
                 return cipher_delta;
               });
    if (!console.json()) console.say(paragraph(privacy::statement(receipt)));
  }

 private:
  [[nodiscard]] static std::string value_text(const data::ColumnBounds& bounds, double value) {
    return bounds.date ? data::date_text(std::llround(value)) : fmt::format("{}", value);
  }

  [[nodiscard]] mechanism::QuantileQuery make_query(const data::ColumnBounds& bounds) const {
    const auto number = [](const char* name, const std::string& text, double otherwise) {
      return text.empty() ? otherwise : number_option(name, text, "a number");
    };
    const double level = number_option("--q", level_, "a number from 0 to 1");
    if (!(level >= 0 && level <= 1)) {
      throw base::UsageError("--q must lie in [0, 1], got {}", level);
    }
    std::optional<double> step;
    if (bounds.date) step = 1;
    if (!step_.empty()) step = number_option("--step", step_, "a number above 0");
    return {.level = level,
            .grid = mechanism::Grid(number("--lower", lower_, bounds.lower),
                                    number("--upper", upper_, bounds.upper), step),
            .adjacency = privacy::parse_adjacency(adjacency_)};
  }

  [[nodiscard]] privacy::Receipt receipt_of(const mechanism::QuantileQuery& query,
                                            const privacy::Event& event, privacy::Epsilon epsilon,
                                            const random::Source& source) const {
    privacy::Receipt receipt;
    receipt.algorithm = "quantile by inverse sensitivity";
    receipt.calibration = "tight";
    receipt.parameters = ordered_json{
        {"column", column_},
        {"q", query.level},
        {"lower", query.grid.lower()},
        {"upper", query.grid.point(query.grid.last())},
        {"step",
         query.grid.step()}}.dump();
    receipt.events = event;
    receipt.guarantee = {epsilon.value(), 0, query.adjacency};
    receipt.software_version = base::version;
    receipt.cipher_delta = cipher_delta;
    if (!source.secure()) {
      receipt.randomness = privacy::Randomness::seeded;
      receipt.unprotected_reason = "seeded noise; for tests and experiments only";
    }
    return privacy::checked(receipt);
  }

  [[nodiscard]] std::string report_json(const data::ColumnBounds& bounds,
                                        const privacy::Released<double>& released,
                                        const privacy::Receipt& receipt) const {
    ordered_json out;
    out["column"] = column_;
    out["q"] = number_option("--q", level_, "a number from 0 to 1");
    out["value"] = released.value();
    if (bounds.date) out["date"] = value_text(bounds, released.value());
    out["privacy"] = privacy::statement(receipt);
    out["protected"] = receipt.is_protected();
    out["receipt"] = ordered_json::parse(privacy::receipt_to_json(receipt));
    return json_text(out);
  }

  std::string data_;
  std::string schema_;
  std::string column_;
  std::string epsilon_;
  std::string level_ = "0.5";
  std::string lower_;
  std::string upper_;
  std::string step_;
  std::string adjacency_ = "replace_one";
  SeedOption seed_;
  SpendingOptions spending_;
  NotesOptions notes_;
};

}  // namespace

std::unique_ptr<Command> make_quantile() { return std::make_unique<Quantile>(); }

}  // namespace tacet::apps
