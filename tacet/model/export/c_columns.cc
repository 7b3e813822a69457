#include "tacet/model/export/c_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/decimal.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/interactions.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/model/export/c_text.h"
#include "tacet/model/export/export_notes.h"

namespace tacet::model::internal {
namespace {

/// One call then uses at most about a megabyte of stack.
constexpr std::int64_t max_entries = 1 << 16;
/// Categories whose exponents are larger are compared as texts only.
constexpr std::int64_t farthest_exponent = 1'000'000;

/// All spellings of a missing value of a column.
std::vector<std::string> missing_words(const data::Schema& schema, const std::string& name) {
  auto words = schema.missing;
  for (const auto& column : schema.columns) {
    const auto& own = column.spelling.missing;
    if (column.name == name) words.insert(words.end(), own.begin(), own.end());
  }
  return words;
}

/// The spelling [-]DIGITSePOINT that the exported function writes; empty for a text that is not a
/// number.
std::string number_spelling(const std::string& category) {
  const auto number = data::read_decimal(category);
  if (!number || std::abs(number->point) > farthest_exponent) return {};
  if (number->digits.empty()) return "0";
  return fmt::format("{}{}e{}", number->negative ? "-" : "", number->digits, number->point);
}

class CColumnWriter {
 public:
  explicit CColumnWriter(const data::Schema& schema) : schema_(schema) {
    const auto names = schema.feature_columns();
    const auto identifiers = c_identifiers(names);
    for (std::size_t k = 0; k < names.size(); ++k) {
      members_[names[k]] = identifiers[k];
      if (identifiers[k] != names[k]) {
        put(out_.names, " * {:<12} {}\n", identifiers[k], c_comment(names[k]));
      }
    }
    for (const auto& pair : data::pair_features(schema)) {
      paired_.insert({pair.first_column, pair.second_column});
    }
    write_members(names);
  }

  CColumns columns() {
    std::int64_t first = 0;
    for (const auto& column : schema_.columns) {
      first_ = first;
      name_ = column.name;
      std::visit(*this, column.rule);
      first += column.width();
      ++at_;
    }
    for (const auto& pair : data::pair_features(schema_)) write_pair(pair);
    if (schema_.features) write_uniform(*schema_.features);
    out_.entries += schema_.intercept ? 1 : 0;
    if (out_.entries > max_entries) {
      throw base::UsageError(
          "{} features of one record are too many for C; at most {} are possible", out_.entries,
          max_entries);
    }
    return std::move(out_);
  }

  void operator()(const data::NumericColumn& rule) {
    const auto c = data::NumericMap(rule).constants();
    put(out_.code, "  {{ /* {} */\n    const double value = record->{};\n", c_comment(name_),
        member());
    put(out_.code, "    const int missing = !isfinite(value){};\n", missing_numbers(rule));
    if ((!c.period && c.lines == 1) || c.knots > 0) write_share(c);
    if (!c.period && c.lines == 1) {
      put(out_.code, "    tacet_add(row, {}, {} * (share - {}));\n", first_, double_text(c.slope),
          double_text(c.zero));
    }
    if (c.period) write_period(c);
    if (c.knots > 0) {
      out_.parts.hats = true;
      put(out_.code, "    tacet_hats(row, {}, {}, share);\n", first_ + c.lines, c.knots);
    }
    if (!c.edges.empty()) write_bins(c);
    if (c.indicator) {
      put(out_.code, "    if (missing) tacet_add(row, {}, 1.0);\n", first_ + rule.width() - 1);
    }
    out_.code += "  }\n";
    out_.entries += rule.touched();
  }

  void operator()(const data::CategoricalColumn& rule) {
    write_words(rule);
    const auto other = rule.other == data::OtherRule::column;
    put(out_.code, "  {{ /* {} */\n    const int found = {};\n", c_comment(name_), lookup());
    if (rule.coding == data::Coding::sign) {
      put(out_.code, "    if (found >= 0) tacet_add(row, {}, found == 0 ? -1.0 : 1.0);\n", first_);
    } else {
      put(out_.code, "    const int place = found{};\n",
          other ? fmt::format(" >= 0 ? found : {}", rule.categories.size()) : "");
      put(out_.code, "    if (place >= 0) tacet_add(row, {} + place, {});\n", first_,
          rule.scales.empty() ? "1.0" : fmt::format("tacet_scales_{}[place]", at_));
      if (is_paired()) put(out_.code, "    place_{} = place;\n", at_);
    }
    out_.code += "  }\n";
    ++out_.entries;
  }

  void operator()(const data::HashedColumn& rule) {
    out_.parts.hashes = true;
    put(out_.code, "  if (!{}) {{ /* {} */\n", is_missing(name_), c_comment(name_));
    put(out_.code,
        "    tacet_add(row, {} + tacet_bucket(tacet_hash(TACET_HASH, record->{}), {}), 1.0);\n"
        "  }}\n",
        first_, member(), rule.bits);
    ++out_.entries;
  }

