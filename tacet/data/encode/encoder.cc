#include "tacet/data/encode/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "tacet/base/error.h"
#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/encode/id_bag.h"
#include "tacet/data/encode/label_encoder.h"
#include "tacet/data/encode/missing_values.h"
#include "tacet/data/encode/narrow_rows.h"
#include "tacet/data/encode/number_reader.h"
#include "tacet/data/encode/public_hash.h"
#include "tacet/data/encode/row_scaler.h"
#include "tacet/data/encode/tokens.h"
#include "tacet/data/encode/unit_index.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/feature_names.h"
#include "tacet/data/schema/interactions.h"
#include "tacet/data/schema/numeric_map.h"

namespace tacet::data {
namespace {

/// Raw features of one record before scaling. It is kept between records to reuse its memory.
struct RawRow {
  std::vector<std::uint32_t> columns;
  std::vector<double> values;

  void add(std::uint32_t column, double value) {
    if (value == 0) return;
    columns.push_back(column);
    values.push_back(value);
  }
};

/// Appends the features of a value, ascending. `missing`: the value is one of the schema's missing
/// values.
using EncodeField = std::function<void(const Value& value, bool missing, RawRow& row)>;

/// Makes the function that appends the features of a column, the first of which is `first`; empty
/// for columns that are not read.
struct FieldEncoder {
  std::uint32_t first;
  const MissingValues& missing_values;  // outlives the fields' encoders
  Spelling written;                     // how the file writes the column

  EncodeField operator()(const NumericColumn& rule) const {
    return [map = NumericMap(rule), reader = NumberReader(rule.date, written),
            missing_numbers = &missing_values,
            first = first](const Value& value, bool missing, RawRow& row) {
      const auto add = [&](std::int64_t place, double feature) {
        row.add(first + static_cast<std::uint32_t>(place), feature);
      };
      const auto* text = std::get_if<std::string_view>(&value);
      if (text != nullptr && !missing && reader.plain()) {
        const double number = plain_number(*text);
        if (!std::isnan(number) && !missing_numbers->has_number(number)) {
          return map.features(number, add);
        }
      }
      const auto number = missing ? std::nullopt : number_of(value, reader);
      const bool spelt_missing = number && !reader.date() && missing_numbers->has_number(*number);
      map.features(spelt_missing ? std::nullopt : number, add);
    };
  }
  // A listed category is never missing, even if it is spelt like a missing value ("?").
  EncodeField operator()(const CategoricalColumn& rule) const {
    const auto other = static_cast<std::uint32_t>(rule.categories.size());
    auto scales = rule.scales;
    scales.resize(static_cast<std::size_t>(rule.width()), 1.0);
    return [index = ValueIndex(rule.categories), first = first, other, scales = std::move(scales),
            other_rule = rule.other,
            coding = rule.coding](const Value& value, bool /*missing*/, RawRow& row) {
      const auto category = index.find_value(value);
      if (coding == Coding::sign) {
        if (category) row.add(first, *category == 0 ? -1.0 : 1.0);
      } else if (category) {
        row.add(first + *category, scales[*category]);
      } else if (other_rule == OtherRule::column) {
        row.add(first + other, scales[other]);
      }
    };
  }
  EncodeField operator()(const HashedColumn& rule) const {
    return [bits = rule.bits, first = first](const Value& value, bool missing, RawRow& row) {
      SpellingRoom room;
      if (!missing) row.add(first + public_bucket(spelling(value, room), bits), 1.0);
    };
  }
  EncodeField operator()(const TextColumn& rule) const {
    return [bits = rule.bits, first = first, words = Tokens(TokenRule::words),
            buckets = std::vector<std::uint32_t>()](const Value& value, bool missing,
                                                    RawRow& row) mutable {
      if (missing) return;
      SpellingRoom room;
      buckets.clear();
      const auto add = [&](std::string_view word) { buckets.push_back(public_bucket(word, bits)); };
      words.feed(spelling(value, room), add);
      words.finish(add);
      std::sort(buckets.begin(), buckets.end());
      buckets.erase(std::unique(buckets.begin(), buckets.end()), buckets.end());
      const double share = 1 / std::sqrt(static_cast<double>(buckets.size()));
      for (const std::uint32_t bucket : buckets) row.add(first + bucket, share);
    };
  }
  EncodeField operator()(const IdsColumn& rule) const {
    return [bag = IdBag(rule, missing_values), first = first](const Value& value, bool /*missing*/,
                                                              RawRow& row) mutable {
      const auto places = bag.places(value);
      const double share = 1 / std::sqrt(static_cast<double>(places.size()));
      for (const std::uint32_t place : places) row.add(first + place, share);
    };
  }
  EncodeField operator()(const CrossedColumn&) const { return nullptr; }  // made of several fields
  EncodeField operator()(const IgnoredColumn&) const { return nullptr; }
};

/// Finds columns of a file by name, or columns of a table in memory, which has no file name.
class ColumnFinder {
 public:
  ColumnFinder(std::span<const std::string> columns, char separator, std::string_view file_name)
      : columns_(columns), separator_(separator), file_name_(file_name) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (!places_.try_emplace(columns[k], k).second) twice_.insert(columns[k]);
    }
  }

