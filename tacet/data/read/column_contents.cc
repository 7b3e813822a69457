#include "tacet/data/read/column_contents.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/missing_values.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

constexpr std::size_t longest_code = 200;  // bytes; a longer text is not a category
constexpr auto max_blanks_of_code = 1;

bool is_code(std::string_view text) {
  return text.size() <= longest_code &&
         std::count(text.begin(), text.end(), ' ') <= max_blanks_of_code && valid_utf8(text) &&
         std::none_of(text.begin(), text.end(), [](char c) {
           const auto code = static_cast<unsigned char>(c);
           return code < 0x20 || code == 0x7f;
         });
}

void add(std::string_view field, const ContentsRule& rule, const MissingValues& missing,
         ColumnContents& contents) {
  if (missing.has(Value(field))) return;
  const auto number = rule.codes ? std::nullopt : rule.reader(field);
  if (number) {
    if (rule.reader.date() || !missing.has_number(*number)) contents.numbers.push_back(*number);
  } else if (is_code(field)) {
    ++contents.codes[std::string(field)];
    ++contents.code_count;
  } else {
    ++contents.prose_count;
  }
}

}  // namespace

std::vector<std::string> column_names(const std::filesystem::path& file, const FileFormat& format) {
  auto reader = open_csv(file, format);
  return read_column_names(reader, format);
}

std::vector<privacy::Private<ColumnContents>> read_contents(const RecordSource& records,
                                                            std::span<const std::string> missing,
                                                            const ContentsOptions& options) {
  const auto reader = records.open();
  const auto& names = reader->names();
  const auto& [expected, cancel, sample, rules] = options;
  if (!expected.empty()) expect_same_columns(expected, names, records.name);
  if (sample != nullptr) sample->expect_columns(names, records.name);
  std::vector<ColumnContents> contents(names.size());
  std::vector<MissingValues> missing_values;
  const ContentsRule plain;
  const auto rule_of = [&](std::size_t k) -> const ContentsRule& {
    return rules.empty() ? plain : rules[k];
  };
  for (std::size_t k = 0; k < names.size(); ++k) {
    missing_values.emplace_back(missing, rule_of(k).missing);
  }
  std::size_t rows = 0;
  FileText text;
  while (const auto record = reader->next()) {
    if (cancel != nullptr && ++rows % rows_between_checks == 0) cancel->throw_if_cancelled();
    if (sample != nullptr && !sample->takes_next(*record)) continue;
    for (std::size_t k = 0; k < contents.size(); ++k) {
      add(text.of((*record)[k]), rule_of(k), missing_values[k], contents[k]);
    }
  }
  std::vector<privacy::Private<ColumnContents>> result;
  result.reserve(contents.size());
  for (auto& column : contents) result.emplace_back(std::move(column));
  return result;
}

}  // namespace tacet::data
