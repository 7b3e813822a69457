#include "tacet/data/read/column_contents.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

constexpr std::size_t longest_code = 200;  // bytes; what is longer names no category
constexpr auto max_blanks_of_code = 1;

bool is_code(std::string_view text) {
  return text.size() <= longest_code &&
         std::count(text.begin(), text.end(), ' ') <= max_blanks_of_code && valid_utf8(text) &&
         std::none_of(text.begin(), text.end(), [](char c) {
           const auto code = static_cast<unsigned char>(c);
           return code < 0x20 || code == 0x7f;
         });
}

void add(std::string_view field, ColumnContents& contents) {
  if (const auto number = parse_number(field)) {
    contents.numbers.push_back(*number);
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
  const auto& [expected, cancel, sample] = options;
  if (!expected.empty()) expect_same_columns(expected, names, records.name);
  if (sample != nullptr) sample->expect_columns(names, records.name);
  std::vector<ColumnContents> contents(names.size());
  std::size_t rows = 0;
  FileText text;
  while (const auto record = reader->next()) {
    if (cancel != nullptr && ++rows % rows_between_checks == 0) cancel->throw_if_cancelled();
    if (sample != nullptr && !sample->takes_next(*record)) continue;
    for (std::size_t k = 0; k < contents.size(); ++k) {
      const std::string_view field = text.of((*record)[k]);
      if (std::find(missing.begin(), missing.end(), field) == missing.end()) {
        add(field, contents[k]);
      }
    }
  }
  std::vector<privacy::Private<ColumnContents>> result;
  result.reserve(contents.size());
  for (auto& column : contents) result.emplace_back(std::move(column));
  return result;
}

}  // namespace tacet::data
