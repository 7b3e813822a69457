#include "tacet/report/regression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/inference/regression_table.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

/// The number of a line or a test; null where the noise hides it.
ordered_json number_if(bool identified, double value) {
  return identified ? ordered_json(value) : ordered_json();
}

ordered_json line_json(const learn::TableLine& line, bool ratios) {
  ordered_json out;
  out["name"] = line.name;
  out["identified"] = line.identified;
  const auto put = [&](const char* name, double value) {
    out[name] = number_if(line.identified, value);
  };
  put("estimate", line.estimate);
  put("standard_error", line.standard_error);
  put("low", line.low);
  put("high", line.high);
  put("degrees_of_freedom", line.degrees_of_freedom);
  put("t", line.t);
  put("p", line.p);
  put("widened_by_noise", line.widened);
  if (!ratios) return out;
  put("ratio", std::exp(line.estimate));
  put("ratio_low", std::exp(line.low));
  put("ratio_high", std::exp(line.high));
  return out;
}

ordered_json test_json(const learn::JointTest& test) {
  ordered_json out;
  if (!test.name.empty()) out["term"] = test.name;
  out["identified"] = test.identified;
  out["combinations"] = test.combinations;
  out["statistic"] = number_if(test.identified, test.statistic);
  out["degrees_of_freedom"] = number_if(test.identified, test.degrees_of_freedom);
  out["p"] = number_if(test.identified, test.p);
  return out;
}

/// Rows of the matrix, with null where a coefficient is not identified.
ordered_json covariance_json(const Eigen::MatrixXd& matrix) {
  auto rows = ordered_json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    auto row = ordered_json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      row.push_back(std::isnan(matrix(i, j)) ? ordered_json() : ordered_json(matrix(i, j)));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string blurred_text(const learn::RegressionTable& table) {
  return fmt::format(
      "Noise hides how rows spread in {} of {} directions, for example because columns nearly "
      "repeat each other or a level is rare. So noise decides which rows lie beyond the reach and "
      "are weighted down: if the model is wrong, they move what is estimated.",
      table.blurred, table.names.size());
}

}  // namespace

std::string regression_kind(const model::Loss& loss) {
  if (std::holds_alternative<model::SquaredLoss>(loss)) return "linear";
  return std::holds_alternative<model::LogisticLoss>(loss) ? "logistic" : "poisson";
}

std::vector<learn::JointTest> terms_tested(const model::ModelFile& file) {
  if (!learn::has_joint_tests(file.model)) return {};
  const auto table = learn::table_of(file.model);
  const auto design = learn::regression_design(file.schema, file.model.table->terms);
  if (design.names != table.names) {
    throw base::DataError("the lines of the table do not follow from its terms and its schema");
  }
  return learn::term_tests(table, design);
}

std::string near_limit_text(const model::RegressionNumbers& table) {
  if (!table.near_limit) return {};
  return "Doubtful: as far as noise shows, the fit may have stopped before its end, because one "
         "class is rarer than about 4 in 100 records or a column decides the class nearly alone. "
         "Intervals then hold less often than they say; of the intercept, 2 of 9 did in "
         "simulations with 3 in 100. If you know that the rarer class has 5 in 100 records or more "
         "and no column decides alone, they hold.";
}

std::vector<std::string> regression_doubts(const model::LinearModel& model) {
  const auto table = learn::table_of(model);
  std::vector<std::string> doubts;
  if (regression_kind(model.loss) == "poisson") {
    doubts.emplace_back(
        "EXPERIMENTAL: intervals of counts were seen to hold 90 of 100 times where 95 were "
        "promised, if counts vary more than Poisson's law says; there is no joint test of "
        "several.");
  }
  if (table.blurred > 0) doubts.push_back(blurred_text(table));
  if (auto near = near_limit_text(*model.table); !near.empty()) doubts.push_back(std::move(near));
  if (!table.converged) {
    doubts.emplace_back(
        "Nothing is stated: as far as noise shows, the linear predictor is farther from 0 than the "
        "fit's steps get. Most often a column decides the class nearly alone, or one class is "
        "rarer than about 4 in 100 records, which no budget changes. Leave that column out.");
    return doubts;
  }
  if (std::ranges::count(table.identified, true) == 0) {
    doubts.emplace_back(
        "Nothing is identified. Either the budget is too small for these records, or hardly any "
        "record has the target and all terms: a value that is missing, unreadable or in no list "
        "leaves its record out. The owner of the records can count such values by `schema.check`.");
    return doubts;
  }
  std::vector<std::string> hidden;
  for (const auto& line : learn::table_lines(table)) {
    if (!line.identified) hidden.push_back(line.name);
  }
  const bool cut = table.with_goodness && table.residual_cut < 5.9 * table.residual_stddev;
  if (cut && !hidden.empty() && hidden.front() == "(intercept)") {
    doubts.emplace_back(
        "The intercept is not identified: residuals are cut so near that skewed errors would move "
        "it. A larger budget has a wider cut. If you know that errors are symmetric, say so when "
        "you train: `errors=symmetric`.");
    hidden.erase(hidden.begin());
  }
  if (!hidden.empty()) {
    doubts.push_back(fmt::format(
        "Not identified: {}. The noise hides what this needs. That says nothing about the effect. "
        "More records, a larger epsilon, fewer terms, rare categories merged or a smaller reach "
        "(`reach`, {:.3g} here; the plan chooses at least 3) may identify it.",
        fmt::join(hidden, ", "), table.reach));
  }
  return doubts;
}

ordered_json regression_json(const model::ModelFile& file, double level,
                             std::span<const std::string> contrasts) {
  const auto& model = file.model;
  const auto table = learn::table_of(model);
  const auto kind = regression_kind(model.loss);
  const bool ratios = kind != "linear";
  ordered_json out;
  out["kind"] = kind;
  out["experimental"] = kind == "poisson";
  out["terms"] = model.table->terms;
  out["level"] = level;
  out["reach"] = table.reach;
  out["rows"] = table.rows;
  out["references"] = table.references;
  const auto lines = learn::table_lines(table, level);
  const auto corrected = learn::holm_of_slopes(lines);
  out["coefficients"] = ordered_json::array();
  for (std::size_t k = 0; k < lines.size(); ++k) {
    auto line = line_json(lines[k], ratios);
    line["p_holm"] = corrected[k] ? ordered_json(*corrected[k]) : ordered_json();
    out["coefficients"].push_back(std::move(line));
  }
  out["contrasts"] = ordered_json::array();
  for (const auto& contrast : contrasts) {
    out["contrasts"].push_back(line_json(learn::contrast_line(table, contrast, level), ratios));
  }
  out["term_tests"] = ordered_json::array();
  for (const auto& test : terms_tested(file)) out["term_tests"].push_back(test_json(test));
  if (contrasts.size() > 1 && learn::has_joint_tests(model)) {
    const auto set = learn::contrast_set(table, contrasts);
    out["joint_test"] = test_json(set.test);
    out["contrast_covariance"] = covariance_json(set.covariance);
  }
  out["covariance"] = covariance_json(table.covariance());
  out["sampling_covariance"] = covariance_json(table.sampling);
  out["row_shape"] = covariance_json(table.row_shape);
  out["converged"] = table.converged;
  out["near_limit"] = table.near_limit;
  out["blurred_directions"] = table.blurred;
  if (const auto share = learn::known_explained_share(table)) out["r_squared"] = *share;
  if (table.residual_stddev > 0) out["residual_stddev"] = table.residual_stddev;
  if (table.residual_cut > 0) out["residual_cut"] = table.residual_cut;
  return out;
}

}  // namespace tacet::report
