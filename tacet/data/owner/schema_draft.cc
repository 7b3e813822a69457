#include "tacet/data/owner/schema_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/encode/public_hash.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/schema_node.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

// A column of numbers with fewer values than this is taken for a class label when it is the target.
constexpr std::size_t max_classes = 20;
// Longer texts on average (in words) are taken for prose rather than codes.
constexpr double fewest_words_of_prose = 3;

// Whole numbers with fewer values than this may be codes; two are flags.
constexpr std::size_t max_codes = 20;
// Values of a column that are remembered to see whether each occurs once.
constexpr std::size_t max_remembered = std::size_t{1} << 20;
constexpr std::size_t fewest_identifiers = 10;

// Longer texts name no category; they would fill the memory.
constexpr std::size_t longest_category = 1000;

// What may stand between ids, the first that does.
constexpr std::string_view id_separators = ";|, ";

/// How many whole numbers from 0 on a field is, with one separator between them; 0 where it is
/// something else.
std::int64_t ids_in(std::string_view field, char separator) {
  std::int64_t ids = 0;
  while (true) {
    auto id = field.substr(0, field.find(separator));
    field.remove_prefix(std::min(field.size(), id.size() + 1));
    while (id.starts_with(' ')) id.remove_prefix(1);
    const bool number =
        !id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
    if (!number) return 0;
    ++ids;
    if (field.empty()) return ids;
  }
}

/// Whether each field is a list of whole numbers, and how long the longest one is.
struct IdFacts {
  char separator = '\0';  // of the first field with several
  bool all = true;
  std::int64_t most = 1;

  void add(std::string_view field) {
    if (!all) return;
    const auto place = field.find_first_of(id_separators);
    if (separator == '\0' && place != std::string_view::npos) separator = field[place];
    const auto ids = ids_in(field, separator == '\0' ? ' ' : separator);
    all = ids > 0;
    most = std::max(most, ids);
  }
  [[nodiscard]] bool several() const { return all && most > 1; }
};

/// What one pass over the file tells about a column, in bounded memory.
struct ColumnFacts {
  std::set<std::string, std::less<>> values;  // until there are too many
  bool many_values = false;
  bool text_is_sound = true;
  IdFacts ids;
  std::int64_t numbers = 0;
  std::int64_t others = 0;
  std::int64_t missing = 0;
  std::int64_t words = 0;
  std::int64_t dates = 0;  // among the others
  std::int64_t first_date = 0;
  std::int64_t last_date = 0;
  bool whole_numbers = true;
  bool each_once = true;
  std::unordered_set<std::uint64_t> seen;  // hashes, as long as each value occurs once
  double lower = 0;
  double upper = 0;

  void add(std::string_view field, std::size_t max_values) {
    if (const auto number = parse_number(field)) {
      lower = numbers == 0 ? *number : std::min(lower, *number);
      upper = numbers == 0 ? *number : std::max(upper, *number);
      ++numbers;
      whole_numbers = whole_numbers && std::floor(*number) == *number;
    } else {
      if (const auto day = parse_date(field)) add_date(*day);
      ++others;
      words += 1 + std::count(field.begin(), field.end(), ' ');
    }
    ids.add(field);
    note_repeats(field);
    if (many_values || values.find(field) != values.end()) return;
    text_is_sound = text_is_sound && valid_utf8(field);
    if (values.size() == max_values || field.size() > longest_category) {
      many_values = true;
      values.clear();
    } else {
      values.emplace(field);
    }
  }

  void note_repeats(std::string_view field) {
    if (!each_once) return;
    each_once = seen.size() < max_remembered && seen.insert(public_hash(field)).second;
    if (!each_once) seen.clear();
  }

  [[nodiscard]] bool identifies() const { return each_once && seen.size() >= fewest_identifiers; }
  void add_date(std::int64_t day) {
    first_date = dates == 0 ? day : std::min(first_date, day);
    last_date = dates == 0 ? day : std::max(last_date, day);
    ++dates;
  }

  [[nodiscard]] bool all_dates() const { return dates > 0 && dates == others && numbers == 0; }
  /// As bounds a day apart where all are one.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> date_bounds() const {
    if (first_date < last_date) return {first_date, last_date};
    return last_date < last_day ? std::pair(first_date, first_date + 1)
                                : std::pair(first_date - 1, first_date);
  }
  [[nodiscard]] bool numeric() const { return numbers > 0 && others == 0; }
  [[nodiscard]] std::pair<double, double> bounds() const {
    return {lower, upper > lower ? upper : lower + std::max(1.0, std::abs(lower))};
  }
};

