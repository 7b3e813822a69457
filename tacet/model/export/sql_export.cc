#include "tacet/model/export/sql_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>
#include <utility>
#include <variant>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/model/export/export_notes.h"
#include "tacet/model/export/sql_columns.h"
#include "tacet/model/export/sql_dialect.h"

namespace tacet::model::internal {
namespace {

/// In SQLite, expressions are at most 1000 deep and rows at most 2000 columns wide; in PostgreSQL
/// rows have at most 1664 columns.
constexpr std::size_t max_slots = 400;

using Items = std::vector<std::string>;

class Query {
 public:
  Query(const ModelFile& file, const ExportOptions& options)
      : file_(file),
        model_(file.model),
        schema_(file.schema),
        dialect_(options.dialect),
        options_(options),
        columns_(sql_columns(file.schema, options.dialect)) {
    if (schema_.intercept) {
      columns_.slots.push_back({number(schema_.constant), {}, schema_.full_column_count() - 1, 1});
    }
    if (columns_.slots.size() > max_slots) {
      throw base::UsageError(
          "a record of up to {} features at once is too wide for SQL; at most {} are possible",
          columns_.slots.size(), max_slots);
    }
    suffix_ = file.receipt.is_protected() ? "" : fmt::format("_{}", unprotected_mark);
  }

  std::string text() {
    const auto kept = keep();
    read(kept);
    scale();
    margins();
    const auto results =
        file_.model.task == PredictionTask::regression ? number_results() : class_results();
    check_names(results);
    std::string out;
    for (const auto& line : export_notes(file_, options_)) out += "-- " + line + "\n";
    out += fmt::format("WITH {}\nSELECT ", fmt::join(steps_, ",\n"));
    Items all;
    for (std::size_t k = 0; k < options_.keep.size(); ++k) {
      all.push_back(fmt::format("tacet_keep{} AS {}", k, sql_name(options_.keep[k])));
    }
    for (const auto& [expression, name] : results) {
      all.push_back(fmt::format("{} AS {}", expression, sql_name(name)));
    }
    return out + fmt::format("{}\nFROM tacet_step_{};\n", fmt::join(all, ",\n"), steps_.size());
  }

 private:
  using Results = std::vector<std::pair<std::string, std::string>>;  // expression, name

  [[nodiscard]] std::string number(double value) const { return sql_number(dialect_, value); }

  void step(const Items& items) {
    const auto from = steps_.empty() ? sql_table(options_.table) + " AS r"
                                     : fmt::format("tacet_step_{}", steps_.size());
    // Kept as a table of its own: otherwise expressions are put into each other, and grow.
    steps_.push_back(fmt::format("tacet_step_{} AS MATERIALIZED (SELECT {}\nFROM {})",
                                 steps_.size() + 1, fmt::join(items, ",\n"), from));
  }
  void step_further(Items items) {
    if (items.empty()) return;
    items.insert(items.begin(), "*");
    step(items);
  }

  [[nodiscard]] Items keep() const {
    Items out;
    for (std::size_t k = 0; k < options_.keep.size(); ++k) {
      out.push_back(fmt::format("r.{} AS tacet_keep{}", sql_name(options_.keep[k]), k));
    }
    return out;
  }

  void check_names(const Results& results) const {
    std::set<std::string> names;
    for (const auto& name : options_.keep) {
      if (name.empty()) throw base::UsageError("a name in `keep` is empty");
      if (!names.insert(sql_folded(dialect_, name)).second) {
        throw base::UsageError("`keep` names a column twice");
      }
    }
    for (const auto& [expression, name] : results) {
      if (!names.insert(sql_folded(dialect_, name)).second) {
        throw base::UsageError("`keep` names the column '{}', which the query makes itself", name);
      }
    }
  }

  /// Columns that later steps still need.
  [[nodiscard]] Items carried() const {
    Items out;
    for (std::size_t k = 0; k < options_.keep.size(); ++k) {
      out.push_back(fmt::format("tacet_keep{}", k));
    }
    out.insert(out.end(), columns_.indexes.begin(), columns_.indexes.end());
    return out;
  }

