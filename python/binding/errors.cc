#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <new>
#include <string_view>

#include "python/binding/binding.h"
#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/privacy/budget.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

const char* class_of(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::usage:
      return "UsageError";
    case base::ErrorKind::data:
      return "DataError";
    case base::ErrorKind::budget:
      return "BudgetError";
    case base::ErrorKind::guarantee:
      return "GuaranteeError";
    case base::ErrorKind::numeric:
      return "NumericError";
    case base::ErrorKind::io:
      return "IoError";
    case base::ErrorKind::interrupted:
      return "Interrupted";
    case base::ErrorKind::internal:
      break;
  }
  return "InternalError";
}

nb::object pair_of(const privacy::Guarantee& guarantee) {
  return nb::make_tuple(guarantee.epsilon, guarantee.delta);
}

nb::object exception_of(const base::Error& error) {
  const auto text = spelled(error.what());
  const auto made = nb::module_::import_("tacet.errors").attr(class_of(error.kind()))(text);
  if (const auto* exceeded = dynamic_cast<const privacy::BudgetExceeded*>(&error)) {
    made.attr("asked") = pair_of(exceeded->requested());
    made.attr("left") = pair_of(exceeded->remaining());
    made.attr("cap") = pair_of(exceeded->cap());
  }
  return made;
}

}  // namespace

nb::str spelled(std::string_view words) {
  // Names of columns may be of any bytes.
  const auto text = nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
  return nb::cast<nb::str>(nb::module_::import_("tacet._spelling").attr("spelled")(text));
}

void bind_errors(nb::module_& module) {
  module.def("spell_parameters", &base::spell_parameters, nb::arg("text"), nb::arg("spelling"));
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const base::Error& error) {
      const auto exception = exception_of(error);
      PyErr_SetObject(exception.type().ptr(), exception.ptr());
    } catch (const std::bad_alloc&) {
      PyErr_SetString(PyExc_MemoryError,
                      "out of memory; spool=FOLDER of an estimator, or of evaluate, keeps encoded "
                      "records in a file there");
    }
  });
}

}  // namespace tacet::python
