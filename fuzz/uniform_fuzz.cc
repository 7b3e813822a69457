// Arrays that belong together: a dense array and its labels, or compressed sparse rows of `indptr`,
// `indices`, `data` and labels. Byte 0 says which there are, byte 1 the schema's number of
// features, then come the lengths of the first three arrays and their bytes; the last one has the
// rest. Each is an NPY or IDX file or, by a bit of byte 0, the numbers of one, so that faults
// between arrays are reached. Reading ends with certified rows or a DataError, and a second reading
// with the same.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"

namespace uniform_fuzz {

namespace {

using namespace tacet::data;

enum Bits : unsigned { sparse = 1, with_data = 2, with_labels = 4, bare_numbers = 8, classes = 16 };

struct Input {
  unsigned bits = 0;
  std::int64_t count = 1;
  std::array<std::string, 4> files;  // dense: features, labels; sparse: starts to labels

  [[nodiscard]] bool has(Bits bit) const { return (bits & bit) != 0; }
};

/// Signed bytes, or floats of four bytes, as an NPY file.
std::string npy(std::string_view numbers, bool floats, std::int64_t row_size) {
  const auto size = static_cast<std::int64_t>(numbers.size() / (floats ? 4 : 1));
  const std::int64_t rows = size / row_size;
  const std::string shape = row_size == 1 ? std::to_string(rows) + ","
                                          : std::to_string(rows) + ", " + std::to_string(row_size);
  const std::string header = std::string("{'descr': '") + (floats ? "<f4" : "|i1") +
                             "', 'fortran_order': False, 'shape': (" + shape + "), }";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         std::string(
             numbers.substr(0, static_cast<std::size_t>(rows * row_size) * (floats ? 4 : 1)));
}

Input cut(std::string_view bytes) {
  Input input;
  input.bits = static_cast<unsigned char>(bytes[0]);
  input.count = 2 + static_cast<unsigned char>(bytes[1]) % 64;
  std::string_view rest = bytes.substr(8);
  for (std::size_t k = 0; k < input.files.size(); ++k) {
    std::size_t length = rest.size();
    if (k < 3) {
      length = static_cast<unsigned char>(bytes[2 + 2 * k]) +
               std::size_t{256} * static_cast<unsigned char>(bytes[3 + 2 * k]);
    }
    const std::string_view part = rest.substr(0, length);
    rest.remove_prefix(part.size());
    const bool floats = k >= 2 || !input.has(sparse);
    const bool rows = k == 0 && !input.has(sparse);
    input.files[k] =
        input.has(bare_numbers) ? npy(part, floats, rows ? input.count : 1) : std::string(part);
  }
  return input;
}

ArrayReader open(const std::string& file) { return {memory_source(file, "f"), "f"}; }

std::optional<Dataset> read(const Input& input, const Schema& schema) {
  const auto& files = input.files;
  try {
    std::optional<ArrayReader> labels;
    if (input.has(with_labels)) labels.emplace(open(files[input.has(sparse) ? 3 : 1]));
    std::unique_ptr<internal::UniformRecords> records;
    if (input.has(sparse)) {
      internal::CsrArrays arrays{open(files[0]), open(files[1]), std::nullopt};
      if (input.has(with_data)) arrays.data.emplace(open(files[2]));
      records = internal::csr_records(std::move(arrays), std::move(labels), input.count);
    } else {
      records = internal::dense_records(open(files[0]), std::move(labels), input.count);
    }
    const auto target = input.has(with_labels) ? TargetUse::required : TargetUse::absent;
    return internal::read_uniform(*records, schema, {.target = target});
  } catch (const tacet::base::DataError&) {
    return std::nullopt;
  }
}

bool same(const Dataset& a, const Dataset& b) {
  if (a.rows() != b.rows()) return false;
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    if (a.label(row) != b.label(row) || a.squared_norm(row) != b.squared_norm(row)) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const Input input = cut({reinterpret_cast<const char*>(data), size});
  Schema schema;
  schema.format.kind = &file_kind(input.has(sparse) ? "npy-csr" : "npy");
  schema.features = UniformFeatures{.count = input.count, .lower = -2, .upper = 100};
  schema.target = Target{"", RegressionTarget{-1, 1}};
  if (input.has(classes)) schema.target->rule = MultiClassTarget{{"0", "1", "2"}};
  const auto found = read(input, schema);
  const auto again = read(input, schema);
  if (found.has_value() != again.has_value() || (found && !same(*found, *again))) std::abort();
  return 0;
}

}  // namespace uniform_fuzz
