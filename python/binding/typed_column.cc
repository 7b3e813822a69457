#include "python/binding/typed_column.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

#include "tacet/base/error.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

using data::Value;
using data::ValueType;
using Kind = ValueType::Kind;
using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

template <typename T>
T load(const Array& array, std::size_t row) {
  T value;
  const auto* data = static_cast<const char*>(array.data());
  const auto place = static_cast<std::int64_t>(row) * array.stride(0);
  std::memcpy(&value, data + place * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

/// Values of T, handed on as values of As.
template <typename T, typename As>
TypedColumn column_of(const Array& array, Kind kind) {
  constexpr int bits = 8 * sizeof(T);
  constexpr bool is_signed = std::is_signed_v<T>;
  const char* words = kind == Kind::real ? "float" : is_signed ? "int" : "uint";
  return {.length = array.shape(0),
          .type = {.kind = kind,
                   .bits = bits,
                   .is_signed = is_signed,
                   .name = kind == Kind::boolean ? "bool" : fmt::format("{}{}", words, bits)},
          .at = [array](std::size_t row) -> Value { return static_cast<As>(load<T>(array, row)); }};
}

Array array_of(const std::string& name, const nb::object& column) {
  Array array;
  if (!nb::try_cast(column, array)) {
    throw base::DataError("column '{}' is an array of a type that holds no single numbers", name);
  }
  return array;
}

TypedColumn array_column(const std::string& name, const Array& array) {
  using I = std::int64_t;
  const auto type = array.dtype();
  const auto is = [&](nb::dlpack::dtype_code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits;
  };
  using enum nb::dlpack::dtype_code;
  if (is(Bool, 8)) return column_of<bool, bool>(array, Kind::boolean);
  if (is(Int, 8)) return column_of<std::int8_t, I>(array, Kind::integer);
  if (is(Int, 16)) return column_of<std::int16_t, I>(array, Kind::integer);
  if (is(Int, 32)) return column_of<std::int32_t, I>(array, Kind::integer);
  if (is(Int, 64)) return column_of<std::int64_t, I>(array, Kind::integer);
  if (is(UInt, 8)) return column_of<std::uint8_t, I>(array, Kind::integer);
  if (is(UInt, 16)) return column_of<std::uint16_t, I>(array, Kind::integer);
  if (is(UInt, 32)) return column_of<std::uint32_t, I>(array, Kind::integer);
  if (is(Float, 32)) return column_of<float, float>(array, Kind::real);
  if (is(Float, 64)) return column_of<double, double>(array, Kind::real);
  throw base::DataError("column '{}' is an array of a type that holds no single numbers", name);
}

TypedColumn day_column(const Array& array) {
  return {.length = array.shape(0),
          .type = {.kind = Kind::day, .name = "datetime64"},
          .at = [array](std::size_t row) -> Value {
            const auto day = load<std::int64_t>(array, row);
            if (day == std::numeric_limits<std::int64_t>::min()) return data::Missing{};
            return data::Day{day};
          }};
}

/// Values of Python's, copied; texts have an address that stays. None of them is an error.
class OwnValues {
 public:
  void add(nb::handle value) { values_.push_back(value_of(value)); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] Value at(std::size_t row) const { return values_[row]; }

 private:
  Value value_of(nb::handle value) {
    PyObject* const object = value.ptr();
    if (PyBool_Check(object)) return object == Py_True;
    if (PyFloat_Check(object)) return PyFloat_AsDouble(object);
    if (PyUnicode_Check(object)) return text_of(object);
    if (PyList_Check(object) || PyTuple_Check(object)) return list_of(value);
    if (!PyLong_Check(object)) return data::Missing{};
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) return std::int64_t{number};
    return digits_of(object);
  }
  /// Its own entries have a list's address that stays; lists within it are missing.
  Value list_of(nb::handle value) {
    if (inside_) return data::Missing{};
    inside_ = true;
    std::vector<data::ListItem> items;
    for (nb::handle entry : value) items.push_back({value_of(entry)});
    inside_ = false;
    const auto& kept = lists_.emplace_back(std::move(items));
    return data::List{kept.data(), kept.size()};
  }
  /// In base 16 where Python refuses to write so many digits: no number then, but a text.
  Value digits_of(PyObject* object) {
    for (const int base : {10, 16}) {
      const auto digits = nb::steal<nb::object>(PyNumber_ToBase(object, base));
      if (digits.is_valid()) return text_of(digits.ptr());
      PyErr_Clear();
    }
    return data::Missing{};
  }
  /// What UTF-8 has not: bytes of a file that Python reads with errors="surrogateescape" are these
  /// bytes again; other halves of surrogate pairs are the three bytes that they would be.
  Value text_of(PyObject* text) {
    Py_ssize_t size = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(text, &size)) {
      return std::string_view(texts_.emplace_back(bytes, static_cast<std::size_t>(size)));
    }
    PyErr_Clear();
    for (const char* errors : {"surrogateescape", "surrogatepass"}) {
      const auto bytes = nb::steal<nb::object>(PyUnicode_AsEncodedString(text, "utf-8", errors));
      if (bytes.is_valid()) {
        return std::string_view(texts_.emplace_back(
            PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))));
      }
      PyErr_Clear();
    }
    return data::Missing{};
  }

  std::deque<std::string> texts_;
  std::deque<std::vector<data::ListItem>> lists_;
  bool inside_ = false;
  std::vector<Value> values_;
};

