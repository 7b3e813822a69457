#include "tacet/data/owner/schema_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/id_bag.h"
#include "tacet/data/encode/label_encoder.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/owner/similar_texts.h"
#include "tacet/data/owner/similar_units.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/transcode.h"
#include "tacet/data/read/uniform_records.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Notes which classes of the target occur.
class ClassesSeen {
 public:
  explicit ClassesSeen(const Schema& schema) {
    if (!schema.target || schema.target->regression()) return;
    encoder_.emplace(schema);
    names_ = schema.target->class_names();
    seen_.assign(names_.size(), false);
    binary_ = std::holds_alternative<BinaryTarget>(schema.target->rule);
  }

  void add(std::string_view label) {
    if (encoder_ && !encoder_->is_missing(label)) note(encoder_->rule_label(label));
  }
  void add_number(double label) {
    if (!encoder_) return;
    if (const auto known = encoder_->encode_number(label)) note(*known);
  }

  [[nodiscard]] std::vector<std::string> empty() const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (!seen_[k]) names.push_back(names_[k]);
    }
    return names;
  }

 private:
  void note(double label) {
    seen_[static_cast<std::size_t>(binary_ ? (label > 0 ? 1 : 0) : label)] = true;
  }

  std::optional<LabelEncoder> encoder_;
  std::vector<std::string> names_;
  std::vector<bool> seen_;
  bool binary_ = false;
};

/// The texts that occur in columns with categories, up to a limit.
class CategoryTexts {
 public:
  CategoryTexts(const Schema& schema, const std::vector<std::string>& names) {
    for (const auto& column : schema.columns) {
      if (!std::holds_alternative<CategoricalColumn>(column.rule)) continue;
      seen_.push_back({column.name, place_of(names, column.name), {}});
    }
  }

  void add(std::span<const std::string_view> fields) {
    constexpr std::size_t max = 1000;
    for (auto& [name, place, counts] : seen_) {
      const auto known = counts.find(fields[place]);
      if (known != counts.end()) {
        ++known->second;
      } else if (counts.size() < max && valid_utf8(fields[place])) {
        counts.emplace(fields[place], 1);
      }
    }
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> found;
    for (const auto& [name, place, counts] : seen_) {
      std::vector<std::string> texts;
      for (const auto& [text, count] : counts) texts.push_back(text);
      auto remark = alike_remark(texts, "values");
      if (remark.empty()) remark = misspelt_remark(counts);
      if (!remark.empty()) found.push_back(fmt::format("{}: {}", name, remark));
    }
    return found;
  }

 private:
  struct Seen {
    std::string name;
    std::size_t place;
    TextCounts counts;
  };
  std::vector<Seen> seen_;
};

SchemaCheck check_csv(CsvReader reader, const Schema& schema) {
  const auto wanted = schema.required_columns();
  const std::vector<std::string> names = read_column_names(reader, schema.format, wanted);
  // Throws if the file lacks a column of the schema.
  const Encoder encoder(schema, names, schema.target ? TargetUse::required : TargetUse::absent,
                        reader.file_name());
  const auto use = schema.target ? TargetUse::required : TargetUse::absent;
  RecordCheck check(schema, names, use);
  ClassesSeen classes(schema);
  CategoryTexts texts(schema, names);
  SimilarUnits units;
  const auto unit = schema.unit ? std::optional(place_of(names, *schema.unit)) : std::nullopt;
  SchemaCheck result;
  while (const auto fields = reader.next()) {
    ++result.rows;
    if (unit && *unit < fields->size()) units.add((*fields)[*unit], reader.line());
    if (schema.target) classes.add((*fields)[check.target_column()]);
    check.check(*fields, reader.line());
    texts.add(*fields);
  }
  result.columns = check.take_faults();
  result.remarks = texts.remarks();
  result.empty_classes = classes.empty();
  result.similar_units = units.count();
  result.similar_units_line = units.first_line();
  return result;
}

SchemaCheck check_uniform(internal::UniformRecords& records, const Schema& schema) {
  ValueCheck features;
  features.faults.column = "features";
  features.bounds = {schema.features->lower, schema.features->upper};
  std::optional<ValueCheck> label;
  if (schema.target) {
    label = check_of_target(schema);
    if (label->faults.column.empty()) label->faults.column = "label";
  }
  ClassesSeen classes(schema);
  SchemaCheck result;
  result.lines = schema.format.kind->has_lines;
  internal::UniformRecord record;
  while (records.next(record)) {
    ++result.rows;
    for (const double value : record.values) features.check_number(value, record.place);
    features.count_outside(record.outside, record.place);
    if (!label) continue;
    if (record.number_label) {
      label->check_number(*record.number_label, record.place);
      classes.add_number(*record.number_label);
    } else {
      classes.add(record.text_label);
      label->check(record.text_label, record.place);
    }
  }
  result.columns.push_back(std::move(features.faults));
  if (label) result.columns.push_back(std::move(label->faults));
  result.empty_classes = classes.empty();
  return result;
}

}  // namespace

