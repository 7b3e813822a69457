#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/evaluation_report.h"
#include "tacet/apps/receipt_notes.h"
#include "tacet/apps/shared_options.h"
#include "tacet/apps/spending.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/owner/schema_check.h"
#include "tacet/data/owner/schema_draft.h"
#include "tacet/data/schema/schema.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view draft_examples =
    "  tacet schema draft survey.csv --public --target answer > survey.toml\n"
    "\n"
    "Bounds and categories are read off the values, so the file must be public: an older release,\n"
    "a published sample, invented records. Review every bound and list before you use the draft.\n";

constexpr std::string_view check_examples =
    "  tacet schema check data.csv --schema s.toml\n"
    "  tacet schema check data.csv --schema s.toml --attested-look \"bounds typed by hand, not "
    "seen by anybody else\"\n"
    "\n"
    "For the owner of the data only: the counts are computed from the records without any noise.\n"
    "Records with an account want an attested look: what is released later then holds on the\n"
    "condition that the counts were for the owner's eyes and decided nothing about it.\n";

class SchemaDraft : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "schema draft", "Write a first schema from a file declared public",
                        draft_examples);
    options.add_records("data", data_, "CSV file to look at", Reading::repeated);
    options.flag("--public", public_, "The file needs no protection");
    options.add("--target", target_, "COLUMN", "Column to predict");
    options.add("--separator", separator_, "CHARACTER",
                "Character between fields, or 'tab' [default: the one that fits]");
    options.flag("--header", header_, "The first line holds the columns' names");
    options.flag("--no-header", no_header_,
                 "The first line is a record; columns are named column_1, column_2, ...");
    options.exclude("--no-header", "--header");
    options.heading("How values are spelt, where the guess from the values is to be overruled");
    spelling_.declare(options);
    options.heading("Options");
    output_.declare(options);
    spending_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    if (!public_) {
      throw base::UsageError(
          "a draft takes bounds and categories from the file, which would reveal its records; give "
          "--public if the file is public, or write the schema from a codebook");
    }
    const auto output = output_.open(console);
    bool fill_short = false;
    std::vector<std::string> doubts;
    run::spend(
        unprotected_use(name(), data_, "exact bounds and categories (--public)"),
        spending_.front(console, cancel), *output, [&] { return draft(); },
        [&](const data::SchemaDraft& draft, privacy::Reservation&, run::Pieces& result) {
          fill_short = draft.schema.format.fill_short;
          doubts = doubts_of(draft);
          result.write(console.json() ? json_text(data::schema_to_json(draft.schema))
                                      : data::schema_to_toml(draft.schema, draft.remarks));
          return 0.0;
        });
    console.say(
        "A draft: review every bound and category, and keep public_row_count only where it is "
        "public.");
    if (fill_short) {
      console.say(
          "Some records are too short: fill_short ends them with empty values. Where a field is "
          "missing within a record, those behind it stand in wrong columns: then mend the file.");
    }
    for (const auto& doubt : doubts) console.say(doubt);
  }

 private:
  /// Columns whose values may mean something else, with what is said above them.
  [[nodiscard]] static std::vector<std::string> doubts_of(const data::SchemaDraft& draft) {
    constexpr std::size_t max = 10;
    std::vector<std::string> doubts;
    for (const auto& place : draft.doubtful) {
      if (doubts.size() == max) {
        doubts.push_back(
            fmt::format("{} more columns have such comments.", draft.doubtful.size() - max));
        break;
      }
      doubts.push_back(
          fmt::format("{}: {}", base::printable(place), base::printable(draft.remarks.at(place))));
    }
    return doubts;
  }

  [[nodiscard]] data::SchemaDraft draft() const {
    const auto trust = header_ ? data::HeaderTrust::declared : data::HeaderTrust::guessed;
    const auto said = header_ || no_header_ ? std::optional(header_) : std::nullopt;
    auto known = spelling_.words().known();
    known.column = target_;
    return data::draft_schema(data_, {.target = target_,
                                      .format = data::guess_format(data_, separator(), said, known),
                                      .trust = trust,
                                      .max_categories = 50,
                                      .said = spelling_.words().said(),
                                      .missing = spelling_.words().missing,
                                      .encoding_is_said = known.encoding.has_value()});
  }

  [[nodiscard]] std::optional<char> separator() const {
    if (separator_.empty()) return std::nullopt;
    if (separator_ == "tab" || separator_ == "\\t") return '\t';
    if (separator_.size() != 1 || separator_ == "\"" || separator_ == "\n" || separator_ == "\r") {
      throw base::UsageError(
          "--separator must be one character, no quote and no line end, or 'tab'");
    }
    return separator_.front();
  }

  std::string data_;
  std::string target_;
  std::string separator_;
  SpellingOptions spelling_;
  OutputOptions output_;
  bool public_ = false;
  bool header_ = false;
  bool no_header_ = false;
  SpendingOptions spending_;
};

class SchemaCheck : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "schema check", "List the values that a schema maps, for the owner",
                        check_examples);
    options.add_records("data", data_, "File with the records", Reading::repeated);
    options.add("--schema,-s", schema_, "FILE", "Schema file (TOML)", Form::required);
    spending_.declare(options);
    spending_.declare_look(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto schema = data::load_schema(schema_);
    std::string fault;
    ConsoleOutput output(console);
    auto look = unprotected_use(name(), data_, "exact counts for the owner");
    look.look_schema = sha256_of(schema_);
    run::spend(
        look, spending_.front(console, cancel), output,
        [&] { return data::check_values(data_, schema); },
        [&](const data::SchemaCheck& found, privacy::Reservation&, run::Pieces& result) {
          result.write(console.json() ? json_text(json(found)) : text(found));
          console.warn("NOT PRIVATE: exact counts from the records, for their owner only");
          const auto similar = data::unit_warning(found, schema);
          if (!similar.empty()) console.warn(similar);
          fault = data::label_fault(found, schema);
          const auto strange = data::strange_target(found, schema, data_);
          if (!strange.empty()) console.warn(strange);
          for (const auto& remark : found.remarks) console.warn(base::printable(remark));
          return 0.0;
        });
    if (!fault.empty()) throw base::DataError(fault);
  }

 private:
  static ordered_json json(const data::SchemaCheck& found) {
    ordered_json out;
    out["private"] = false;
    out["rows"] = found.rows;
    out["columns"] = mapped_json(found, MappedColumns::all);
    if (!found.empty_classes.empty()) out["empty_classes"] = found.empty_classes;
    if (found.similar_units > 0) {
      out["similar_units"] = {{"names", found.similar_units},
                              {"first_line", found.similar_units_line}};
    }
    if (!found.remarks.empty()) out["remarks"] = found.remarks;
    return out;
  }

  static std::string text(const data::SchemaCheck& found) {
    std::int64_t total = 0;
    for (const auto& column : found.columns) total += column.total();
    auto out = fmt::format("{}\n{} values of {} records are mapped by the schema\n",
                           mapped_text(found, MappedColumns::all), total, found.rows);
    if (!found.empty_classes.empty()) {
      out +=
          fmt::format("no record has the class{} {}\n", found.empty_classes.size() == 1 ? "" : "es",
                      fmt::join(found.empty_classes, ", "));
    }
    return out;
  }

  std::string data_;
  std::string schema_;
  SpendingOptions spending_;
};

}  // namespace

std::unique_ptr<Command> make_schema_draft() { return std::make_unique<SchemaDraft>(); }
std::unique_ptr<Command> make_schema_check() { return std::make_unique<SchemaCheck>(); }

}  // namespace tacet::apps