  [[nodiscard]] std::size_t find(const std::string& name) const {
    if (twice_.contains(name)) {
      throw base::DataError("{}: column '{}' appears twice", place(), name);
    }
    const auto found = places_.find(name);
    if (found != places_.end()) return found->second;
    if (file_name_.empty()) {
      throw base::DataError(
          "{}: no column has the name '{}', which the schema reads; names are compared exactly",
          place(), name);
    }
    // The message must not quote the file: without a header its first line would be a record.
    if (columns_.size() == 1) {
      const auto other = other_separator(columns_[0], separator_);
      if (!other.empty()) throw base::DataError("{}:1: {}", file_name_, other);
    }
    throw base::DataError(
        "{}:1: the schema's column '{}' is not in the first line; a file without a header needs "
        "`header = false` and `names` under [format]",
        file_name_, name);
  }

 private:
  [[nodiscard]] std::string place() const {
    return file_name_.empty() ? "the table" : std::string(file_name_) + ":1";
  }

  std::span<const std::string> columns_;
  char separator_;
  std::string_view file_name_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::unordered_set<std::string_view> twice_;
};

}  // namespace

class Encoder::Implementation {
 public:
  Implementation(const Schema& schema, std::span<const std::string> file_columns, TargetUse target,
                 std::string_view file_name)
      : scaler_(schema), missing_(schema), pairs_(pair_features(schema)), units_(schema.missing) {
    if (schema.projection || schema.selected_columns) narrow_.emplace(schema);
    if (schema.curves) curves_.emplace(schema);
    const ColumnFinder finder(file_columns, schema.format.separator, file_name);
    std::uint32_t first = 0;
    for (const Column& column : schema.columns) {
      std::vector<Field> fields;
      for (const std::string& name : column.sources()) {
        fields.push_back({finder.find(name), &missing_.of(name)});
      }
      if (const auto* rule = std::get_if<CrossedColumn>(&column.rule)) {
        slots_.push_back({std::move(fields), nullptr, first, rule->bits});
      } else if (!column.ignored()) {
        auto encode = std::visit(FieldEncoder{first, missing_.of(column.name),
                                              merged(schema.format.spelling, column.spelling)},
                                 column.rule);
        slots_.push_back({std::move(fields), std::move(encode), first, 0});
      }
      first += static_cast<std::uint32_t>(column.width());
    }
    if (target == TargetUse::required) {
      if (!schema.target) {
        throw base::UsageError("the schema names no [target]; training and evaluation need one");
      }
      label_.emplace(schema);
      label_column_ = finder.find(schema.target->column);
      if (schema.unit) unit_column_ = finder.find(*schema.unit);
    }
  }

  /// For values, or for fields of text.
  template <typename Given>
  void encode(std::span<const Given> fields, EncodedRow& row) {
    read_features(fields);
    if (curves_) {
      curves_->row(raw_.columns, raw_.values, row);
    } else {
      scaler_.scale(raw_.columns, raw_.values, row);
    }
    if (narrow_) narrow_->narrow(row);
    read_label_and_unit(fields, row);
  }

  template <typename Given>
  void append(std::span<const Given> fields, Dataset& data) {
    EncodedRow& row = rows_[waiting_.size()];
    if (!curves_) {
      encode(fields, row);
      data.append(row);
      return;
    }
    read_features(fields);
    read_label_and_unit(fields, row);
    waiting_.push_back(curves_->read(raw_.columns, raw_.values));
    if (waiting_.size() == rows_.size()) flush(data);
  }