Column draft_column(const std::string& name, const ColumnFacts& facts) {
  Column column{.name = name, .rule = IgnoredColumn{}};
  if (facts.numeric()) {
    const auto [lower, upper] = facts.bounds();
    column.rule = NumericColumn{.lower = lower, .upper = upper};
  } else if (facts.all_dates()) {
    const auto [lower, upper] = facts.date_bounds();
    column.rule = NumericColumn{
        .lower = static_cast<double>(lower), .upper = static_cast<double>(upper), .date = true};
  } else if (facts.others == 0) {
    return column;  // nothing but missing values
  } else if (facts.ids.several()) {
    column.rule = IdsColumn{.separator = facts.ids.separator,
                            .max_ids = std::min(facts.ids.most, internal::max_ids)};
  } else if (!facts.many_values && facts.text_is_sound) {
    column.rule = CategoricalColumn{.categories = {facts.values.begin(), facts.values.end()}};
  } else if (static_cast<double>(facts.words) >=
             fewest_words_of_prose * static_cast<double>(facts.others)) {
    column.rule = TextColumn{};
  } else {
    column.rule = HashedColumn{};
  }
  return column;
}

/// What a person has to answer; empty: nothing.
std::string remark_on(const ColumnFacts& facts) {
  const bool whole = facts.numeric() && facts.whole_numbers;
  if (facts.identifies() && !facts.all_dates() && (whole || facts.others > 0)) {
    return "Every value occurs once: an identifier? Then kind = \"ignored\". Of persons with "
           "several records? Then unit, at the top.";
  }
  if (whole && !facts.many_values && facts.values.size() > 2 && facts.values.size() <= max_codes) {
    return fmt::format("{} whole numbers: codes? Then kind = \"categorical\" with categories.",
                       facts.values.size());
  }
  if (facts.ids.several()) {
    return "Several numbers in a field, up to 'most' of a record: ids? From 0 to below a public "
           "number: count instead of bits. A measure or a text? Then another kind.";
  }
  if (facts.numbers > 0 && facts.others > 0) {
    return fmt::format(
        "{} numbers among {} texts: do some texts mean a missing value? List them "
        "under missing, at the top.",
        facts.numbers, facts.others);
  }
  if (facts.missing > 0 && (facts.numeric() || facts.all_dates())) {
    return "Some values are missing: does that tell something? Then missing_indicator = true.";
  }
  return {};
}

Target draft_target(const std::string& name, const ColumnFacts& facts) {
  Target target{.column = name, .rule = {}};
  const std::vector<std::string> values(facts.values.begin(), facts.values.end());
  if (!facts.many_values && facts.text_is_sound && values.size() == 2) {
    target.rule = BinaryTarget{.positive = {values[1]}, .negative = {values[0]}};
  } else if (!facts.many_values && facts.text_is_sound && values.size() > 2 &&
             values.size() <= max_classes) {
    target.rule = MultiClassTarget{.classes = values};
  } else if (facts.numeric()) {
    const auto [lower, upper] = facts.bounds();
    target.rule = RegressionTarget{.lower = lower, .upper = upper};
  } else {
    throw base::DataError("the target '{}' is neither a number nor a class with 2 to {} values",
                          name, max_classes);
  }
  return target;
}

std::size_t find_target(const std::vector<std::string>& names, const std::string& target) {
  const auto found = std::find(names.begin(), names.end(), target);
  if (target.empty() || found != names.end()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  const std::string near = base::nearest_word(target, names);
  throw base::DataError("the file has no column '{}' to be the target{}", target,
                        near.empty() ? std::string() : fmt::format("; the nearest is '{}'", near));
}

}  // namespace

SchemaDraft draft_schema(const std::filesystem::path& public_file, const DraftOptions& options) {
  if (!options.format.kind->names_columns()) {
    throw base::UsageError("only CSV files can be drafted; describe others by [features]");
  }
  auto draft = draft_schema(csv_records(public_file, options.format), options);
  draft.schema.name = public_file.stem().string();
  draft.schema.validate(public_file.string());
  return draft;
}

SchemaDraft draft_schema(const RecordSource& public_records, const DraftOptions& options) {
  SchemaDraft draft;
  Schema& schema = draft.schema;
  schema.format = options.format;
  const auto reader = public_records.open();
  const auto& names = reader->names();
  if (options.format.header) check_header(names, public_records.name, options.trust);
  const std::size_t target = find_target(names, options.target);
  std::vector<ColumnFacts> facts(names.size());
  std::int64_t rows = 0;
  FileText text;
  while (const auto record = reader->next()) {
    ++rows;
    for (std::size_t k = 0; k < facts.size(); ++k) {
      const std::string_view field = text.of((*record)[k]);
      const bool missing =
          std::find(schema.missing.begin(), schema.missing.end(), field) != schema.missing.end();
      if (missing) {
        ++facts[k].missing;
      } else {
        facts[k].add(field, static_cast<std::size_t>(options.max_categories));
      }
    }
  }
  if (rows == 0) throw base::DataError("{}: the file holds no records", public_records.name);
  schema.public_row_count = rows;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k == target) {
      schema.target = draft_target(names[k], facts[k]);
    } else {
      schema.columns.push_back(draft_column(names[k], facts[k]));
      if (auto remark = remark_on(facts[k]); !remark.empty()) {
        draft.remarks.emplace(names[k], std::move(remark));
      }
    }
  }
  schema.validate(public_records.name);
  return draft;
}

}  // namespace tacet::data
