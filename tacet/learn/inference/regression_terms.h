#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacet::learn {

/// A term of a regression: one column, or the columns that are multiplied.
using Term = std::vector<std::string>;

/// Reads the right side of a formula as R and statsmodels do: `age + sex + age:sex`, where
/// `age*sex` stands for `age + sex + age:sex`. Names with blanks or signs are put between
/// backticks. `1` is the intercept, which is always there. `.` is a term that the caller expands.
/// Each term occurs once, in the order of its first mention. The part before `begin` is not read.
/// UsageError, which says what is wrong and where in the whole formula.
[[nodiscard]] std::vector<Term> parse_terms(std::string_view formula, std::size_t begin = 0);

/// Whether the term is among them, in whatever order of its columns.
[[nodiscard]] bool has_term(const std::vector<Term>& terms, const Term& term);
/// Adds a term that is not among them yet.
void add_term(std::vector<Term>& terms, const Term& term);

/// The inverse; `1` if there are no terms. UsageError for a name that a formula cannot contain.
[[nodiscard]] std::string terms_text(const std::vector<Term>& terms);

}  // namespace tacet::learn
