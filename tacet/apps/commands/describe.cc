#include "tacet/apps/describe.h"
#include "tacet/apps/receipt_notes.h"
#include "tacet/apps/report_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/error.h"
#include "tacet/data/schema/schema.h"
#include "tacet/report/results.h"
#include "tacet/run/summary.h"

namespace tacet::apps {
namespace {

constexpr std::string_view describe_examples =
    "  tacet describe data.csv --schema s.toml --epsilon 1\n"
    "      number of records, missing values, quartiles of numbers, shares of categories\n"
    "  tacet describe data.csv --schema s.toml --epsilon 0.5 --delta 0 --json -o summary.json\n"
    "\n"
    "One budget for the whole table. Columns, bounds and categories are the schema's: what it\n"
    "does not list counts as '(other)', numbers outside of the bounds count as the nearest bound.\n"
    "A column that nobody needs costs a part of the budget: declare it 'ignored' in a schema of\n"
    "its own.\n";

// Longer lists of categories are cut on a terminal; --json has all of them.
constexpr std::size_t max_kinds = 12;

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

class Describe : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "describe", "Release a summary of all columns", describe_examples);
    options.add_records("data", data_, "CSV file with one record per line", Reading::repeated);
    options.add("--schema,-s", schema_, "FILE", "Schema of the file", Form::required);
    options.add("--epsilon,-e", epsilon_, "NUMBER", "Privacy parameter of the whole summary",
                Form::required);
    options.add("--delta,-d", delta_, "NUMBER",
                "Probability mass on which epsilon may be exceeded; 0: none [default: 1e-6, or "
                "less where the account that pays has little left]");
    options.add(
        "--max-records-per-unit", max_records_per_unit_, "COUNT",
        "How many of a unit's records count, chosen by a secret random draw, where the schema "
        "has a unit column; noise grows with it [default: 1]");
    options.add("--adjacency", adjacency_, "NAME",
                "Who is protected: add_remove, zero_out or replace_one [default: as the account "
                "that pays, else add_remove]");
    seed_.declare(options);
    output_.declare_result(options);
    page_.declare(options);
    spending_.declare(options);
    notes_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    auto request = request_of(data::load_schema(schema_));
    choose_guarantee(request, console, cancel);
    const auto source = seed_.source();
    seed_.warn(console);
    const auto plan = run::plan_summary(request);
    auto receipt = run::summary_receipt(request, plan, *source);
    receipt.notes = notes_.notes(request.schema, spending_.data_set(), schema_);
    page_.refuse_same(output_.file());
    const auto output = output_.open(console);
    auto page = page_.open(output_.overwrite());
    std::string released;  // for the page
    const auto records = data::csv_records(data_, request.schema.format);
    run::spend(
        {.command = name(),
         .data = data_,
         .privacy_unit = plan.privacy_unit,
         .planned = plan.events,
         .cost = plan.guarantee,
         .schema = {&request.schema, schema_},
         .unprotected_reason = seed_.unprotected_reason()},
        spending_.front(console, cancel), *output,
        [&] { return run::read_for_summary(request, records, *source, &cancel); },
        [&](const data::TableCounts& counts, privacy::Reservation& reservation,
            run::Pieces& result) {
          receipt.notes = reservation.noted(receipt.notes);
          const auto found = run::summarise(request, plan, counts, {*source, reservation, &cancel});
          released = json_text(report::summary_json(plan, found, receipt));
          result.write(output_.json(console)
                           ? released
                           : summary_text(plan, found) + condition_text(receipt.notes.condition));
          return plan.prg_slack;
        });
    if (!console.json()) console.say(guarantee_text(receipt));
    page_.write(std::move(page), {output_.json(console) ? output_.file() : std::string(), released},
                console, cancel);
  }

 private:
  [[nodiscard]] run::SummaryRequest request_of(data::Schema schema) const {
    const double epsilon = number_option("--epsilon", epsilon_, "a number above 0");
    if (!(epsilon > 0 && epsilon <= 1e6)) {
      throw base::UsageError("--epsilon must be above 0 and finite, got {}", epsilon_);
    }
    std::int64_t records = 1;
    if (!max_records_per_unit_.empty()) {
      if (!schema.unit) {
        throw base::UsageError("--max-records-per-unit needs a schema with a unit column");
      }
      records = count_option("--max-records-per-unit", max_records_per_unit_, 1);
    }
    return {std::move(schema), records, {epsilon, 0, privacy::Adjacency::add_remove}};
  }

  void choose_guarantee(run::SummaryRequest& request, const Console& console,
                        const base::CancelToken& cancel) const {
    const GuaranteeChoice choice{.adjacency = adjacency_,
                                 .usual_adjacency = request.asked.adjacency,
                                 .delta = delta_,
                                 .usual_delta = 1e-6};
    const auto terms = spending_.terms(console, cancel, data_);
    request.asked.adjacency = chosen_adjacency(choice, terms);
    request.asked.delta = privacy::Delta(chosen_delta(choice, terms, console).value_or(0)).value();
  }

  [[nodiscard]] static std::string summary_text(const run::SummaryPlan& plan,
                                                const run::Summary& found) {
    std::string text = records_text(plan, found);
    TextTable numbers({"column", "lower quartile", "median", "upper quartile", "missing"});
    TextTable kinds({"column", "value", "share"});
    bool any_number = false;
    bool any_kind = false;
    for (std::size_t k = 0; k < plan.columns.size(); ++k) {
      const auto& column = plan.columns[k];
      if (const auto& quartiles = found.columns[k].quartiles) {
        any_number = true;
        numbers.add({column.name, data::value_text(column, (*quartiles)[0]),
                     data::value_text(column, (*quartiles)[1]),
                     data::value_text(column, (*quartiles)[2]), percent(found.share(k, 1))});
      } else {
        any_kind = true;
        add_kinds(kinds, column, found, k);
      }
    }
    if (any_number) text += "\n" + numbers.text();
    if (any_kind) text += "\n" + kinds.text();
    return text + "\n" + paragraph(margin_text(plan, found)) + "\n";
  }

  [[nodiscard]] static std::string records_text(const run::SummaryPlan& plan,
                                                const run::Summary& found) {
    if (!plan.answers.counts_records) return fmt::format("{} records (public)\n", found.records);
    return fmt::format("about {} records{}\n", found.records,
                       plan.privacy_unit == "record" ? "" : " that count");
  }

  /// A listed value that looks like one of the others stands in quotes.
  [[nodiscard]] static std::string shown_kind(const data::SummaryColumn& column, std::size_t kind) {
    const auto& text = column.kinds[kind];
    const bool listed = report::kind_word(column, kind) == "value";
    const bool looks_alike = text == "(other)" || text == "(missing)" || text == "present";
    return listed && looks_alike ? fmt::format("'{}'", text) : text;
  }

  /// The most frequent first, as the noise has them.
  static void add_kinds(TextTable& table, const data::SummaryColumn& column,
                        const run::Summary& found, std::size_t k) {
    std::vector<std::size_t> order(column.kinds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return found.columns[k].counts[a] > found.columns[k].counts[b];
    });
    const std::size_t shown = std::min(order.size(), max_kinds);
    for (std::size_t place = 0; place < shown; ++place) {
      table.add({place == 0 ? column.name : "", shown_kind(column, order[place]),
                 percent(found.share(k, order[place]))});
    }
    if (shown < order.size()) {
      table.add({"", fmt::format("and {} others", order.size() - shown), ""});
    }
  }

  /// How far noise may carry: ranks and counts from public facts, shares of what is known by now.
  [[nodiscard]] static std::string margin_text(const run::SummaryPlan& plan,
                                               const run::Summary& found) {
    const auto of_records = [&](double records) {
      return percent(records / static_cast<double>(std::max<std::int64_t>(found.records, 1)));
    };
    double ranks = 0;
    for (const auto& grid : plan.grids) {
      if (grid) ranks = std::max(ranks, mechanism::quartile_margin(plan.quartile, *grid));
    }
    auto text = fmt::format(
        "Each with a probability of 95 %, by privacy's noise: a share is off by {} at most",
        of_records(mechanism::share_margin(plan.counts)));
    if (ranks > 0) {
      text += fmt::format(
          "; between the quartiles of a column and the true ones lie at most {:.0f} records ({}), "
          "beside half a step of the column's public grid",
          ranks, of_records(ranks));
    }
    return text + ".";
  }

  std::string data_;
  std::string schema_;
  std::string epsilon_;
  std::string delta_;
  std::string max_records_per_unit_;
  std::string adjacency_;
  SeedOption seed_;
  OutputOptions output_;
  SpendingOptions spending_;
  NotesOptions notes_;
  ReportOption page_;
};

}  // namespace

std::unique_ptr<Command> make_describe() { return std::make_unique<Describe>(); }

}  // namespace tacet::apps
