#include "tacet/learn/inference/regression_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/learn/inference/regression_terms.h"

namespace tacet::learn {
namespace {

using data::CategoricalColumn;
using data::NumericColumn;

// Matrices with this many columns still fit into memory. To identify more, a regression would need
// more records than there are people.
constexpr std::size_t max_columns = 4096;

/// One encoded feature: encoded = scale * original + offset.
struct Factor {
  std::uint32_t column;
  std::string name;
  double scale = 1;
  double offset = 0;
};

/// The factors that a column of the schema contributes to terms.
struct ColumnFactors {
  std::vector<Factor> factors;
  std::optional<std::uint32_t> absent;
  std::optional<data::ColumnRange> present;
  std::optional<std::string> reference;
};

struct FactorMaker {
  const data::Column& column;
  std::uint32_t first;
  bool marked;  ///< it has the schema's own indicator of a missing number

  ColumnFactors operator()(const NumericColumn& rule) const {
    const data::NumericMap map(rule);
    ColumnFactors made{};
    for (std::int64_t place = 0; place < map.width(); ++place) {
      const auto [part, index] = map.feature_at(place);
      const auto at = first + static_cast<std::uint32_t>(place);
      Factor factor{at, map.feature_name(column.name, place)};
      if (part == data::NumericPart::missing && !marked) {
        made.absent = at;
        continue;
      }
      if (part == data::NumericPart::bin) {
        if (index == 0) continue;  // the reference
        factor.scale = map.bin_height();
      }
      if (part == data::NumericPart::line) {
        const double lower = rule.log1p ? std::log1p(rule.lower) : rule.lower;
        factor.scale = map.step();
        factor.offset = map.feature(rule.lower) - factor.scale * lower;
        if (rule.log1p) factor.name = fmt::format("log1p({})", column.name);
      }
      made.factors.push_back(std::move(factor));
    }
    return made;
  }
  ColumnFactors operator()(const CategoricalColumn& rule) const {
    const auto reference = rule.reference.value_or(rule.categories.front());
    const auto width = static_cast<std::uint32_t>(column.width());
    const auto name = [&](const std::string& level) {
      return fmt::format("{}={}", column.name, level);
    };
    ColumnFactors made{.factors = {},
                       .absent = {},
                       .present = {{first, first + width}},
                       .reference = name(reference)};
    if (rule.coding == data::Coding::sign) {
      const bool second = reference == rule.categories[0];
      made.factors.push_back(
          {first, name(rule.categories[second ? 1 : 0]), second ? 2.0 : -2.0, second ? -1.0 : 1.0});
      return made;
    }
    for (std::uint32_t k = 0; k < width; ++k) {
      const bool other = k == rule.categories.size();
      const auto level = other ? "other" : rule.categories[k];
      if (other || level != reference) made.factors.push_back({first + k, name(level)});
    }
    return made;
  }
  template <typename Rule>
  ColumnFactors operator()(const Rule&) const {
    throw base::UsageError(
        "column '{}' is neither numeric nor categorical, and a table of coefficients has no line "
        "for hash buckets, words or ids; leave the column out of the terms",
        column.name);
  }
};

std::vector<Term> all_terms(const data::Schema& schema) {
  std::vector<Term> terms;
  for (const auto& column : schema.columns) {
    if (!column.ignored()) terms.push_back({column.name});
  }
  for (const auto& pair : schema.interactions) terms.push_back({pair.first, pair.second});
  return terms;
}

const data::Column& column_of(const data::Schema& schema, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& column : schema.columns) {
    if (column.name == name && !column.ignored()) return column;
    if (!column.ignored()) names.push_back(column.name);
  }
  if (schema.target && name == schema.target->column) {
    throw base::UsageError("terms: '{}' is the target and cannot be a term", name);
  }
  if (name == ".") {
    throw base::UsageError(
        "terms: '.' stands for all columns, and in no product: write the products out");
  }
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0 && data::parse_number(name)) {
    throw base::UsageError(
        "terms: the number {} is no term; coefficients are for one unit of a column, and a "
        "contrast such as '10 * age' is for more",
        name);
  }
  throw base::UsageError("terms: the schema reads no column '{}'{}", name,
                         base::did_you_mean(name, names));
}

/// The terms with `.` written out, as in `. + age:sex`: all columns and the schema's interactions.
std::vector<Term> written_out(const data::Schema& schema, const std::vector<Term>& terms) {
  std::vector<Term> found;
  for (const auto& term : terms) {
    if (term != Term{"."}) {
      add_term(found, term);
    } else {
      for (const auto& each : all_terms(schema)) add_term(found, each);
    }
  }
  return found;
}