  void operator()(const data::CrossedColumn& rule) {
    out_.parts.crossed = true;
    std::string any;
    std::string hash = "TACET_HASH";
    for (const auto& name : rule.names) {
      any += (any.empty() ? "" : " && ") + fmt::format("!{}", is_missing(name));
      hash = fmt::format("tacet_hash_sized({}, record->{})", hash, members_.at(name));
    }
    put(out_.code, "  if ({}) {{ /* {} */\n    tacet_add(row, {} + tacet_bucket({}, {}), 1.0);\n",
        any, c_comment(name_), first_, hash, rule.bits);
    out_.code += "  }\n";
    ++out_.entries;
  }

  void operator()(const data::TextColumn&) const { refuse("free text"); }
  void operator()(const data::IdsColumn&) const { refuse("several ids in one field"); }
  void operator()(const data::IgnoredColumn&) const {}

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw base::UsageError(
        "column '{}' holds {}, which cannot be exported as C: the memory for one record would "
        "have no bound",
        name_, what);
  }
  [[nodiscard]] const std::string& member() const { return members_.at(name_); }
  [[nodiscard]] bool is_paired() const {
    return std::ranges::any_of(
        paired_, [&](const auto& pair) { return pair.first == at_ || pair.second == at_; });
  }

  void write_members(const std::vector<std::string>& names) {
    for (const auto& name : names) {
      std::string type = "const char *";
      std::string remark = "a text; NULL: missing";
      for (const auto& column : schema_.columns) {
        const auto* rule = std::get_if<data::NumericColumn>(&column.rule);
        if (column.name != name || rule == nullptr) continue;
        type = "double ";
        remark = rule->date ? "days since 1970-01-01; NAN: missing"
                            : fmt::format("from {} to {}; NAN: missing", rule->lower, rule->upper);
      }
      put(out_.members, "  {}{}; /* {} */\n", type, members_.at(name), remark);
    }
    if (!schema_.features) return;
    put(out_.members, "  double features[{}]; /* from {} to {} */\n", schema_.features->count,
        schema_.features->lower, schema_.features->upper);
  }

  [[nodiscard]] std::string missing_numbers(const data::NumericColumn& rule) const {
    std::string out;
    if (rule.date) return out;
    std::set<double> seen;
    for (const auto& word : missing_words(schema_, name_)) {
      const auto number = data::parse_number(word);
      if (number && seen.insert(*number).second) out += " || value == " + double_text(*number);
    }
    return out;
  }

  void write_share(const data::NumericConstants& c) {
    out_.parts.shares = true;
    auto place =
        fmt::format("tacet_clamp(value, {}, {})", double_text(c.lower), double_text(c.upper));
    if (c.log1p) {
      out_.parts.logarithms = true;
      place = fmt::format("tacet_log1p({})", place);
    }
    put(out_.code, "    const double share = missing ? {} : tacet_share({}, {}, {});\n",
        double_text(c.missing_share), place, double_text(c.origin), double_text(c.width));
  }

  void write_period(const data::NumericConstants& c) {
    out_.parts.periods = true;
    out_.parts.clamped = true;
    const auto filled = double_text(c.fill);
    put(out_.code, "    {}tacet_turn(row, {}, tacet_clamp({}, {}, {}) / {});\n",
        c.filled ? "" : "if (!missing) ", first_,
        c.filled ? fmt::format("missing ? {} : value", filled) : "value", double_text(c.lower),
        double_text(c.upper), double_text(*c.period));
  }

  void write_bins(const data::NumericConstants& c) {
    out_.parts.bins = true;
    put(out_.tables, "static const double tacet_edges_{}[{}] = {{", at_, c.edges.size());
    for (const double edge : c.edges) out_.tables += double_text(edge) + ", ";
    out_.tables += "};\n";
    put(out_.code,
        "    tacet_add(row, {} + tacet_bin(tacet_edges_{}, {}, missing ? {} : value), {});\n",
        first_ + c.lines + c.knots, at_, c.edges.size(), double_text(c.fill),
        double_text(c.bin_height));
  }

  /// The sorted texts of the categories, and the numbers among them in one spelling each.
  void write_words(const data::CategoricalColumn& rule) {
    std::map<std::string, std::size_t> texts;
    std::map<std::string, std::size_t> numbers;
    for (std::size_t k = 0; k < rule.categories.size(); ++k) {
      const auto& category = rule.categories[k];
      if (is_c_string(category)) texts.try_emplace(category, k);
      const auto number = number_spelling(category);
      if (!number.empty()) numbers.try_emplace(number, k);
    }
    word_count_ = write_table("words", texts);
    number_count_ = write_table("numbers", numbers);
    number_room_ = 0;
    for (const auto& [number, place] : numbers) {
      number_room_ = std::max(number_room_, number.size() + 32);
    }
    if (!numbers.empty()) write_number_lookup();
    if (rule.scales.empty() || rule.coding == data::Coding::sign) return;
    auto scales = rule.scales;
    scales.resize(base::checked_cast<std::size_t>(rule.width()), 1.0);
    put(out_.tables, "static const double tacet_scales_{}[{}] = {{", at_, scales.size());
    for (const double scale : scales) out_.tables += double_text(scale) + ", ";
    out_.tables += "};\n";
  }

