#pragma once

#include <string>

#include "tacet/report/record/content.h"

namespace tacet::report {

/// The report as one HTML page that loads nothing and runs no script: it opens from a file, prints,
/// and is read aloud. A table of very many rows that belongs to a picture is cut; those of a
/// section are whole.
[[nodiscard]] std::string report_page(const Report& report);

/// The same sections as one element, to stand in the page of a notebook: its style holds for itself
/// alone. The names of its elements begin with a word that its text decides.
[[nodiscard]] std::string report_fragment(const Report& report);

}  // namespace tacet::report