  /// Rows with curves are never narrowed as well (curve_obstacle).
  void flush(Dataset& data) {
    if (waiting_.empty()) return;
    const auto rows = std::span(rows_).first(waiting_.size());
    curves_->rows(waiting_, rows);
    for (EncodedRow& row : rows) {
      if (!row.labelled) row.set_label(std::nullopt, row.label);
      data.append(row);
    }
    waiting_.clear();
  }

  [[nodiscard]] std::vector<std::string> take_units() { return units_.take_names(); }

 private:
  struct Field {
    std::size_t place;  // among the columns of the file
    const MissingValues* missing;
  };
  struct Slot {
    std::vector<Field> fields;
    EncodeField encode;  // empty for crossed columns
    std::uint32_t first;
    int bits;
  };

  template <typename Given>
  void read_features(std::span<const Given> fields) {
    raw_.columns.clear();
    raw_.values.clear();
    for (const Slot& slot : slots_) {
      if (!slot.encode) {
        add_crossed(slot, fields);
        continue;
      }
      const auto& [place, missing] = slot.fields.front();
      const Value value = fields[place];
      slot.encode(value, missing->has(value), raw_);
    }
    for (const PairFeatures& pair : pairs_) add_pair(pair);
  }

  template <typename Given>
  void read_label_and_unit(std::span<const Given> fields, EncodedRow& row) {
    if (label_) {
      row.set_label(label_->encode(fields[label_column_]), label_->label_without_target());
    } else {
      row.label = 0;
      row.labelled = true;
    }
    row.unit = unit_column_ ? units_.number_of(fields[*unit_column_]) : 0;
  }

  /// Each spelling has its length before it, so that no two rows of values give the same text. A
  /// record without one of the values has no feature.
  template <typename Given>
  void add_crossed(const Slot& slot, std::span<const Given> fields) {
    crossed_.clear();
    SpellingRoom room;
    for (const auto& [place, missing] : slot.fields) {
      const Value value = fields[place];
      if (missing->has(value)) return;
      const auto text = spelling(value, room);
      fmt::format_to(std::back_inserter(crossed_), "{}:{}", text.size(), text);
    }
    raw_.add(slot.first + public_bucket(crossed_, slot.bits), 1.0);
  }

  /// The category of a record in a column with such features, if there is one.
  [[nodiscard]] std::optional<std::int64_t> category(std::int64_t first, std::int64_t width) const {
    const auto found = std::ranges::lower_bound(raw_.columns, static_cast<std::uint32_t>(first));
    if (found == raw_.columns.end() || *found >= first + width) return std::nullopt;
    return *found - first;
  }
  void add_pair(const PairFeatures& pair) {
    const auto one = category(pair.first, pair.first_width);
    const auto other = category(pair.second, pair.second_width);
    if (!one || !other) return;
    raw_.add(static_cast<std::uint32_t>(pair.place + *one * pair.second_width + *other), 1.0);
  }

  RowScaler scaler_;
  std::optional<NarrowRows> narrow_;
  std::optional<CurveRows> curves_;
  ColumnMissingValues missing_;
  std::vector<Slot> slots_;
  std::vector<PairFeatures> pairs_;
  std::optional<LabelEncoder> label_;
  std::size_t label_column_ = 0;
  std::optional<std::size_t> unit_column_;
  UnitIndex units_;
  RawRow raw_;
  std::string crossed_;
  // records whose curves are not computed yet, and as many rows
  std::vector<CurveRecord> waiting_;
  std::array<EncodedRow, CurveMap::points_at_once> rows_;
};

Encoder::Encoder(const Schema& schema, std::span<const std::string> file_columns, TargetUse target,
                 std::string_view file_name)
    : implementation_(std::make_unique<Implementation>(schema, file_columns, target, file_name)) {}
Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

void Encoder::encode(std::span<const Value> values, EncodedRow& row) {
  implementation_->encode(values, row);
}
void Encoder::encode(std::span<const std::string_view> fields, EncodedRow& row) {
  implementation_->encode(fields, row);
}
void Encoder::append(std::span<const Value> values, Dataset& data) {
  implementation_->append(values, data);
}
void Encoder::append(std::span<const std::string_view> fields, Dataset& data) {
  implementation_->append(fields, data);
}
void Encoder::flush(Dataset& data) { implementation_->flush(data); }
std::vector<std::string> Encoder::take_units() { return implementation_->take_units(); }

}  // namespace tacet::data
