#pragma once

#include <string>

#include "tacet/report/record/content.h"

namespace tacet::report {

/// The report for a terminal of 100 columns: its words and tables, and of each picture what it
/// shows and its numbers. Of folded parts only what they are, of long tables the first rows.
[[nodiscard]] std::string report_text(const Report& report);

}  // namespace tacet::report
