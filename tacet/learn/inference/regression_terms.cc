#include "tacet/learn/inference/regression_terms.h"

#include <algorithm>
#include <cctype>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

constexpr std::size_t max_factors = 4;
constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view no_intercept = "the intercept stays: no table is fitted without it";
constexpr std::string_view backticks = "a name with blanks or signs stands between backticks";

/// What to write instead of a function of R or statsmodels.
struct Advice {
  std::vector<std::string_view> functions;
  std::string_view instead;
};

std::string_view advice_for(std::string_view function) {
  static const std::vector<Advice> known{
      {{"C", "factor", "as.factor", "ordered", "as.ordered", "relevel"},
       "name the column alone: the schema says that it is a category, and its 'reference'"},
      {{"scale", "center", "standardize"},
       "name the column alone: coefficients are in the units of the file, and a contrast such as "
       "'10 * age' is the effect of more units"},
      {{"bs", "cr", "cc", "ns", "s", "te", "cut", "pd.cut", "pd.qcut"},
       "for a curve give the column 'edges' and 'bins_only = true' in the schema, and name it "
       "alone"},
      {{"log1p", "np.log1p"}, "give the column 'log1p = true' in the schema, and name it alone"},
      {{"strata", "cluster", "Error"},
       "records that belong together have a column that says so, the 'unit' of the schema"},
      {{"offset"},
       "no offset is fitted: if the target is a number, take the offset from it before; counts of "
       "unequal exposure have no counterpart"},
      {{"Q"}, backticks}};
  for (const auto& advice : known) {
    if (std::ranges::count(advice.functions, function) > 0) return advice.instead;
  }
  return "functions are not computed: make a column of it before, with bounds in the schema";
}

bool belongs_to_name(char c) {
  return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Splits a formula. Places are numbers of characters, counted from 1.
class Words {
 public:
  Words(std::string_view formula, std::size_t begin) : formula_(formula), at_(begin) {}

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
    if (found == '(') fail(advice_for(last));
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
    // Bytes that continue a UTF-8 character do not count as characters.
    const auto before = formula_.substr(0, at_);
    const auto place = std::ranges::count_if(before, [](char c) { return (c & 0xC0) != 0x80; });
    throw base::UsageError("terms, character {}: {}", place + 1, what);
  }

 private:
  /// Further signs of R and statsmodels have their own messages.
  [[noreturn]] void fail_at_sign(std::string_view otherwise) const {
    const auto rest = formula_.substr(at_);
    const bool power = at_ > 0 && formula_[at_ - 1] == '*';
    switch (rest.empty() ? ' ' : rest[0]) {
      case '*':
        if (!power) fail(otherwise);
        [[fallthrough]];
      case '(':
      case '^':
        if (rest.substr(0, rest.find(')')).find('|') != std::string_view::npos) {
          fail(no_groups);
        }
        fail(
            "parentheses and powers are not read: write products out, as in 'a*b'; the square of a "
            "column is a column that you make before");
      case '-': {
        const auto after = rest.find_first_not_of(blanks, 1);
        const bool one = after != std::string_view::npos && rest[after] == '1';
        fail(one ? no_intercept : "nothing is taken away: name the terms that stay");
      }
      case '/':
      case '%':
        fail("nested terms are not read: write 'a*b', which fits the same model");
      case '|':
        fail(no_groups);
      case '=':
      case '[':
        if (!rest.starts_with("==")) {
          fail("a level is no term: name the column, and all its levels take part");
        }
        [[fallthrough]];
      case '<':
      case '>':
      case '!':
      case '&':
        fail("nothing is compared: make a column of it before, and list its two values");
      case '~':
        fail("'~' stands once, behind the target");
      case '\'':
      case '"':
        fail(backticks);
      default:
        fail(otherwise);
    }
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

  static constexpr std::string_view no_groups =
      "groups are not read: no random effects are fitted; if records belong together, name the "
      "column that says so as the 'unit' of the schema";

  std::string_view formula_;
  std::size_t at_;
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

std::vector<Term> parse_terms(std::string_view formula, std::size_t begin) {
  constexpr std::string_view itself =
      "a column times itself; its square is a column that you make before";
  std::vector<Term> terms;
  Words words(formula, begin);
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
