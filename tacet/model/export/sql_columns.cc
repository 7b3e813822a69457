#include "tacet/model/export/sql_columns.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/interactions.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/model/export/export_notes.h"
#include "tacet/model/export/sql_dialect.h"

namespace tacet::model::internal {
namespace {

/// The steps of the query.
enum Step : std::size_t { read, cleaned, shares, places, quarters, angles, waves };

constexpr double integers_share_doubles = 0x1p53;
/// Shares and turns below it count as 0, as truncation makes of them anyway: in PostgreSQL a
/// product that is too small for a double ends the query.
constexpr double smallest_share = 1e-100;

class SqlColumnWriter {
 public:
  SqlColumnWriter(const data::Schema& schema, SqlDialect dialect)
      : schema_(schema), dialect_(dialect) {}

  SqlColumns columns() {
    if (schema_.features) {
      throw base::UsageError(
          "a model of features without names cannot be exported as SQL, because a table's columns "
          "have names; export it as C, which takes them as an array");
    }
    expect_names_apart();
    for (const auto& column : schema_.columns) {
      name_ = column.name;
      source_ = "r." + sql_name(column.name);
      std::visit(*this, column.rule);
      first_ += column.width();
      ++at_;
    }
    for (const auto& pair : data::pair_features(schema_)) write_pair(pair);
    return std::move(out_);
  }

  void operator()(const data::NumericColumn& rule) {
    const auto c = data::NumericMap(rule).constants();
    add(read, "{} AS tacet_r{}",
        rule.date ? sql_read_date(dialect_, source_) : sql_read_number(dialect_, source_), at_);
    write_cleaned(rule);
    const bool line = !c.period && c.lines == 1;
    if (line || c.knots > 0) write_share(c);
    if (line) {
      slot(fmt::format("{} * (tacet_h{} - {})", number(c.slope), at_, number(c.zero)), first_);
    }
    if (c.period) write_period(c);
    if (c.knots > 0) write_hats(c);
    if (!c.edges.empty()) write_bins(c);
    if (c.indicator) {
      slot(
          fmt::format("CASE WHEN tacet_x{} IS NULL THEN {} ELSE {} END", at_, number(1), number(0)),
          first_ + rule.width() - 1);
    }
  }

  void operator()(const data::CategoricalColumn& rule) {
    write_category(rule);
    const auto name = fmt::format("tacet_c{}", at_);
    const auto value = [&](std::size_t k) {
      if (rule.coding == data::Coding::sign) return number(k == 0 ? -1 : 1);
      return number(k < rule.scales.size() ? rule.scales[k] : 1);
    };
    const auto width = rule.categories.size() + (rule.other == data::OtherRule::column ? 1 : 0);
    const bool equal = rule.scales.empty() && rule.coding != data::Coding::sign;
    std::string held;
    if (equal) {
      held = fmt::format("CASE WHEN {} >= 0 THEN {} ELSE {} END", name, number(1), number(0));
    } else {
      held = "CASE " + name;
      for (std::size_t k = 0; k < width; ++k) held += fmt::format(" WHEN {} THEN {}", k, value(k));
      held += fmt::format(" ELSE {} END", number(0));
    }
    if (rule.coding == data::Coding::sign) return slot(std::move(held), first_);
    out_.indexes.push_back(name);
    out_.slots.push_back({std::move(held), name, first_, rule.width()});
  }

  void operator()(const data::HashedColumn&) const { refuse("hashed values"); }
  void operator()(const data::CrossedColumn&) const { refuse("hashed values"); }
  void operator()(const data::TextColumn&) const { refuse("free text"); }
  void operator()(const data::IdsColumn&) const { refuse("several ids in one field"); }
  void operator()(const data::IgnoredColumn&) const {}

 private:
  /// If two columns had the same name in the database, the query would silently read one of them.
  void expect_names_apart() const {
    std::map<std::string, std::string> names;
    const auto add = [&](const std::string& name) {
      const auto [at, added] = names.emplace(sql_folded(dialect_, name), name);
      if (added || at->second == name) return;
      throw base::UsageError(
          "'{}' and '{}' are the same column name in {}; rename one in the table and in the "
          "schema, or choose another `dialect` or `format`",
          at->second, name, sql_dialects.of(dialect_));
    };
    for (const auto& column : schema_.columns) add(column.name);
    if (schema_.target) add(schema_.target->column);
    if (schema_.unit) add(*schema_.unit);
  }
  [[noreturn]] void refuse(std::string_view what) const {
    throw base::UsageError(
        "column '{}' holds {}, which cannot be exported as SQL: databases have no function for the "
        "public hash",
        name_, what);
  }
  [[nodiscard]] std::string number(double value) const { return sql_number(dialect_, value); }
  [[nodiscard]] std::string truncated(const std::string& value) const {
    return sql_truncated(dialect_, value);
  }
  template <typename... Given>
  void add(Step step, fmt::format_string<Given...> text, Given&&... given) {
    out_.steps[step].push_back(fmt::format(text, std::forward<Given>(given)...));
  }
  void slot(std::string value, std::int64_t first) {
    out_.slots.push_back({std::move(value), {}, first, 1});
  }