/// A product means the effect of its columns together beyond their own effects. In R it means
/// something else if one of them is not a term.
void check_parts(const data::Schema& schema, const std::vector<Term>& terms) {
  for (const auto& term : terms) {
    for (const auto& name : term) static_cast<void>(column_of(schema, name));
  }
  for (const auto& term : terms) {
    for (std::size_t left_out = 0; term.size() > 1 && left_out < term.size(); ++left_out) {
      Term part = term;
      part.erase(part.begin() + static_cast<std::ptrdiff_t>(left_out));
      if (!has_term(terms, part)) {
        throw base::UsageError(
            "terms: the product {} needs the terms of its parts beside it, as in 'a + b + a:b' or "
            "'a*b'; without them its coefficient would depend on the zero point of numbers and on "
            "the reference category",
            terms_text({term}));
      }
    }
  }
}

/// Only the columns of the terms, in the schema's order.
data::Schema reading_schema(const data::Schema& schema, const std::vector<Term>& terms) {
  std::set<std::string> named;
  for (const auto& term : terms) {
    for (const auto& name : term) named.insert(column_of(schema, name).name);
  }
  data::Schema used = schema;
  used.interactions.clear();
  // A record without a target is marked, and has no row (optimize/sums/design_row.h).
  used.target->missing_target = data::MissingTarget::drop_unlisted;
  std::erase_if(used.columns,
                [&](const data::Column& column) { return !named.contains(column.name); });
  for (auto& column : used.columns) {
    auto* number = std::get_if<NumericColumn>(&column.rule);
    if (number == nullptr) continue;
    if (number->hat_functions() > 0) {
      throw base::UsageError(
          "column '{}' has knots, and a table of coefficients has no line for them; remove "
          "'knots', or use 'bins' with bins_only = true",
          column.name);
    }
    number->knots = 0;
    number->missing_indicator = true;
  }
  return data::raw_schema(used);
}

void describe_target(RegressionDesign& made, const data::Schema& schema) {
  if (!schema.target) {
    throw base::UsageError("a regression needs a target; the schema names none");
  }
  if (schema.projection || schema.selected_columns) {
    throw base::UsageError(
        "method inference has a line for each column; leave the projection or the selected columns "
        "out of the schema");
  }
  if (!schema.intercept || schema.features) {
    throw base::UsageError(
        "method inference reads columns by name and fits an intercept; describe the columns by "
        "[[column]], and leave 'intercept' out");
  }
  const auto& target = *schema.target;
  if (std::holds_alternative<data::BinaryTarget>(target.rule)) {
    made.mean = optimize::MeanModel::logistic;
    return;
  }
  const auto* number = std::get_if<data::RegressionTarget>(&target.rule);
  if (number == nullptr || number->kind == data::NumberKind::probability) {
    throw base::UsageError(
        "method inference takes a target of two classes, a number or a count; this target is {}",
        number == nullptr ? "one of several classes" : "a probability");
  }
  if (number->kind == data::NumberKind::count) {
    made.mean = optimize::MeanModel::poisson;
    made.largest_count = number->upper;
    return;
  }
  made.label_scale = (number->upper - number->lower) / 2;
  made.label_offset = number->lower + made.label_scale;
}

/// The factors of the columns, by name, and the columns that a complete record needs.
std::map<std::string, std::vector<Factor>> column_factors(RegressionDesign& made,
                                                          const data::Schema& schema) {
  std::map<std::string, std::vector<Factor>> factors;
  std::uint32_t first = 0;
  for (const auto& column : made.reading.columns) {
    const auto* given = std::get_if<NumericColumn>(&column_of(schema, column.name).rule);
    const FactorMaker maker{column, first, given != nullptr && given->missing_indicator};
    auto found = std::visit(maker, column.rule);
    if (found.absent) made.design.absent.push_back(*found.absent);
    if (found.present) made.design.present.push_back(*found.present);
    if (found.reference) made.references.push_back(*found.reference);
    factors.emplace(column.name, std::move(found.factors));
    first += static_cast<std::uint32_t>(column.width());
  }
  return factors;
}

