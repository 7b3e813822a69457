#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/limits.h"
#include "tacet/base/progress.h"
#include "tacet/privacy/statement.h"
#include "tacet/report/json.h"
#include "tacet/report/verification.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// The verdict as `tacet verify --json` prints it, and why it is none: empty where it follows.
using Verdict = std::pair<std::string, std::string>;

/// Of the words given, else of the file of that name.
Verdict verify(const std::optional<nb::bytes>& words, const std::string& name,
               std::optional<double> patience) {
  std::optional<std::string> given;
  if (words) given.emplace(words->c_str(), words->size());
  return supervised(nb::none(), [&](const base::Supervision& supervision) -> Verdict {
    base::WorkMeter work(patience.value_or(base::default_patience), supervision.cancel);
    const auto text = given ? *given : base::read_file(name, base::limits::model_bytes);
    const auto result = report::result_in(text, name);
    const auto& receipt = result.receipt;
    if (!receipt.is_protected()) {
      return {report::json_text(report::unprotected_json(name, receipt)), ""};
    }
    const auto verified = report::verification_of(result, work);
    return {report::json_text(report::verification_json(name, receipt, verified)), verified.fault};
  });
}

/// The receipt of a result as the program writes it, and its promise in words.
std::pair<std::string, std::string> receipt_of(const std::string& text) {
  const auto receipt = report::result_in(text, "the result").receipt;
  return {privacy::receipt_to_json(receipt), privacy::statement(receipt)};
}

}  // namespace

void bind_verification(nb::module_& module) {
  module.def("verify", &verify, nb::arg("words").none(), nb::arg("name"),
             nb::arg("patience").none());
  module.def("receipt_of", &receipt_of);
}

}  // namespace tacet::python