  /// Selects finite numbers that are not a word for a missing value.
  void write_cleaned(const data::NumericColumn& rule) {
    auto condition =
        fmt::format("abs(tacet_r{}) <= {}", at_, number(std::numeric_limits<double>::max()));
    std::string missing;
    const auto append = [&](const std::vector<std::string>& words) {
      for (const auto& word : words) {
        const auto found = data::parse_number(word);
        if (found) missing += (missing.empty() ? "" : ", ") + number(*found);
      }
    };
    if (!rule.date) {
      append(schema_.missing);
      append(schema_.columns[at_].spelling.missing);
    }
    if (!missing.empty()) condition += fmt::format(" AND tacet_r{} NOT IN ({})", at_, missing);
    add(cleaned, "CASE WHEN {} THEN tacet_r{} END AS tacet_x{}", condition, at_, at_);
  }

  void write_share(const data::NumericConstants& c) {
    auto place = fmt::format("tacet_x{}", at_);
    if (c.log1p) {
      // Kahan's log1p, as in the program.
      place = fmt::format(
          "CASE WHEN {0} + {1} = {0} THEN {1} ELSE ln({0} + {1}) * ({1} / (({0} + {1}) - {0})) END",
          number(1), place);
    }
    const auto share = fmt::format("(({}) - {}) / {}", place, number(c.origin), number(c.width));
    const auto cut = sql_least(dialect_, number(1), share);
    add(shares,
        "CASE WHEN tacet_x{0} IS NULL THEN {1} WHEN tacet_x{0} <= {2} THEN {3} "
        "WHEN tacet_x{0} >= {4} THEN {5} ELSE {6} END AS tacet_h{0}",
        at_, number(c.missing_share), number(c.lower + smallest_share * c.width), number(0),
        number(c.upper), number(1), cut);
  }

  void write_hats(const data::NumericConstants& c) {
    const auto last = number(static_cast<double>(c.knots - 2));
    add(places, "tacet_h{0} * {1} AS tacet_w{0}", at_, number(static_cast<double>(c.knots - 1)));
    add(quarters, "CASE WHEN tacet_w{0} >= {1} THEN {1} ELSE {2} END AS tacet_l{0}", at_, last,
        truncated(fmt::format("tacet_w{}", at_)));
    const auto left = fmt::format("tacet_l{}", at_);
    const auto right = fmt::format("(tacet_w{0} - tacet_l{0})", at_);
    const auto half = number(data::NumericMap::hat_function_height);
    out_.indexes.push_back(left);
    out_.slots.push_back(
        {fmt::format("{} * ({} - {})", half, number(1), right), left, first_ + c.lines, c.knots});
    out_.slots.push_back(
        {fmt::format("{} * {}", half, right), left + " + 1", first_ + c.lines, c.knots});
  }

  void write_bins(const data::NumericConstants& c) {
    std::string bin = "CASE";
    for (std::size_t k = 0; k < c.edges.size(); ++k) {
      bin += fmt::format(" WHEN COALESCE(tacet_x{}, {}) < {} THEN {}", at_, number(c.fill),
                         number(c.edges[k]), k);
    }
    const auto name = fmt::format("tacet_b{}", at_);
    add(shares, "{} ELSE {} END AS {}", bin, c.edges.size(), name);
    out_.indexes.push_back(name);
    out_.slots.push_back({number(c.bin_height), name, first_ + c.lines + c.knots,
                          base::checked_cast<std::int64_t>(c.edges.size()) + 1});
  }