  void read(Items first) {
    auto& steps = columns_.steps;
    first.insert(first.end(), steps[0].begin(), steps[0].end());
    if (first.empty()) first.push_back("1 AS tacet_row");
    step(first);
    for (std::size_t k = 1; k < steps.size(); ++k) step_further(steps[k]);
    auto features = carried();
    for (std::size_t k = 0; k < columns_.slots.size(); ++k) {
      features.push_back(fmt::format("{} AS tacet_v{}", columns_.slots[k].value, k));
    }
    step(features);
  }

  /// The sum of squares of the features of these names, from `start` on.
  [[nodiscard]] std::string squares(std::string_view name, std::string start,
                                    std::size_t count) const {
    for (std::size_t k = 0; k < count; ++k) start += fmt::format(" + {0}{1} * {0}{1}", name, k);
    return start;
  }
  /// Adds the values of all slots as whole numbers of 1/2048, rounded toward zero.
  void add_truncated(Items& items, std::string_view name, std::string_view factor) const {
    for (std::size_t k = 0; k < columns_.slots.size(); ++k) {
      const auto scaled =
          fmt::format("tacet_v{} * ({} * {})", k, factor, number(data::Dataset::feature_scale));
      items.push_back(fmt::format("{} AS {}{}", sql_truncated(dialect_, scaled), name, k));
    }
  }

  void scale() {
    const auto count = columns_.slots.size();
    const bool constant = schema_.row_scaling == data::RowScaling::constant_root;
    const double largest = constant ? 1.0 / std::sqrt(schema_.unscaled_square()) : 1.0;
    const double start = schema_.intercept ? schema_.constant * schema_.constant : 0;
    step_further({squares("tacet_v", number(start), count - (schema_.intercept ? 1 : 0)) +
                  " AS tacet_square"});
    step_further({fmt::format(
        "CASE WHEN tacet_square > {0} THEN {1} ELSE {2} END AS tacet_factor", number(1),
        sql_least(dialect_, number(largest), fmt::format("{} / sqrt(tacet_square)", number(1))),
        number(largest))});
    Items tried;
    add_truncated(tried, "tacet_i", "tacet_factor");
    step_further(tried);
    const auto bound = data::Dataset(schema_.shape()).squared_norm_bound();
    // A row that truncation left just above its bound shrinks.
    step_further(
        {fmt::format("CASE WHEN {} > {} THEN tacet_factor * {} ELSE tacet_factor END AS "
                     "tacet_last",
                     squares("tacet_i", number(0), count), number(static_cast<double>(bound)),
                     number(1 - 0x1p-30))});
    auto items = carried();
    add_truncated(items, "tacet_n", "tacet_last");
    step(items);
  }

  [[nodiscard]] std::string coefficient(const SqlSlot& slot, std::size_t output) const {
    const auto width =
        coefficients_.size() / base::checked_cast<std::size_t>(model_.output_count());
    const auto begin = output * width + base::checked_cast<std::size_t>(slot.first);
    if (slot.index.empty()) return number(coefficients_[begin]);
    auto out = fmt::format("CASE {}", slot.index);
    for (std::int64_t k = 0; k < slot.count; ++k) {
      out += fmt::format("\n WHEN {} THEN {}", k,
                         number(coefficients_[begin + base::checked_cast<std::size_t>(k)]));
    }
    return out + fmt::format(" ELSE {} END", number(0));
  }

  void margins() {
    coefficients_ = full_coefficients(file_);
    auto items = carried();
    for (std::size_t output = 0; output < outputs(); ++output) {
      auto sum = number(0);
      for (std::size_t k = 0; k < columns_.slots.size(); ++k) {
        sum += fmt::format("\n + {} * tacet_n{}", coefficient(columns_.slots[k], output), k);
      }
      items.push_back(fmt::format("({}) * {} AS tacet_m{}", sum,
                                  number(1.0 / data::Dataset::feature_scale), output));
    }
    step(items);
  }

  [[nodiscard]] std::size_t outputs() const {
    return base::checked_cast<std::size_t>(model_.output_count());
  }
  /// Clamped to the range in which exp() raises no error.
  [[nodiscard]] std::string bounded(const std::string& value) const {
    return sql_least(dialect_, number(700), sql_largest(dialect_, value + ", " + number(-700)));
  }
  [[nodiscard]] std::string logistic(const std::string& margin) const {
    return fmt::format("{0} / ({0} + exp({1}))", number(1), bounded("-" + margin));
  }

