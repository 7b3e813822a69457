#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "python/binding/rows.h"

namespace tacet::python {

/// A column that Python holds:
///
/// - a NumPy array of booleans, integers or floats;
/// - a list of Python's own values: what is no None, boolean, number, text, or list or tuple of
///   these is missing;
/// - a pair of a type's name and one of both: "datetime64" and an array of days since 1970-01-01,
/// or
///   the name that another library gives the type of the values.
///
/// DataError, which names the column, for an array of other values.
[[nodiscard]] TypedColumn typed_column(const std::string& name, const nanobind::object& column);

/// A type by the name that a library gives it: pandas' "Int64" and "datetime64[ns, UTC]", Arrow's
/// "double" and "timestamp[us]", polars' "Datetime(...)". Of another name: any.
[[nodiscard]] data::ValueType type_called(const std::string& name);

}  // namespace tacet::python
