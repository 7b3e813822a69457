#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

/// The engine as Python sees it: one function a file, each of which adds its classes and functions
/// to the module. What is here takes and gives plain values; python/tacet makes of it what a person
/// uses.
namespace tacet::python {

/// What the engine says, with its parameters as arguments of Python's: python/tacet/_spelling.py.
[[nodiscard]] nanobind::str spelled(std::string_view words);

void bind_errors(nanobind::module_& module);
void bind_schemas(nanobind::module_& module);
void bind_rows(nanobind::module_& module);
void bind_reading(nanobind::module_& module);
void bind_budgets(nanobind::module_& module);
void bind_context(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_accounting(nanobind::module_& module);
void bind_verification(nanobind::module_& module);
void bind_evaluation(nanobind::module_& module);
void bind_summaries(nanobind::module_& module);
void bind_releases(nanobind::module_& module);
void bind_schema_fits(nanobind::module_& module);
void bind_planning(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_parts(nanobind::module_& module);
void bind_splitting(nanobind::module_& module);
void bind_words(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_device(nanobind::module_& module);
void bind_reports(nanobind::module_& module);
void bind_audits(nanobind::module_& module);

}  // namespace tacet::python
