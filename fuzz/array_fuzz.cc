// The input is an NPY or IDX file. Reading ends with the numbers of its shape or with a DataError;
// no header makes the reader ask for more memory than the caller's buffer.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/data/read/array_reader.h"

namespace array_fuzz {

namespace {

template <typename T>
void read(std::string_view file) {
  try {
    tacet::data::ArrayReader reader(tacet::data::memory_source(file, "f"), "f");
    std::array<T, 64> values{};
    for (std::int64_t left = reader.size(); left > 0;) {
      const std::int64_t count = std::min<std::int64_t>(left, values.size());
      reader.read(std::span<T>(values).first(static_cast<std::size_t>(count)));
      left -= count;
    }
    reader.expect_end();
  } catch (const tacet::base::DataError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  read<double>(file);
  read<std::int64_t>(file);
  return 0;
}

}  // namespace array_fuzz
