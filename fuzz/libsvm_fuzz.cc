// Two bytes choose the number of features, the rest is the file. Whatever the file, reading ends
// with records whose columns ascend below that number, which encode, or with a DataError; and the
// records do not depend on where buffers end.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/uniform_encoder.h"
#include "tacet/data/read/libsvm.h"

namespace libsvm_fuzz {

namespace {

using namespace tacet::data;

struct Outcome {
  std::vector<LibsvmRecord> records;
  std::string error;
};

Outcome read(std::string_view file, std::int64_t columns, std::size_t buffer_size) {
  Outcome outcome;
  try {
    LibsvmReader reader(memory_source(file, "f"), "f",
                        {.column_count = columns, .buffer_size = buffer_size});
    LibsvmRecord record;
    while (reader.next(record)) outcome.records.push_back(record);
  } catch (const tacet::base::DataError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

bool same(const Outcome& a, const Outcome& b) {
  if (a.error != b.error || a.records.size() != b.records.size()) return false;
  for (std::size_t k = 0; k < a.records.size(); ++k) {
    if (a.records[k].label != b.records[k].label || a.records[k].dropped != b.records[k].dropped ||
        a.records[k].features.columns() != b.records[k].features.columns() ||
        a.records[k].features.values() != b.records[k].features.values()) {
      return false;
    }
  }
  return true;
}

void encode(const Outcome& outcome, std::int64_t columns) {
  Schema schema;
  schema.format.kind = &file_kind("libsvm");
  schema.features = UniformFeatures{.count = columns, .lower = -2, .upper = 3};
  UniformEncoder encoder(schema);
  Dataset data(schema.shape());
  EncodedRow row;
  for (const LibsvmRecord& record : outcome.records) {
    encoder.encode(record.features.columns(), record.features.values(), row);
    data.append(row);  // checks order, range and norm
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::int64_t columns = 1 + data[0] + 256 * (data[1] % 64);
  const std::string_view file(reinterpret_cast<const char*>(data + 2), size - 2);
  const Outcome outcome = read(file, columns, 1 << 16);
  if (!file.starts_with("\x1f\x8b") && !same(outcome, read(file, columns, 1))) std::abort();
  encode(outcome, columns);
  return 0;
}

}  // namespace libsvm_fuzz
