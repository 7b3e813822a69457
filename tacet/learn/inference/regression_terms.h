#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacet::learn {

/// A term of a regression: one column, or the columns whose product it is.
using Term = std::vector<std::string>;

/// Reads a formula's right side with the words of R and statsmodels: `age + sex + age:sex`, where
/// `age*sex` stands for `age + sex + age:sex`. Names that hold blanks or signs stand between
/// backticks. `1` is the intercept, which is always there, and nothing else; `.` is a term that the
/// caller writes out. Each term comes once, in the order of its first mention. What stands before
/// `begin` is not read. UsageError that says what is wrong and where in the whole formula.
[[nodiscard]] std::vector<Term> parse_terms(std::string_view formula, std::size_t begin = 0);

/// Whether the term is among them, in whatever order of its columns.
[[nodiscard]] bool has_term(const std::vector<Term>& terms, const Term& term);
/// Adds a term that is not among them yet.
void add_term(std::vector<Term>& terms, const Term& term);

/// The inverse; `1` for none. UsageError for a name that no formula can hold.
[[nodiscard]] std::string terms_text(const std::vector<Term>& terms);

}  // namespace tacet::learn
