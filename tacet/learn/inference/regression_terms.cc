#include "tacet/learn/inference/regression_terms.h"

#include <algorithm>
#include <cctype>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

constexpr std::size_t max_factors = 4;
constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view no_intercept = "the intercept stays: no table is fitted without it";

bool belongs_to_name(char c) {
  return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Takes a formula apart; a place is that of a character, counted from 1.
class Words {
 public:
  explicit Words(std::string_view formula) : formula_(formula) {}

  [[nodiscard]] bool done() {
    skip_blanks();
    return at_ == formula_.size();
  }
  std::string name() {
    skip_blanks();
    if (at_ < formula_.size() && formula_[at_] == '`') return quoted();
    const std::size_t begin = at_;
    while (at_ < formula_.size() && belongs_to_name(formula_[at_])) ++at_;
    if (at_ == begin) fail_at_sign("the name of a column is expected");
    return std::string(formula_.substr(begin, at_ - begin));
  }
  /// One of `+`, `:` and `*`; `last` is the name before it.
  char sign(std::string_view last) {
    skip_blanks();
    const char found = formula_[at_];
    if (found == '(') fail_at_function(last);
    if (found != '+' && found != ':' && found != '*') {
      fail_at_sign(
          "'+', ':' or '*' is expected; names with blanks or signs stand between backticks");
    }
    ++at_;
    return found;
  }
  /// R's 1, the constant that is always there; a column of this name stands between backticks.
  bool takes_constant() {
    skip_blanks();
    const auto rest = formula_.substr(at_);
    const auto after = rest.find_first_not_of(blanks, rest.empty() ? 0 : 1);
    const bool alone = after == std::string_view::npos || rest[after] == '+';
    if (rest.empty() || !alone) return false;
    if (rest[0] == '0') fail(no_intercept);
    if (rest[0] != '1') return false;
    ++at_;
    return true;
  }
  /// R's sign before the first term.
  void skip_plus() {
    skip_blanks();
    if (at_ < formula_.size() && formula_[at_] == '+') ++at_;
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw base::UsageError("terms, character {}: {}", at_ + 1, what);
  }

 private:
  /// What R and statsmodels write with further signs has a message of its own.
  [[noreturn]] void fail_at_sign(std::string_view otherwise) const {
    const char found = at_ < formula_.size() ? formula_[at_] : ' ';
    switch (found) {
      case '(':
      case '^':
      case '*':
        fail(
            "parentheses and powers are not read: write products out, as in 'a*b'; the square of a "
            "column is a column that you make before");
      case '-': {
        const auto after = formula_.find_first_not_of(blanks, at_ + 1);
        const bool one = after != std::string_view::npos && formula_[after] == '1';
        fail(one ? no_intercept : "nothing is taken away: name the terms that stay");
      }
      case '/':
      case '%':
        fail("nested terms are not read: write 'a*b', which fits the same model");
      case '|':
        fail("groups are not read: no random effects are fitted");
      case '=':
        fail("a level is no term: name the column, and all its levels take part");
      case '\'':
      case '"':
        fail("a name with blanks or signs stands between backticks");
      default:
        fail(otherwise);
    }
  }
  [[noreturn]] void fail_at_function(std::string_view name) const {
    if (name == "C" || name == "factor" || name == "as.factor") {
      fail("name the column alone: the schema says that it is a category, and its 'reference'");
    }
    if (name == "offset") {
      fail(
          "no offset is fitted: where the target is a number, take the offset from it before; "
          "counts "
          "of unequal exposure have no counterpart");
    }
    if (name == "Q") fail("a name with blanks or signs stands between backticks");
    fail(
        "functions are not computed: make a column of it before, with bounds in the schema; for a "
        "curve give the column 'bins'");
  }
  std::string quoted() {
    const auto end = formula_.find('`', at_ + 1);
    if (end == std::string_view::npos) fail("the second backtick of a name is missing");
    const auto text = formula_.substr(at_ + 1, end - at_ - 1);
    if (text.empty()) fail("a name between backticks is empty");
    at_ = end + 1;
    return std::string(text);
  }
  void skip_blanks() { at_ = std::min(formula_.find_first_not_of(blanks, at_), formula_.size()); }

  std::string_view formula_;
  std::size_t at_ = 0;
};

/// The term, and with `*` all products of some of its columns before it, shorter ones first.
void add_crossed(std::vector<Term>& terms, const Term& names) {
  for (std::size_t size = 1; size <= names.size(); ++size) {
    for (std::size_t chosen = 1; chosen < std::size_t{1} << names.size(); ++chosen) {
      Term term;
      for (std::size_t k = 0; k < names.size(); ++k) {
        if ((chosen >> k & 1) != 0) term.push_back(names[k]);
      }
      if (term.size() == size) add_term(terms, term);
    }
  }
}

}  // namespace

bool has_term(const std::vector<Term>& terms, const Term& term) {
  return std::ranges::any_of(
      terms, [&](const Term& other) { return std::ranges::is_permutation(other, term); });
}

void add_term(std::vector<Term>& terms, const Term& term) {
  if (!has_term(terms, term)) terms.push_back(term);
}

std::vector<Term> parse_terms(std::string_view formula) {
  constexpr std::string_view itself =
      "a column times itself; its square is a column that you make before";
  std::vector<Term> terms;
  Words words(formula);
  words.skip_plus();
  while (true) {
    if (words.takes_constant()) {
      if (words.done()) return terms;
      static_cast<void>(words.sign("1"));
      continue;
    }
    Term names{words.name()};
    char product = 0;
    bool another = false;
    while (!words.done()) {
      const char sign = words.sign(names.back());
      another = sign == '+';
      if (another) break;
      if (product != 0 && product != sign) words.fail("':' and '*' in one term; write two terms");
      product = sign;
      names.push_back(words.name());
      if (std::ranges::count(names, names.back()) > 1) words.fail(itself);
      if (names.size() > max_factors) words.fail("at most four columns in a product");
    }
    if (product == '*') {
      add_crossed(terms, names);
    } else {
      add_term(terms, names);
    }
    if (!another) return terms;
  }
}

std::string terms_text(const std::vector<Term>& terms) {
  std::string text = terms.empty() ? "1" : "";
  for (const auto& term : terms) {
    if (!text.empty()) text += " + ";
    for (const auto& name : term) {
      if (&name != &term.front()) text += ":";
      const bool plain =
          !name.empty() && name != "0" && name != "1" && std::ranges::all_of(name, belongs_to_name);
      if (name.find('`') != std::string::npos) {
        throw base::UsageError("the column '{}' has a backtick in its name, which no term can hold",
                               name);
      }
      text += plain ? name : "`" + name + "`";
    }
  }
  return text;
}

}  // namespace tacet::learn