TypedColumn list_column(const nb::list& list, ValueType type) {
  const auto values = std::make_shared<OwnValues>();
  for (nb::handle value : list) values->add(value);
  return {.length = values->size(), .type = std::move(type), .at = [values](std::size_t row) {
            return values->at(row);
          }};
}

TypedColumn named_column(const std::string& name, const nb::tuple& pair) {
  const auto called = nb::cast<std::string>(pair[0]);
  if (nb::isinstance<nb::list>(pair[1])) {
    return list_column(nb::cast<nb::list>(pair[1]), type_called(called));
  }
  const auto array = array_of(name, pair[1]);
  if (called == "datetime64") return day_column(array);
  auto column = array_column(name, array);
  column.type = type_called(called);
  return column;
}

}  // namespace

data::ValueType type_called(const std::string& name) {
  std::string word = name.substr(0, name.find_first_of("[(<"));
  std::ranges::transform(word, word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (word == "double") word = "float64";
  if (word == "float") word = "float32";
  if (word == "halffloat") word = "float16";
  const auto starts = [&](std::string_view with) { return word.starts_with(with); };
  ValueType type{.kind = Kind::any, .name = name};
  if (starts("bool")) type.kind = Kind::boolean;
  if (starts("date") || starts("timestamp")) type.kind = Kind::day;
  constexpr std::array others{"decimal", "struct",   "list",         "large_list", "map",
                              "array",   "binary",   "large_binary", "time32",     "time64",
                              "period",  "duration", "timedelta",    "fixed_size", "interval",
                              "month",   "extension"};
  if (starts("list") || starts("large_list")) {
    const auto begin = name.find_first_of("[(<");
    const auto end = name.find_last_of("])>");
    if (begin == std::string::npos || end == std::string::npos || end < begin) return type;
    auto inside = name.substr(begin + 1, end - begin - 1);
    if (const auto colon = inside.find(": "); colon != std::string::npos)
      inside.erase(0, colon + 2);
    const auto kind = type_called(inside).kind;
    const bool odd = kind == Kind::day || kind == Kind::list || kind == Kind::unreadable;
    type.kind = odd ? Kind::unreadable : Kind::list;
    return type;
  }
  if (word == "time" || std::ranges::any_of(others, starts)) type.kind = Kind::unreadable;
  const auto digits = word.find_first_of("0123456789");
  const auto number = word.substr(0, digits);
  if (digits == std::string::npos || (number != "int" && number != "uint" && number != "float")) {
    return type;
  }
  const auto [end, error] =
      std::from_chars(word.data() + digits, word.data() + word.size(), type.bits);
  if (error != std::errc() || end != word.data() + word.size()) return type;
  type.kind = number == "float" ? Kind::real : Kind::integer;
  type.is_signed = number != "uint";
  return type;
}

TypedColumn typed_column(const std::string& name, const nb::object& column) {
  if (nb::isinstance<nb::list>(column)) {
    return list_column(nb::cast<nb::list>(column), {.kind = Kind::any, .name = "object"});
  }
  if (nb::isinstance<nb::tuple>(column)) return named_column(name, nb::cast<nb::tuple>(column));
  return array_column(name, array_of(name, column));
}

}  // namespace tacet::python
