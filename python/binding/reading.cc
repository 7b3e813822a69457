#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "python/binding/binding.h"
#include "tacet/base/error.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/schema.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

constexpr std::int64_t records_between_signals = 1 << 16;

/// Bytes that are no UTF-8 come back as they were when the engine reads the text.
nb::object text_of(std::string_view field) {
  auto text = nb::steal(
      PyUnicode_DecodeUTF8(field.data(), static_cast<Py_ssize_t>(field.size()), "surrogateescape"));
  if (!text.is_valid()) throw nb::python_error();
  return text;
}

/// A name that is read stands once. Of others the program takes any, and so does `read_csv`.
void check_names(const std::vector<std::string>& names, const std::set<std::string>& read,
                 const std::string& path) {
  std::set<std::string_view> known;
  for (const auto& name : names) {
    if (!known.insert(name).second && read.contains(name)) {
      throw base::DataError("{}:1: column '{}' appears twice; give each column a name of its own",
                            path, name);
    }
  }
}

/// The names, not always of UTF-8 nor different, and the fields of a CSV file's columns. `read` are
/// the names of those that the schema reads.
std::pair<nb::list, std::vector<nb::list>> read_csv(const std::string& path,
                                                    const data::Schema& schema,
                                                    const std::set<std::string>& read) {
  if (!schema.format.kind->names_columns()) {
    throw base::UsageError("the schema is for files of the kind '{}', and read_csv reads CSV",
                           schema.format.kind->name);
  }
  const auto records = data::csv_records(path, schema.format).open();
  const auto& names = records->names();
  check_names(names, read, path);
  std::vector<nb::list> columns(names.size());
  std::int64_t count = 0;
  while (const auto values = records->next()) {
    if (++count % records_between_signals == 0 && PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      columns[k].append(text_of(std::get<std::string_view>((*values)[k])));
    }
  }
  nb::list texts;
  for (const auto& name : names) texts.append(text_of(name));
  return {std::move(texts), std::move(columns)};
}

}  // namespace

void bind_reading(nb::module_& module) { module.def("read_csv", &read_csv); }

}  // namespace tacet::python