  /// Sine and cosine by the program's own series (numeric/elementary.h): a database's may differ in
  /// the last bit, which truncation can make a whole unit.
  void write_period(const data::NumericConstants& c) {
    const auto value = c.filled ? fmt::format("COALESCE(tacet_x{}, {})", at_, number(c.fill))
                                : fmt::format("tacet_x{}", at_);
    const double smallest = smallest_share * *c.period;
    const auto bound = [&](double limit) {
      return number(std::fabs(limit) < smallest ? 0 : limit);
    };
    add(shares,
        "CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} WHEN abs({0}) < {5} THEN {6} "
        "ELSE {0} END / {3} AS tacet_t{4}",
        value, bound(c.lower), bound(c.upper), number(*c.period), at_, number(smallest), number(0));
    const auto turns = fmt::format("tacet_t{}", at_);
    add(places, "{0} - CASE WHEN {0} >= {1} THEN {2} ELSE {3} END AS tacet_p{4}", turns, number(0),
        truncated(turns + " + " + number(0.5)), truncated(turns + " - " + number(0.5)), at_);
    add(quarters,
        "CASE WHEN tacet_p{0} <= {1} THEN -2 WHEN tacet_p{0} < {2} THEN -1 "
        "WHEN tacet_p{0} <= {3} THEN 0 WHEN tacet_p{0} < {4} THEN 1 ELSE 2 END AS tacet_q{0}",
        at_, number(-0.375), number(-0.125), number(0.125), number(0.375));
    add(angles, "{1} * (tacet_p{0} - tacet_q{0} * {2}) AS tacet_a{0}", at_,
        number(6.283185307179586), number(0.25));
    const auto angle = fmt::format("tacet_a{}", at_);
    add(waves, "{} * {} AS tacet_s{}",
        series(1307674368000.0, {6227020800.0, 39916800.0, 362880.0, 5040.0, 120.0, 6.0, 1.0},
               angle),
        angle, at_);
    add(waves, "{} AS tacet_k{}",
        series(20922789888000.0,
               {87178291200.0, 479001600.0, 3628800.0, 40320.0, 720.0, 24.0, 2.0, 1.0}, angle),
        at_);
    const auto turned = [&](const char* zero, const char* one, const char* back, const char* half) {
      return fmt::format(
          "COALESCE(CASE tacet_q{0} WHEN 0 THEN {1}{0} WHEN 1 THEN {2}{0} WHEN -1 THEN {3}{0} "
          "ELSE {4}{0} END, {5})",
          at_, zero, one, back, half, number(0));
    };
    slot(turned("tacet_s", "tacet_k", "-tacet_k", "-tacet_s"), first_);
    slot(turned("tacet_k", "-tacet_s", "tacet_s", "-tacet_k"), first_ + 1);
  }

  /// The series c - sum * angle^2, from the first term on; each term is divided by its number.
  [[nodiscard]] std::string series(double first, std::initializer_list<double> rest,
                                   const std::string& angle) const {
    auto sum = number(1 / first);
    for (const double next : rest) {
      sum = fmt::format("({} - {} * ({} * {}))", number(1 / next), sum, angle, angle);
    }
    return sum;
  }

  void write_category(const data::CategoricalColumn& rule) {
    std::string texts;
    std::string numbers;
    std::set<double> seen;
    for (std::size_t k = 0; k < rule.categories.size(); ++k) {
      const auto& category = rule.categories[k];
      const bool zero_byte = category.find('\0') != std::string::npos;  // which no text holds
      if (!zero_byte) texts += fmt::format("\n WHEN {} THEN {}", sql_text(dialect_, category), k);
      const auto found = data::parse_number(category);
      const bool told_apart = found && std::fabs(*found) < integers_share_doubles;
      if (told_apart && seen.insert(*found).second) {
        numbers += fmt::format("\n WHEN {} THEN {}", number(*found), k);
      }
    }
    const bool other = rule.other == data::OtherRule::column;
    auto none = other ? std::to_string(rule.categories.size()) : std::string("-1");
    add(read, "COALESCE({}, '') AS tacet_r{}", sql_read_text(dialect_, source_), at_);
    if (!numbers.empty()) {
      add(read, "{} AS tacet_y{}", sql_read_number(dialect_, source_), at_);
      none = fmt::format("CASE tacet_y{}{} ELSE {} END", at_, numbers, none);
    }
    if (texts.empty()) {
      add(cleaned, "{} AS tacet_c{}", none, at_);
    } else {
      add(cleaned, "CASE tacet_r{}{}{} ELSE {} END AS tacet_c{}", at_,
          dialect_ == SqlDialect::sqlite ? " COLLATE BINARY" : "", texts, none, at_);
    }
  }

  void write_pair(const data::PairFeatures& pair) {
    const auto name = fmt::format("tacet_g{}_{}", pair.first_column, pair.second_column);
    add(shares,
        "CASE WHEN tacet_c{0} >= 0 AND tacet_c{1} >= 0 THEN tacet_c{0} * {2} + tacet_c{1} "
        "ELSE -1 END AS {3}",
        pair.first_column, pair.second_column, pair.second_width, name);
    out_.indexes.push_back(name);
    out_.slots.push_back(
        {fmt::format("CASE WHEN {} >= 0 THEN {} ELSE {} END", name, number(1), number(0)), name,
         pair.place, pair.width()});
  }

  const data::Schema& schema_;
  SqlDialect dialect_;
  SqlColumns out_;
  std::string name_;
  std::string source_;
  std::int64_t first_ = 0;
  std::size_t at_ = 0;  // among the schema's columns
};

}  // namespace

SqlColumns sql_columns(const data::Schema& schema, SqlDialect dialect) {
  return SqlColumnWriter(schema, dialect).columns();
}

}  // namespace tacet::model::internal