std::string label_fault(const SchemaCheck& found, const Schema& schema) {
  const auto* target = schema.target ? std::get_if<BinaryTarget>(&schema.target->rule) : nullptr;
  if (target == nullptr || found.rows == 0 || found.empty_classes.empty()) return {};
  const bool positive = found.empty_classes.front() == target->names()[1];
  const auto& labels = positive ? target->positive : target->negative;
  return fmt::format(
      "no record is {}: nobody has {}; spell {} in [target] as the column {} does",
      positive ? "positive" : "negative",
      labels.empty() ? std::string("another label than the positive ones")
                     : fmt::format("the label '{}'", fmt::join(labels, "' or '")),
      positive ? "positive" : "negative",
      schema.target->column.empty() ? "of labels" : fmt::format("'{}'", schema.target->column));
}

std::string strange_target(const SchemaCheck& found, const Schema& schema,
                           const std::filesystem::path& file) {
  if (!schema.target || found.columns.empty()) return {};
  const auto& faults = found.columns.back();
  if (faults.strange_line == 0) return {};
  const bool number = schema.target->regression();
  return fmt::format(
      "{}:{}: the target '{}' is \"{}\", which is no {}; {}", file.string(), faults.strange_line,
      faults.column, faults.strange_value, number ? "number" : "class of the schema",
      number ? "if it stands for a missing value, list it under `missing` in [target]"
             : "list it in [target], or under `missing` there if it stands for a missing value");
}

std::string unit_warning(const SchemaCheck& found, const Schema& schema) {
  if (found.similar_units == 0) return {};
  return fmt::format(
      "{} names of the unit '{}' differ by case or blanks alone from another one, the first in "
      "line {}. Blanks around a name make no other unit, case and blanks within one do; where they "
      "are one person, spell them alike: a person of two names is protected half as well",
      found.similar_units, schema.unit.value_or(""), found.similar_units_line);
}

namespace {

CsvReader csv_of(std::unique_ptr<ByteSource> bytes, const std::string& file,
                 const FileFormat& format) {
  return {in_utf8(std::move(bytes), format.encoding), file, csv_options(format)};
}

void expect_names(const Schema& schema) {
  if (schema.format.kind->names_columns()) return;
  throw base::UsageError("only files whose columns have names say which values were mapped");
}

}  // namespace

std::vector<std::string> mapped_columns(const std::filesystem::path& file, const Schema& schema) {
  expect_names(schema);
  return mapped_columns(open_source(file, {.expected = schema.format.encoding}), file.string(),
                        schema);
}

std::vector<std::string> mapped_columns(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                        const Schema& schema) {
  expect_names(schema);
  auto reader = csv_of(std::move(bytes), file, schema.format);
  const auto wanted = schema.feature_columns();
  const auto names = read_column_names(reader, schema.format, wanted);
  // Throws if the file lacks a column of the schema.
  const Encoder encoder(schema, names, TargetUse::absent, file);
  RecordCheck check(schema, names, TargetUse::absent);
  std::vector<std::string> mapped;
  while (const auto fields = reader.next()) {
    mapped.push_back(fmt::format("{}", fmt::join(check.check(*fields, reader.line()), ";")));
  }
  return mapped;
}

SchemaCheck check_values(const std::filesystem::path& file, const Schema& schema) {
  schema.validate();
  if (schema.format.kind->names_columns()) return check_csv(open_csv(file, schema.format), schema);
  const auto use = schema.target ? TargetUse::required : TargetUse::absent;
  return check_uniform(*internal::open_uniform(file, schema, use), schema);
}

SchemaCheck check_values(std::unique_ptr<ByteSource> bytes, const std::string& file,
                         const Schema& schema) {
  schema.validate();
  if (schema.format.kind->names_columns()) {
    return check_csv(csv_of(std::move(bytes), file, schema.format), schema);
  }
  return check_uniform(*internal::libsvm_of(std::move(bytes), file, schema), schema);
}

}  // namespace tacet::data
