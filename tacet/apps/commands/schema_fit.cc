#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/shared_options.h"
#include "tacet/apps/spending.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/read/column_contents.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/unit_sample.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/data/schema/schema.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/run/schema_fit.h"

namespace tacet::apps {
namespace {

constexpr std::string_view schema_fit_examples =
    "  tacet schema fit data.csv --epsilon 1 --target income --positive \">50K\" -o s.toml\n"
    "  tacet schema fit data.csv --epsilon 0.5 --delta 0 --target price --ignore id -o s.toml\n"
    "  tacet schema fit visits.csv --epsilon 1 --unit patient --max-records-per-unit 3 -o s.toml\n"
    "\n"
    "For data of which nobody knows bounds and categories. The names of the columns are public\n"
    "and stand in the first line. Each column gets an equal share of epsilon and delta: noisy\n"
    "counts of numbers and texts, then two private quantiles as bounds of numbers, or the texts\n"
    "above a noisy count. With few records or many columns the bounds hold a smaller share of the\n"
    "numbers; a column that the budget is too small for is ignored, and what it would take is "
    "said.\n"
    "With delta 0 texts become hashed columns, which need no list. What this costs stands\n"
    "in the schema, and the receipt of everything computed with it carries it along. A schema\n"
    "written from a codebook costs nothing: prefer it where you have one. Where a person has\n"
    "several records, --unit names the column that tells whose they are: a fit that protects\n"
    "single records is refused wherever units are protected.\n";

class SchemaFit : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "schema fit",
                        "Take bounds and categories from private records, for a part of the budget",
                        schema_fit_examples);
    options.add_records("data", data_, "CSV file with one record per line", Reading::repeated);
    options.add("--epsilon,-e", epsilon_, "NUMBER",
                "Privacy parameter of the whole schema, above 0", Form::required);
    options.add("--delta,-d", delta_, "NUMBER",
                "Share that lists of categories may cost; 0: no lists [default: 1e-6, or what fits "
                "the account that pays]");
    options.add("--target", target_, "COLUMN",
                "Column to predict: a number, or of classes, then with --positive or --class");
    options.add("--positive", positive_, "LABEL",
                "The target has two classes, and this label is one");
    options.add("--class", classes_, "LABEL",
                "The target has three classes or more; give each label once");
    options.add("--target-kind", target_kind_, "NAME",
                "number, count (whole numbers from 0 on) or probability (from 0 to 1) [default: "
                "number]");
    options.offer("--target-kind", {"number", "count", "probability"});
    options.add("--categorical", codes_, "COLUMN",
                "Column whose numbers are codes, such as postal codes; may be given several times");
    options.add("--numeric", numbers_, "COLUMN",
                "Column that is a number although its name looks like a code's");
    options.add("--date", dates_, "COLUMN",
                "Column of dates, see --date-format; may be given several times");
    options.add("--ignore", ignored_, "COLUMN",
                "Column that is not read; may be given several times");
    options.add("--unit", unit_, "COLUMN",
                "Column whose value names whose record it is: all records of one are protected "
                "together, in training too");
    options.add(
        "--max-records-per-unit", max_records_per_unit_, "COUNT",
        "How many of a unit's records count, chosen by a secret random draw; noise grows with "
        "it [default: 1]");
    options.add("--coverage", coverage_, "NUMBER",
                "Share of a column's numbers between its bounds");
    options.add("--max-categories", max_categories_, "COUNT", "Longest list of categories");
    options.add("--hashed-features", max_hashed_, "COUNT",
                "Most features of all columns together whose texts are hashed");
    options.add("--public-row-count", row_count_, "COUNT",
                "Number of records, or a public guess of it, to write into the schema");
    options.add("--separator", separator_, "CHAR",
                "Character between fields [default: the one that cuts the line of names]");
    options.add("--quote", quote_, "CHAR", "Character around fields that need it, empty for none");
    options.flag("--fill-short", fill_short_, "Lines with too few fields end with empty ones");
    options.flag("--trim", trim_, "Drop blanks around fields");
    options.flag("--header", header_,
                 "The first line holds the columns' names, whatever it looks like");
    options.flag("--no-header", no_header_,
                 "The first line is a record; columns are named column_1, column_2, ...");
    options.exclude("--no-header", "--header");
    spelling_.declare(options);
    options.add("--columns", column_count_, "COUNT",
                "How many columns there are, with --no-header");
    options.add("--adjacency", adjacency_, "NAME",
                "Who is protected: add_remove (serves replace_one too) or zero_out [default: as "
                "the account that pays, else add_remove]");
    options.offer("--adjacency", {"add_remove", "zero_out"});
    seed_.declare(options);
    output_.declare(options);
    spending_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto source = seed_.source();
    seed_.warn(console);
    auto request = what_is_said();
    if (!source->secure()) {
      request.frame.description =
          "Bounds and categories fitted with seeded noise, which protects nobody.";
    }
    request.frame.format = data::with_found_separator(data_, request.frame.format, named_columns());
    auto names = data::column_names(data_, request.frame.format);
    if (request.frame.format.header) {
      data::check_header(names, data_,
                         header_ ? data::HeaderTrust::declared : data::HeaderTrust::guessed);
    }
    const auto paid_under = set_budget(request, console, cancel);
    const auto plan = run::plan_fit(request, std::move(names), *source);
    say_codes(plan.names, request, console);
    const auto booked = booked_cost(request, plan, paid_under);
    if (paid_under != request.asked.adjacency) {
      console.say(paragraph(fmt::format(
          "The account that pays counts {} budgets: the fit, ({}, {})-private "
          "under {}, costs ({}, {}) there.",
          to_string(paid_under), plan.cost.guarantee.epsilon, plan.cost.guarantee.delta,
          to_string(request.asked.adjacency), booked.guarantee.epsilon, booked.guarantee.delta)));
    }
    const auto output = output_.open(console);
    const auto records = data::csv_records(data_, request.frame.format);
    run::Fitted found;
    std::string condition;
    run::spend(
        {.command = data::booking_name(booked),
         .data = data_,
         .privacy_unit = plan.cost.unit,
         .planned = booked.events,
         .cost = booked.guarantee,
         .unprotected_reason = plan.cost.unprotected_reason},
        spending_.front(console, cancel), *output,
        [&] {
          return run::read_for_fit(request, plan, {records, *source, &cancel});
        },
        [&](const run::Contents& contents, privacy::Reservation& reservation, run::Pieces& result) {
          // All of the fit at once, for what the account counts; its answers then in their own
          // terms, in which they are drawn.
          reservation.debit(booked.events);
          privacy::Reservation answers(plan.cost.events, plan.cost.guarantee, nullptr);
          found = run::fit(request, plan, contents, {*source, answers, &cancel});
          condition = reservation.noted({}).condition;
          if (!condition.empty()) found.schema.description += " " + condition;
          result.write(console.json() ? json_text(data::schema_to_json(found.schema))
                                      : data::schema_to_toml(found.schema));
          return plan.cost.prg_slack;
        });
    if (!found.no_target.empty()) console.warn(console.spelled(found.no_target));
    for (const auto& column : found.not_found) console.say(paragraph(column));
    for (const auto& doubt : found.doubts)
      console.say(paragraph(console.spelled(base::printable(doubt))));
    if (!found.unlisted.empty()) {
      console.say(paragraph(fmt::format(
          "Taken for texts, without a list: {}. If they are numbers or dates, the fit lacks how "
          "they are spelt: --decimal, --thousands, --symbol, --date-format.",
          base::printable(fmt::format("{}", fmt::join(found.unlisted, ", "))))));
    }
    if (!console.json()) {
      auto receipt = data::fit_receipt(found.schema);
      receipt.notes.condition = condition;
      console.say(guarantee_text(receipt));
    }
  }

 private:
  /// All but what the fit may cost.
  [[nodiscard]] run::FitRequest what_is_said() const {
    auto frame = this->frame();
    return {.data = data_,
            .frame = std::move(frame),
            .target = target_,
            .ignored = ignored_,
            .coverage = coverage(),
            .max_categories = count_option("--max-categories", max_categories_, 1),
            .max_hashed = count_option("--hashed-features", max_hashed_, 2),
            .asked = {0, 0, privacy::Adjacency::add_remove},
            .codes = codes_,
            .numbers = numbers_,
            .dates = dates_,
            .target_kind = target_kind()};
  }

  [[nodiscard]] data::NumberKind target_kind() const {
    if (target_kind_.empty() || target_kind_ == "number") return data::NumberKind::number;
    if (target_.empty()) throw base::UsageError("--target-kind needs --target");
    if (target_kind_ == "count") return data::NumberKind::count;
    if (target_kind_ == "probability") return data::NumberKind::probability;
    throw base::UsageError("--target-kind must be number, count or probability, got \"{}\"",
                           target_kind_);
  }

  /// Names that the file must have, by which its separator is known.
  [[nodiscard]] std::vector<std::string> named_columns() const {
    auto names = ignored_;
    for (const auto* list : {&codes_, &numbers_, &dates_}) {
      names.insert(names.end(), list->begin(), list->end());
    }
    if (!target_.empty()) names.push_back(target_);
    if (!unit_.empty()) names.push_back(unit_);
    return names;
  }

  /// Columns that are taken for codes by their names alone, which are public.
  static void say_codes(const std::vector<std::string>& names, const run::FitRequest& request,
                        const Console& console) {
    std::vector<std::string> by_name;
    for (const auto& name : names) {
      const bool said = std::ranges::find(request.codes, name) != request.codes.end();
      const bool unit = request.frame.unit && *request.frame.unit == name;
      if (!said && !unit && !request.ignores(name) && request.takes_for_codes(name)) {
        by_name.push_back(name);
      }
    }
    if (by_name.empty()) return;
    console.say(paragraph(fmt::format(
        "By {} taken for codes, whose values count each for itself: {}. If one is a quantity, give "
        "--numeric NAME.",
        by_name.size() == 1 ? "its name" : "their names", fmt::join(by_name, ", "))));
  }

  /// The cost of the plan between the neighbours that the account counts.
  [[nodiscard]] static data::SchemaCost booked_cost(const run::FitRequest& request,
                                                    const run::FitPlan& plan,
                                                    privacy::Adjacency paid_under) {
    auto schema = request.frame;
    schema.cost = plan.cost;
    return data::cost_between(schema, paid_under);
  }

  /// Returns between which neighbours the account counts: a fit under add_remove serves
  /// replace_one too.
  [[nodiscard]] privacy::Adjacency set_budget(run::FitRequest& request, const Console& console,
                                              const base::CancelToken& cancel) const {
    auto terms = spending_.terms(console, cancel, data_);
    // Lists of texts are released with a delta of their own, which sums of other kinds do not know.
    const bool no_lists = terms && terms->currency != ledger::Currency::basic;
    if (no_lists) terms->currency = ledger::Currency::pure;
    const bool replaces = terms && terms->adjacency == privacy::Adjacency::replace_one;
    if (replaces) terms->adjacency = privacy::Adjacency::add_remove;
    const GuaranteeChoice choice{.adjacency = adjacency_,
                                 .usual_adjacency = privacy::Adjacency::add_remove,
                                 .delta = delta_,
                                 .usual_delta = 1e-6};
    const auto adjacency = chosen_adjacency(choice, terms);
    const double epsilon = number_option("--epsilon", epsilon_, "a number above 0");
    const privacy::Delta delta(chosen_delta(choice, terms, console).value_or(0));
    request.max_records_per_unit = max_records_per_unit();
    if (!(epsilon > 0 && epsilon <= 1e6)) {
      throw base::UsageError("--epsilon must be above 0 and finite, got {}", epsilon);
    }
    request.asked = {epsilon, delta.value(), adjacency};
    return replaces && adjacency == privacy::Adjacency::add_remove ? privacy::Adjacency::replace_one
                                                                   : adjacency;
  }

  [[nodiscard]] data::Schema frame() const {
    data::Schema schema;
    schema.description = "Bounds and categories fitted by private mechanisms; see [cost].";
    if (separator_.size() > 1) throw base::UsageError("--separator must be one ASCII character");
    if (quote_.size() > 1) throw base::UsageError("--quote must be one ASCII character or none");
    if (!separator_.empty()) schema.format.separator = separator_.front();
    schema.format.quote = quote_.empty() ? std::nullopt : std::optional<char>(quote_.front());
    schema.format.trim = trim_;
    schema.format.fill_short = fill_short_;
    schema.format.header = !no_header_;
    if (no_header_ == column_count_.empty()) {
      throw base::UsageError("--no-header and --columns COUNT go together");
    }
    if (no_header_) {
      constexpr std::int64_t max_columns = 1000000;
      const auto count = integer_option("--columns", column_count_, "a whole number above 0");
      if (count < 1 || count > max_columns) {
        throw base::UsageError("--columns must lie in 1..{}, got {}", max_columns, count);
      }
      for (std::int64_t k = 1; k <= count; ++k) {
        schema.format.names.push_back(fmt::format("column_{}", k));
      }
    }
    spelling_.words().apply(schema.format);
    const auto& missing = spelling_.words().missing;
    schema.missing.insert(schema.missing.end(), missing.begin(), missing.end());
    if (!unit_.empty()) schema.unit = unit_;
    if (!row_count_.empty()) {
      schema.public_row_count =
          integer_option("--public-row-count", row_count_, "a whole number above 0");
      data::check_public_row_count("--public-row-count", *schema.public_row_count);
    }
    if (!positive_.empty()) {
      if (target_.empty()) throw base::UsageError("--positive needs --target");
      schema.target = data::Target{target_, data::BinaryTarget{.positive = {positive_}}};
    }
    if (!classes_.empty()) {
      if (target_.empty()) throw base::UsageError("--class needs --target");
      if (!positive_.empty()) throw base::UsageError("give --positive or --class, not both");
      schema.target = data::Target{target_, data::MultiClassTarget{.classes = classes_}};
    }
    if (target_kind() == data::NumberKind::probability) {
      schema.target =
          data::Target{target_, data::RegressionTarget{.kind = data::NumberKind::probability}};
    }
    return schema;
  }

  [[nodiscard]] double coverage() const {
    const double share = number_option("--coverage", coverage_, "a number between 0 and 1");
    if (share > 0 && share < 1) return share;
    throw base::UsageError("--coverage must lie in (0, 1), got {}", share);
  }

  [[nodiscard]] std::int64_t max_records_per_unit() const {
    if (max_records_per_unit_.empty()) return 1;
    if (unit_.empty()) throw base::UsageError("--max-records-per-unit needs --unit");
    const auto max =
        integer_option("--max-records-per-unit", max_records_per_unit_, "a whole number above 0");
    if (max >= 1 && max <= data::records_per_unit_limit) return max;
    throw base::UsageError("--max-records-per-unit must lie in 1..{}, got {}",
                           data::records_per_unit_limit, max);
  }

  std::string data_;
  std::string epsilon_;
  std::string delta_;
  std::string target_;
  std::string positive_;
  std::vector<std::string> ignored_;
  std::string unit_;
  std::string max_records_per_unit_;
  std::string coverage_ = "0.98";
  std::string max_categories_ = "50";
  std::string max_hashed_ = "4096";
  std::vector<std::string> classes_;
  std::string target_kind_;
  std::vector<std::string> codes_;
  std::vector<std::string> numbers_;
  std::vector<std::string> dates_;
  SpellingOptions spelling_;
  std::string row_count_;
  std::string separator_;
  std::string quote_ = "\"";
  bool fill_short_ = false;
  bool trim_ = false;
  bool header_ = false;
  bool no_header_ = false;
  std::string column_count_;
  std::string adjacency_;
  SeedOption seed_;
  OutputOptions output_;
  SpendingOptions spending_;
};

}  // namespace

std::unique_ptr<Command> make_schema_fit() { return std::make_unique<SchemaFit>(); }

}  // namespace tacet::apps
