// A file on several threads beside one. The first byte chooses the format and the size of the
// blocks, the rest is the file. Records, their order, units and the first error must be the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tacet/data/read/read_dataset.h"
#include "tests/support/damaged_source.h"
#include "tests/support/same_records.h"

namespace blocks_fuzz {

namespace {

using namespace tacet;

data::Schema csv_schema() {
  return data::schema_from_toml(R"(
unit = "u"
[format]
header = false
names = ["x", "t", "u", "y"]
[target]
column = "y"
positive = "1"
[[column]]
name = "x"
kind = "numeric"
lower = -10
upper = 1e6
[[column]]
name = "t"
kind = "text"
bits = 6
)",
                                "schema");
}

data::Schema libsvm_schema() {
  return data::schema_from_toml(
      "row_scaling='const'\n[format]\nkind='libsvm'\n[target]\npositive='1'\nnegative='-1'\n"
      "[features]\ncount=99\nlower=0\nupper=1\nmax_nonzero=14\n",
      "schema");
}

enum Bits : unsigned { libsvm = 1, no_quote = 2, trim = 4, fill = 8, damaged = 16 };

test::ReadOutcome read(std::string_view file, unsigned bits, base::ThreadPool* threads,
                       std::size_t block) {
  std::unique_ptr<data::ByteSource> source = data::internal::text_source(file);
  if ((bits & damaged) != 0) source = std::make_unique<test::DamagedSource>(file);
  if ((bits & libsvm) != 0) {
    static const data::Schema schema = libsvm_schema();
    return test::outcome_of([&] {
      const auto records = data::internal::libsvm_records(std::move(source), "f", 99, 1);
      return data::internal::read_uniform(*records, schema, {.threads = threads}, block);
    });
  }
  static const data::Schema csv = csv_schema();
  data::Schema schema = csv;
  if ((bits & no_quote) != 0) schema.format.quote.reset();
  schema.format.trim = (bits & trim) != 0;
  schema.format.fill_short = (bits & fill) != 0;
  return test::outcome_of([&] {
    return data::internal::read_csv(std::move(source), "f", schema,
                                    {.units = data::UnitUse::index, .threads = threads}, block);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static base::ThreadPool threads(3);
  const std::string_view file(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto alone = read(file, data[0], nullptr, 0);
  for (const std::size_t block : {std::size_t{16} + data[0] / 32U, std::size_t{300}}) {
    if (!test::same(read(file, data[0], &threads, block), alone)) std::abort();
  }
  return 0;
}

}  // namespace blocks_fuzz