  std::size_t write_table(std::string_view what, const std::map<std::string, std::size_t>& places) {
    if (places.empty()) return 0;
    out_.parts.words = true;
    put(out_.tables, "static const struct tacet_word tacet_{}_{}[{}] = {{\n", what, at_,
        places.size());
    for (const auto& [text, place] : places) {
      put(out_.tables, "  {{{}, {}}},\n", c_literal(text), place);
    }
    out_.tables += "};\n";
    return places.size();
  }

  void write_number_lookup() {
    out_.parts.numbers = true;
    put(out_.tables,
        "static int tacet_find_{}(const char *text)\n{{\n  char spelt[{}];\n"
        "  const int found = {};\n"
        "  if (found >= 0 || !tacet_spell(text, spelt, {})) return found;\n"
        "  return tacet_find(tacet_numbers_{}, {}, spelt);\n}}\n",
        at_, number_room_, plain_lookup("text"), number_room_, at_, number_count_);
  }

  [[nodiscard]] std::string plain_lookup(std::string_view text) const {
    if (word_count_ == 0) return "-1";
    return fmt::format("tacet_find(tacet_words_{}, {}, {})", at_, word_count_, text);
  }

  /// A missing value is the empty text, which may also be a category.
  [[nodiscard]] std::string lookup() const {
    const auto text = fmt::format("record->{} == NULL ? \"\" : record->{}", member(), member());
    return number_count_ > 0 ? fmt::format("tacet_find_{}({})", at_, text) : plain_lookup(text);
  }

  /// A call that checks whether the text of a column is a missing value.
  std::string is_missing(const std::string& name) {
    auto words = missing_words(schema_, name);
    std::erase_if(words, [](const std::string& word) { return !is_c_string(word); });
    const auto& member = members_.at(name);
    if (words.empty()) return fmt::format("tacet_is_missing(NULL, 0, record->{})", member);
    const auto [found, is_new] = listed_.try_emplace(name, listed_.size());
    if (is_new) {
      put(out_.tables, "static const char *const tacet_missing_{}[{}] = {{", found->second,
          words.size());
      for (const auto& word : words) out_.tables += c_literal(word) + ", ";
      out_.tables += "};\n";
    }
    return fmt::format("tacet_is_missing(tacet_missing_{}, {}, record->{})", found->second,
                       words.size(), member);
  }

  void write_pair(const data::PairFeatures& pair) {
    put(out_.code,
        "  if (place_{0} >= 0 && place_{1} >= 0) {{\n"
        "    tacet_add(row, {2} + place_{0} * {3} + place_{1}, 1.0);\n  }}\n",
        pair.first_column, pair.second_column, pair.place, pair.second_width);
    ++out_.entries;
  }

  void write_uniform(const data::UniformFeatures& features) {
    out_.parts.clamped = true;
    put(out_.code,
        "  int k;\n  for (k = 0; k < {}; ++k) {{\n"
        "    const double value = isfinite(record->features[k]) ? record->features[k] : 0.0;\n"
        "    tacet_add(row, k, tacet_clamp(value, {}, {}) / {});\n  }}\n",
        features.count, double_text(features.lower), double_text(features.upper),
        double_text(std::max(-features.lower, features.upper)));
    out_.entries += features.count;
  }

  const data::Schema& schema_;
  CColumns out_;
  std::map<std::string, std::string> members_;  // by the names of columns
  std::set<std::pair<std::size_t, std::size_t>> paired_;
  std::map<std::string, std::size_t> listed_;  // columns whose missing values have a table
  std::string name_;
  std::int64_t first_ = 0;
  std::size_t at_ = 0;  // among the schema's columns
  std::size_t word_count_ = 0;
  std::size_t number_count_ = 0;
  std::size_t number_room_ = 0;
};

}  // namespace

CColumns c_columns(const data::Schema& schema) {
  auto columns = CColumnWriter(schema).columns();
  std::string declared;
  std::set<std::size_t> paired;
  for (const auto& pair : data::pair_features(schema)) {
    paired.insert(pair.first_column);
    paired.insert(pair.second_column);
  }
  for (const auto place : paired) put(declared, "  int place_{} = -1;\n", place);
  columns.code = declared + columns.code;
  return columns;
}

}  // namespace tacet::model::internal
