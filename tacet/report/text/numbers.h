#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tacet/report/record/content.h"

/// A report for programs.
namespace tacet::report {

struct NumbersFile {
  std::string name;  ///< letters, digits, - and a suffix
  std::string text;
};

/// The version of report_json.
inline constexpr int report_json_version = 1;

/// Everything that the report shows: its sections, tables, and the numbers of its pictures.
[[nodiscard]] nlohmann::ordered_json report_json(const Report& report);

/// The numbers of each picture as CSV, and report.json.
[[nodiscard]] std::vector<NumbersFile> numbers_files(const Report& report);

}  // namespace tacet::report
