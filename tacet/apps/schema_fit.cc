#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tacet/accounting/stated_guarantee.h"
#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/spending.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/data/read/column_contents.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/unit_sample.h"
#include "tacet/data/schema/schema.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/mechanism/point/column_facts.h"
#include "tacet/privacy/cipher_share.h"
#include "tacet/privacy/statement.h"
#include "tacet/random/source/source.h"

namespace tacet::apps {
namespace {

using mechanism::AnswerCost;

// A tenth of a column's epsilon counts numbers and texts, which needs no precision.
constexpr double kind_share = 0.1;
// Shares of epsilon are rounded down by more than their sum can be rounded up.
constexpr double spare = 1e-12;

constexpr std::string_view examples =
    "  tacet schema fit data.csv --epsilon 1 --target income --positive \">50K\" -o s.toml\n"
    "  tacet schema fit data.csv --epsilon 0.5 --delta 0 --target price --ignore id -o s.toml\n"
    "  tacet schema fit visits.csv --epsilon 1 --unit patient --records-a-unit 3 -o s.toml\n"
    "\n"
    "For data of which nobody knows bounds and categories. The names of the columns are public\n"
    "and stand in the first line. Each column gets an equal share of epsilon and delta: noisy\n"
    "counts of numbers and texts, then two private quantiles as bounds of numbers, or the texts\n"
    "above a noisy count. With few records or many columns the bounds hold a smaller share of the\n"
    "numbers. With delta 0 texts become hashed columns, which need no list. What this costs "
    "stands\n"
    "in the schema, and the receipt of everything computed with it carries it along. A schema\n"
    "written from a codebook costs nothing: prefer it where you have one. Where a person has\n"
    "several records, --unit names the column that tells whose they are: a fit that protects\n"
    "single records is refused wherever units are protected.\n";

class SchemaFit : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "schema fit",
            "Take bounds and categories from private records, for a part of the budget", examples);
    options.add("data", data_, "FILE", "CSV file with one record a line", Form::required);
    options.add("--epsilon,-e", epsilon_, "NUMBER",
                "Privacy parameter of the whole schema, above 0", Form::required);
    options.add("--delta,-d", delta_, "NUMBER",
                "Share that lists of categories may cost; 0: no lists");
    options.add("--target", target_, "NAME", "Column to predict: a number, or see --positive");
    options.add("--positive", positive_, "LABEL",
                "The target has two classes, and this label is one");
    options.add("--ignore", ignored_, "NAME",
                "Column that is not read; may be given several times");
    options.add("--unit", unit_, "NAME",
                "Column whose value names whose record it is: all records of one are protected "
                "together, in training too");
    options.add("--records-a-unit", records_a_unit_, "COUNT",
                "How many of a unit's records count, chosen by a secret coin; noise grows with "
                "it [default: 1]");
    options.add("--coverage", coverage_, "NUMBER",
                "Share of a column's numbers between its bounds");
    options.add("--most-categories", most_categories_, "COUNT", "Longest list of categories");
    options.add("--missing", missing_, "TEXT", "A further text that stands for a missing value");
    options.add("--public-row-count", row_count_, "COUNT",
                "Number of records, or a public guess of it, to write into the schema");
    options.add("--separator", separator_, "CHAR", "Character between fields");
    options.add("--quote", quote_, "CHAR", "Character around fields that need it, empty for none");
    options.flag("--fill-short", fill_short_, "Lines with too few fields end with empty ones");
    options.flag("--trim", trim_, "Drop blanks around fields");
    options.flag("--header", header_,
                 "The first line holds the columns' names, whatever it looks like");
    options.flag("--no-header", no_header_,
                 "The first line is a record; columns are named column_1, column_2, ...");
    options.exclude("--no-header", "--header");
    options.add("--columns", column_count_, "COUNT",
                "How many columns there are, with --no-header");
    options.add("--adjacency", adjacency_, "NAME",
                "Who is protected: add_remove (serves replace_one too) or zero_out");
    options.add("--seed", seed_, "COUNT",
                "Repeatable noise from a known seed, which protects nobody: for tests");
    options.add("--output,-o", output_, "FILE", "File to write instead of standard output");
    options.flag("--force", force_, "Overwrite the output file");
    spending_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto source = random_source(seed_);
    if (!source->secure()) console.warn(seeded_banner);
    auto schema = frame();
    if (!source->secure()) {
      schema.description = "Bounds and categories fitted with seeded noise, which protects nobody.";
    }
    static_cast<void>(coverage());
    static_cast<void>(most_categories());
    const auto names = data::column_names(data_, schema.format);
    if (schema.format.header) {
      data::check_header(names, data_,
                         header_ ? data::HeaderTrust::declared : data::HeaderTrust::guessed);
    }
    check_names(names);
    const Shares shares = divide(names);
    const auto answers = planned_answers(shares);
    auto& cost = schema.cost.emplace(planned_cost(answers, shares, *source));
    std::optional<base::AtomicFile> output;
    if (output_.empty()) {
      check_results();
    } else {
      output.emplace(output_, force_ ? base::Overwrite::allow : base::Overwrite::refuse);
    }
    const auto spending = spending_.open({.command = data::booking_name(cost),
                                          .data = data_,
                                          .privacy_unit = cost.unit,
                                          .adjacency = cost.guarantee.adjacency,
                                          .unprotected_reason = cost.unprotected_reason},
                                         console);
    // Booked before the first value is read.
    auto reservation = spending->reserve(answers, cost.guarantee);
    const auto contents =
        spending->read(reservation, [&] { return read_records(schema, *source, cancel); });
    for (std::size_t k = 0; k < names.size(); ++k) {
      cancel.throw_if_cancelled();
      if (names[k] == schema.unit) continue;
      if (is_ignored(names[k])) {
        schema.columns.push_back({.name = names[k], .rule = data::IgnoredColumn{}});
      } else if (names[k] != target_) {
        schema.columns.push_back(
            {.name = names[k], .rule = rule_of(contents[k], shares, k, *source, reservation)});
      } else if (!schema.target) {
        const auto counts = kinds_of(contents[k], shares, k, *source, reservation);
        const auto bounds = bounds_of(contents[k], counts.numbers, shares, k, *source, reservation);
        schema.target = data::Target{target_, data::RegressionTarget{bounds.lower, bounds.upper}};
      }
    }
    reservation.commit();
    if (source->cipher_delta() > cost.cipher_delta) {
      throw base::InternalError("the fit drew more noise than was planned for it");
    }
    schema.validate(data_);
    const auto text =
        console.json() ? json_text(data::schema_to_json(schema)) : data::schema_to_toml(schema);
    if (output) output->write(text);
    spending->release(text, output_.empty() ? "standard output" : output_, cost.cipher_delta);
    if (output) {
      output->commit();
    } else {
      console.result(text);
      flush_results();
    }
    if (!console.json()) {
      console.say(paragraph(privacy::statement(data::fit_receipt(schema))));
    }
  }

 private:
  /// What the two answers about a column cost, all of it public.
  struct Shares {
    AnswerCost kind;
    AnswerCost bounds_or_texts;
    std::int64_t columns = 0;
    double cipher_delta = 0;                  ///< the cipher's term of all answers
    privacy::Delta left = privacy::Delta(0);  ///< of delta, for them
  };

  [[nodiscard]] data::Schema frame() const {
    data::Schema schema;
    schema.description = "Bounds and categories fitted by private mechanisms; see [cost].";
    if (separator_.size() != 1) {
      throw base::UsageError("--separator must be one ASCII character");
    }
    if (quote_.size() > 1) throw base::UsageError("--quote must be one ASCII character or none");
    schema.format.separator = separator_.front();
    schema.format.quote = quote_.empty() ? std::nullopt : std::optional<char>(quote_.front());
    schema.format.trim = trim_;
    schema.format.fill_short = fill_short_;
    schema.format.header = !no_header_;
    if (no_header_ == column_count_.empty()) {
      throw base::UsageError("--no-header and --columns COUNT go together");
    }
    if (no_header_) {
      constexpr std::int64_t most_columns = 1000000;
      const auto count = integer_option("--columns", column_count_, "a whole number above 0");
      if (count < 1 || count > most_columns) {
        throw base::UsageError(
            fmt::format("--columns must lie in 1..{}, got {}", most_columns, count));
      }
      for (std::int64_t k = 1; k <= count; ++k) {
        schema.format.names.push_back(fmt::format("column_{}", k));
      }
    }
    schema.missing.insert(schema.missing.end(), missing_.begin(), missing_.end());
    if (!unit_.empty()) schema.unit = unit_;
    if (!row_count_.empty()) {
      schema.public_row_count =
          integer_option("--public-row-count", row_count_, "a whole number above 0");
      if (*schema.public_row_count < 1) {
        throw base::UsageError(
            fmt::format("--public-row-count must be at least 1, got {}", *schema.public_row_count));
      }
    }
    if (!positive_.empty()) {
      if (target_.empty()) throw base::UsageError("--positive needs --target");
      schema.target = data::Target{target_, data::BinaryTarget{.positive = {positive_}}};
    }
    return schema;
  }

  [[nodiscard]] bool is_ignored(const std::string& name) const {
    return std::find(ignored_.begin(), ignored_.end(), name) != ignored_.end();
  }

  void check_names(const std::vector<std::string>& names) const {
    const auto need = [&](const std::string& name) {
      if (std::count(names.begin(), names.end(), name) == 1) return;
      throw base::UsageError(fmt::format("the file has no column '{}', or several", name));
    };
    for (const auto& name : ignored_) need(name);
    if (!target_.empty()) need(target_);
    if (is_ignored(target_)) throw base::UsageError("the target cannot be ignored");
    if (!unit_.empty()) need(unit_);
    if (!unit_.empty() && (unit_ == target_ || is_ignored(unit_))) {
      throw base::UsageError("the unit's column can be neither the target nor ignored");
    }
    // What no schema can say is refused before anything is spent.
    data::Schema probe = frame();
    for (const auto& name : names) {
      if (name == target_ || name == unit_) continue;
      probe.columns.push_back({.name = name, .rule = data::NumericColumn{}});
      if (is_ignored(name)) probe.columns.back().rule = data::IgnoredColumn{};
    }
    if (!target_.empty() && !probe.target) {
      probe.target = data::Target{target_, data::RegressionTarget{}};
    }
    probe.validate(data_);
  }

  [[nodiscard]] double coverage() const {
    const double share = number_option("--coverage", coverage_, "a number between 0 and 1");
    if (share > 0 && share < 1) return share;
    throw base::UsageError(fmt::format("--coverage must lie in (0, 1), got {}", share));
  }

  [[nodiscard]] std::int64_t records_a_unit() const {
    if (records_a_unit_.empty()) return 1;
    if (unit_.empty()) throw base::UsageError("--records-a-unit needs --unit");
    const auto most = integer_option("--records-a-unit", records_a_unit_, "a whole number above 0");
    if (most >= 1 && most <= data::most_records_a_unit) return most;
    throw base::UsageError(
        fmt::format("--records-a-unit must lie in 1..{}, got {}", data::most_records_a_unit, most));
  }

  [[nodiscard]] std::vector<privacy::Private<data::ColumnContents>> read_records(
      const data::Schema& schema, random::Source& source, const base::CancelToken& cancel) const {
    if (!schema.unit) return data::read_contents(data_, schema.format, schema.missing, &cancel);
    data::UnitSample sample(data_, schema.format, schema.missing, {*schema.unit, records_a_unit()},
                            source.lease(random::Purpose::sampling, 0, 0), &cancel);
    return data::read_contents(data_, schema.format, schema.missing, &cancel, &sample);
  }

  [[nodiscard]] std::int64_t most_categories() const {
    const auto most =
        integer_option("--most-categories", most_categories_, "a whole number of at least 1");
    if (most >= 1) return most;
    throw base::UsageError(fmt::format("--most-categories must be at least 1, got {}", most));
  }

  [[nodiscard]] Shares divide(const std::vector<std::string>& names) const {
    const auto adjacency = privacy::parse_adjacency(adjacency_);
    const double epsilon = number_option("--epsilon", epsilon_, "a number above 0");
    const double delta = number_option("--delta", delta_, "a number from 0 to 1, without 1");
    Shares shares{.kind = {privacy::Epsilon(1), privacy::Delta(0), adjacency},
                  .bounds_or_texts = {privacy::Epsilon(1), privacy::Delta(delta), adjacency}};
    shares.kind.values_a_unit = shares.bounds_or_texts.values_a_unit = records_a_unit();
    if (!(epsilon > 0 && epsilon <= 1e6)) {
      throw base::UsageError(fmt::format("--epsilon must be above 0 and finite, got {}", epsilon));
    }
    shares.columns = std::count_if(names.begin(), names.end(), [this](const std::string& name) {
      return !is_ignored(name) && name != unit_ && (name != target_ || positive_.empty());
    });
    if (shares.columns == 0) throw base::UsageError("there is no column to fit");
    const auto parts = static_cast<double>(shares.columns);
    // Of each column: its kinds, two bounds or its texts; the name of the fit; the units' coins.
    const std::int64_t leaves = 3 * shares.columns + (unit_.empty() ? 1 : 2);
    shares.cipher_delta = random::cipher_term(leaves, random::most_leaf_words);
    shares.left = privacy::delta_left({epsilon, delta, adjacency}, shares.cipher_delta);
    const double each = epsilon / parts * (1 - spare);
    shares.kind.epsilon = privacy::Epsilon(each * kind_share);
    shares.bounds_or_texts.epsilon = privacy::Epsilon(each * (1 - kind_share) * (1 - spare));
    shares.bounds_or_texts.delta = privacy::Delta(shares.left.value() / parts * (1 - spare));
    return shares;
  }

  /// Every answer that may be asked for.
  [[nodiscard]] static privacy::Event planned_answers(const Shares& shares) {
    return privacy::Repeated{
        shares.columns, privacy::Composed{{shares.kind.event(), shares.bounds_or_texts.event()}}};
  }

  /// The epsilon that the accountant proves for all answers, at most what was asked for.
  [[nodiscard]] data::SchemaCost planned_cost(const privacy::Event& answers, const Shares& shares,
                                              random::Source& source) const {
    const privacy::Delta delta(number_option("--delta", delta_, "a number from 0 to 1, without 1"));
    const privacy::Guarantee asked{number_option("--epsilon", epsilon_, "a number above 0"),
                                   delta.value(), privacy::parse_adjacency(adjacency_)};
    const auto proved = accounting::stated_guarantee(answers, asked, shares.cipher_delta);
    if (!(proved.epsilon <= asked.epsilon)) {
      throw base::InternalError("the answers about all columns cost more than their shares");
    }
    // A name, which only has to differ from the names of other fits.
    const auto id = random::Stream(source.lease(random::Purpose::initialisation, 0, 0)).next();
    return {.id = fmt::format("{:016x}", id),
            .unit = unit_.empty() ? "record" : unit_,
            .events = answers,
            .guarantee = proved,
            .cipher_delta = shares.cipher_delta,
            .unprotected_reason =
                source.secure() ? "" : "seeded noise; for tests and experiments only"};
  }

  [[nodiscard]] static mechanism::KindCounts kinds_of(
      const privacy::Private<data::ColumnContents>& contents, const Shares& shares, std::size_t k,
      random::Source& source, privacy::Reservation& reservation) {
    const auto counts = contents.map([](const data::ColumnContents& c) {
      return mechanism::KindCounts{static_cast<std::int64_t>(c.numbers.size()), c.code_count,
                                   c.prose_count};
    });
    return mechanism::release_kinds(counts, shares.kind, {.step = k, .tensor = 0}, source,
                                    reservation)
        .value();
  }

  [[nodiscard]] mechanism::Bounds bounds_of(const privacy::Private<data::ColumnContents>& contents,
                                            std::int64_t about, const Shares& shares, std::size_t k,
                                            random::Source& source,
                                            privacy::Reservation& reservation) const {
    const auto& cost = shares.bounds_or_texts;
    const double share = mechanism::attainable_coverage(coverage(), about, cost.epsilon_a_value());
    return mechanism::release_bounds(contents.map([](const auto& c) { return c.numbers; }), share,
                                     cost, {.step = k, .tensor = 1}, source, reservation)
        .value();
  }

  [[nodiscard]] decltype(data::Column::rule) rule_of(
      const privacy::Private<data::ColumnContents>& contents, const Shares& shares, std::size_t k,
      random::Source& source, privacy::Reservation& reservation) const {
    const auto counts = kinds_of(contents, shares, k, source, reservation);
    if (counts.numbers >= std::max(counts.codes, counts.prose)) {
      const auto bounds = bounds_of(contents, counts.numbers, shares, k, source, reservation);
      return data::NumericColumn{.lower = bounds.lower, .upper = bounds.upper};
    }
    if (counts.prose > counts.codes) return data::TextColumn{};
    if (shares.bounds_or_texts.delta.value() == 0) return data::HashedColumn{};
    const auto found = mechanism::release_frequent(
                           contents.map([](const auto& c) { return c.codes; }),
                           shares.bounds_or_texts, {.step = k, .tensor = 3}, source, reservation)
                           .value();
    if (found.empty()) return data::HashedColumn{};
    data::CategoricalColumn rule{.categories = {}, .other = data::OtherRule::column};
    for (const auto& text : found) {
      if (static_cast<std::int64_t>(rule.categories.size()) == most_categories()) break;
      rule.categories.push_back(text.text);
    }
    return rule;
  }

  std::string data_;
  std::string epsilon_;
  std::string delta_ = "1e-6";
  std::string target_;
  std::string positive_;
  std::vector<std::string> ignored_;
  std::string unit_;
  std::string records_a_unit_;
  std::string coverage_ = "0.98";
  std::string most_categories_ = "50";
  std::vector<std::string> missing_;
  std::string row_count_;
  std::string separator_ = ",";
  std::string quote_ = "\"";
  bool fill_short_ = false;
  bool trim_ = false;
  bool header_ = false;
  bool no_header_ = false;
  std::string column_count_;
  std::string adjacency_ = "add_remove";
  std::string seed_;
  std::string output_;
  bool force_ = false;
  SpendingOptions spending_;
};

}  // namespace

std::unique_ptr<Command> make_schema_fit() { return std::make_unique<SchemaFit>(); }

}  // namespace tacet::apps