  [[nodiscard]] Results number_results() const {
    std::string label = "tacet_m0";
    switch (link_of(model_.loss)) {
      case Link::identity:
        label = sql_least(dialect_, number(1), sql_largest(dialect_, label + ", " + number(-1)));
        break;
      case Link::logit:
        label = logistic(label);
        break;
      case Link::log:
        label = fmt::format("exp({})", bounded(sql_least(dialect_, number(0), label)));
        break;
    }
    const bool is_share = properties(model_.loss).labels == Labels::shares;
    const auto share =
        is_share ? label : fmt::format("({} + {}) / {}", label, number(1), number(2));
    return {{fmt::format("{} + ({}) * ({} - {})", number(model_.target_lower), share,
                         number(model_.target_upper), number(model_.target_lower)),
             "prediction" + suffix_},
            {"tacet_m0", "margin" + suffix_}};
  }

  [[nodiscard]] std::string class_text(std::size_t k) const {
    return sql_text(dialect_, model_.classes[k]);
  }

  [[nodiscard]] Results class_results() {
    if (model_.task == PredictionTask::binary) {
      Results out{{fmt::format("CASE WHEN tacet_m0 > {} THEN {} ELSE {} END", number(0),
                               class_text(1), class_text(0)),
                   "prediction" + suffix_},
                  {"tacet_m0", "margin" + suffix_}};
      if (model_.has_probabilities()) {
        out.emplace_back(logistic("tacet_m0"), "probability" + suffix_);
      }
      return out;
    }
    return best_results();
  }

  [[nodiscard]] Results best_results() {
    Items margins;
    for (std::size_t k = 0; k < outputs(); ++k) margins.push_back(fmt::format("tacet_m{}", k));
    step_further({fmt::format("{} AS tacet_best",
                              sql_largest(dialect_, fmt::format("{}", fmt::join(margins, ", "))))});
    std::string best = "CASE";
    Results out;
    for (std::size_t k = 0; k + 1 < outputs(); ++k) {
      best += fmt::format("\n WHEN tacet_m{} = tacet_best THEN {}", k, class_text(k));
    }
    best += fmt::format(" ELSE {} END", class_text(outputs() - 1));
    out.emplace_back(best, "prediction" + suffix_);
    for (std::size_t k = 0; k < outputs(); ++k) {
      out.emplace_back(margins[k], fmt::format("margin_{}{}", k + 1, suffix_));
    }
    if (model_.has_probabilities()) add_probabilities(out);
    return out;
  }

  void add_probabilities(Results& out) {
    const bool softmax = std::holds_alternative<SoftmaxLoss>(model_.loss);
    Items weights;
    std::string total = number(0);
    for (std::size_t k = 0; k < outputs(); ++k) {
      const auto margin = fmt::format("tacet_m{}", k);
      weights.push_back(fmt::format(
          "{} AS tacet_e{}",
          softmax ? fmt::format("exp({})", bounded(margin + " - tacet_best")) : logistic(margin),
          k));
      total += fmt::format(" + tacet_e{}", k);
    }
    step_further(weights);
    for (std::size_t k = 0; k < outputs(); ++k) {
      out.emplace_back(fmt::format("tacet_e{} / ({})", k, total),
                       fmt::format("probability_{}{}", k + 1, suffix_));
    }
  }

  const ModelFile& file_;
  const LinearModel& model_;
  const data::Schema& schema_;
  SqlDialect dialect_;
  const ExportOptions& options_;
  SqlColumns columns_;
  std::vector<double> coefficients_;
  std::string suffix_;
  Items steps_;
};

}  // namespace

std::string sql_export(const ModelFile& file, const ExportOptions& options) {
  expect_exportable(file, "SQL");
  if (file.model.wide || file.schema.curves) {
    throw base::UsageError(
        "a model {} cannot be exported as SQL: a record needs up to a million products, too many "
        "for a query; export it as C or ONNX{}",
        file.model.wide ? "with vectors and layers" : "with principal curves",
        file.model.wide ? "" : ", or train one for SQL with `curves=none`");
  }
  return Query(file, options).text();
}

}  // namespace tacet::model::internal