/// The columns of all terms, each a product of factors.
class Products {
 public:
  explicit Products(const std::map<std::string, std::vector<Factor>>& factors) : factors_(factors) {
    products_.emplace_back();
  }
  /// How many products the term has.
  std::size_t add(const Term& term) {
    std::vector<std::vector<Factor>> made(1);
    for (const auto& name : term) {
      std::vector<std::vector<Factor>> longer;
      for (const auto& product : made) {
        for (const auto& factor : factors_.at(name)) {
          longer.push_back(product);
          longer.back().push_back(factor);
        }
      }
      made = std::move(longer);
      if (products_.size() + made.size() > max_columns) {
        throw base::UsageError(
            "terms: a table has at most {} coefficients; {} with what stands before it has more",
            max_columns, terms_text({term}));
      }
    }
    for (auto& product : made) products_.push_back(std::move(product));
    return made.size();
  }
  void describe(RegressionDesign& made) const {
    for (const auto& product : products_) {
      optimize::DesignColumn column;
      std::string name;
      for (const auto& factor : product) {
        column.factors.push_back(factor.column);
        name += (name.empty() ? "" : ":") + factor.name;
      }
      made.design.columns.push_back(std::move(column));
      made.names.push_back(name.empty() ? "(intercept)" : std::move(name));
    }
    std::map<std::set<std::uint32_t>, Eigen::Index> places;
    for (std::size_t k = 0; k < products_.size(); ++k) {
      std::set<std::uint32_t> columns;
      for (const auto& factor : products_[k]) columns.insert(factor.column);
      places.emplace(std::move(columns), static_cast<Eigen::Index>(k));
    }
    const auto count = static_cast<Eigen::Index>(products_.size());
    made.originals = Eigen::MatrixXd::Zero(count, count);
    for (std::size_t k = 0; k < products_.size(); ++k) expand(made, k, places);
  }

 private:
  /// prod (scale x + offset) is a sum over all subsets of factors that keep their x.
  void expand(RegressionDesign& made, std::size_t k,
              const std::map<std::set<std::uint32_t>, Eigen::Index>& places) const {
    const auto& product = products_[k];
    for (std::size_t kept = 0; kept < std::size_t{1} << product.size(); ++kept) {
      double weight = 1;
      std::set<std::uint32_t> part;
      for (std::size_t i = 0; i < product.size(); ++i) {
        const bool keeps = (kept >> i & 1) != 0;
        weight *= keeps ? product[i].scale : product[i].offset;
        if (keeps) part.insert(product[i].column);
      }
      if (weight == 0) continue;
      const auto found = places.find(part);
      if (found == places.end()) {
        throw base::InternalError("the product {} has parts that are no terms", made.names[k]);
      }
      made.originals(static_cast<Eigen::Index>(k), found->second) += weight;
    }
  }

  const std::map<std::string, std::vector<Factor>>& factors_;
  std::vector<std::vector<Factor>> products_;
};

/// Lines are identified by their names, and contrasts also use the names of references.
void check_names(const RegressionDesign& made) {
  std::set<std::string> names;
  for (const auto* list : {&made.names, &made.references}) {
    for (const auto& name : *list) {
      if (names.insert(name).second) continue;
      throw base::UsageError(
          "two lines of the table would be called '{}': give one of the columns or categories "
          "another name, in the schema and in the records",
          name);
    }
  }
}

/// The beginning of the terms, after `target ~` if that is given. UsageError for another target.
std::size_t begin_of_terms(const data::Schema& schema, std::string_view formula) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto tilde = formula.find('~');
  auto left = tilde == std::string_view::npos ? "`" : formula.substr(0, tilde);
  left.remove_prefix(std::min(left.find_first_not_of(blanks), left.size()));
  left = left.substr(0, left.find_last_not_of(blanks) + 1);
  if (left.size() > 2 && left.front() == '`' && left.back() == '`') {
    left = left.substr(1, left.size() - 2);
  }
  if (left.find('`') != std::string_view::npos) return 0;  // the sign belongs to a column's name
  if (!left.empty() && (!schema.target || left != schema.target->column)) {
    const bool computed = left.find('(') != std::string_view::npos;
    throw base::UsageError(
        "terms: '{}' stands before '~', and the schema's target is '{}'; {}", left,
        schema.target ? schema.target->column : "",
        computed ? "for the logarithm of a target, compute it as a column of its own, with its own "
                   "bounds"
                 : "for another target write another schema");
  }
  if (formula.find_first_not_of(blanks, tilde + 1) == std::string_view::npos) {
    throw base::UsageError("terms: nothing stands after '~'; '.' stands for all columns");
  }
  return tilde + 1;
}

}  // namespace

RegressionDesign regression_design(const data::Schema& schema, std::string_view terms) {
  RegressionDesign made;
  describe_target(made, schema);
  const auto wanted = terms.empty()
                          ? all_terms(schema)
                          : written_out(schema, parse_terms(terms, begin_of_terms(schema, terms)));
  check_parts(schema, wanted);
  made.terms = terms_text(wanted);
  made.reading = reading_schema(schema, wanted);
  const auto factors = column_factors(made, schema);
  Products products(factors);
  for (const auto& term : wanted) made.term_lines.push_back(products.add(term));
  products.describe(made);
  check_names(made);
  return made;
}

}  // namespace tacet::learn
