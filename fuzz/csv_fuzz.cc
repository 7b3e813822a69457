// The first byte chooses the options, the rest is the file. Whatever the file, reading ends with
// records or with a DataError, and the records do not depend on where buffers end.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/read/csv.h"

namespace csv_fuzz {

namespace {

using tacet::data::CsvOptions;

struct Outcome {
  std::vector<std::vector<std::string>> records;
  std::string error;

  bool operator==(const Outcome&) const = default;
};

Outcome read(std::string_view file, const CsvOptions& options) {
  Outcome outcome;
  try {
    tacet::data::CsvReader reader(tacet::data::memory_source(file, "f"), "f", options);
    while (const auto fields = reader.next()) {
      if (outcome.records.empty()) reader.expect_columns(fields->size());
      outcome.records.emplace_back(fields->begin(), fields->end());
    }
  } catch (const tacet::base::DataError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

const tacet::data::Schema& schema() {
  static const tacet::data::Schema instance = tacet::data::schema_from_toml(R"(
[target]
column = "y"
positive = "1"
[[column]]
name = "x"
kind = "numeric"
lower = -10
upper = 1e6
log1p = false
[[column]]
name = "c"
kind = "categorical"
categories = ["a", "b", "?"]
other = "column"
[[column]]
name = "t"
kind = "text"
bits = 6
[[column]]
name = "i"
kind = "ids"
max_ids = 3
bits = 4
[[column]]
name = "n"
kind = "ids"
separator = ";"
max_ids = 2
count = 7
[[column]]
kind = "crossed"
names = ["c", "k"]
bits = 3
)",
                                                                            "schema");
  return instance;
}

/// Every record, whatever its values, must become a row that a data set accepts.
void encode(const Outcome& outcome) {
  const std::vector<std::string> names = {"x", "y", "c", "t", "i", "n", "k"};
  tacet::data::Encoder encoder(schema(), names, tacet::data::TargetUse::required, "f");
  tacet::data::Dataset data(schema().shape());
  tacet::data::EncodedRow row;
  for (const auto& record : outcome.records) {
    std::vector<std::string_view> fields(record.begin(), record.end());
    fields.resize(names.size());
    encoder.encode(fields, row);
    data.append(row);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  const std::string_view file(reinterpret_cast<const char*>(data + 1), size - 1);
  CsvOptions options;
  options.separator = (choice & 1) != 0 ? ';' : ',';
  if ((choice & 2) != 0) options.separator = '\t';
  if ((choice & 4) != 0) options.quote.reset();
  options.trim = (choice & 8) != 0;
  options.fill_short = (choice & 16) != 0;
  options.buffer_size = std::size_t{1} << 13;
  const Outcome whole = read(file, options);
  // Damaged compressed data may show their fault sooner or later, so only plain files compare.
  if (!file.starts_with("\x1f\x8b")) {
    options.buffer_size = 16 + (choice >> 4);
    if (!(read(file, options) == whole)) std::abort();
  }
  encode(whole);
  return 0;
}

}  // namespace csv_fuzz
