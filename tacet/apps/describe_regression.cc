#include "tacet/apps/describe_regression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/learn/inference/regression_table.h"
#include "tacet/report/regression.h"

namespace tacet::apps {
namespace {

constexpr const char* not_identified = "not identified at this budget";

std::string p_text(double p) { return p < .0001 ? "<.0001" : fmt::format("{:.4f}", p); }

/// What an estimate is, without odds or rates.
class LineTable {
 public:
  LineTable(std::string first, double level, bool ratios) : ratios_(ratios) {
    const auto interval = fmt::format("{:g} % interval", 100 * level);
    header_ = {std::move(first), "estimate",     "std. error", interval, "t", "p",
               "p (Holm)",       "noise widened"};
    if (ratios) header_.insert(header_.begin() + 4, {"exp(estimate)", "its " + interval});
  }
  void add(const learn::TableLine& line, std::optional<double> holm) {
    if (!line.identified) {
      std::vector<std::string> row(header_.size());
      row[0] = line.name;
      row[1] = "-";
      row[3] = not_identified;
      rows_.push_back(std::move(row));
      return;
    }
    const auto between = [](double low, double high) {
      return fmt::format("{:.4g} to {:.4g}", low, high);
    };
    std::vector<std::string> row{line.name, fmt::format("{:.4g}", line.estimate),
                                 fmt::format("{:.3g}", line.standard_error),
                                 between(line.low, line.high)};
    if (ratios_) {
      row.push_back(fmt::format("{:.4g}", std::exp(line.estimate)));
      row.push_back(between(std::exp(line.low), std::exp(line.high)));
    }
    row.push_back(fmt::format("{:.2f}", line.t));
    row.push_back(p_text(line.p));
    row.push_back(holm ? p_text(*holm) : "");
    row.push_back(fmt::format("{:.0f} %", 100 * line.widened));
    rows_.push_back(std::move(row));
  }
  [[nodiscard]] std::string text() const {
    TextTable table(header_);
    for (const auto& row : rows_) table.add(row);
    return table.text();
  }

 private:
  bool ratios_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

std::string goodness_text(const learn::RegressionTable& table) {
  const auto share = learn::known_explained_share(table);
  return share ? paragraph(fmt::format(
                     "R2 {:.3f}, from the slopes' Wald statistic without what noise and "
                     "sampling add to it; too low where many records take no part.",
                     *share))
               : std::string();
}

std::string meaning_text(const model::LinearModel& model, const learn::RegressionTable& table) {
  const auto kind = report::regression_kind(model.loss);
  std::string text = fmt::format(
      "Coefficients are in the units of the file{}. They are estimated with rows beyond reach "
      "{:.3g} weighted down{}. Standard errors, intervals and tests (by t distributions) hold "
      "sampling error (robust, by the sandwich estimator) and privacy noise together; the last "
      "column says by how much noise made an interval wider. ",
      kind == "logistic"  ? ", on the log odds; exp(estimate) is the odds ratio"
      : kind == "poisson" ? ", on the logarithm of the mean; exp(estimate) is the rate ratio"
                          : "",
      table.reach,
      kind == "linear"
          ? fmt::format(" and residuals beyond {0:.3g} counted as {0:.3g}", table.residual_cut)
          : "");
  if (!table.references.empty()) {
    text += fmt::format("Categories are compared with {}. ", fmt::join(table.references, ", "));
  }
  text += fmt::format(
      "Records that lack a value of the terms or the target take no part; {} are declared. ",
      table.rows);
  return paragraph(text);
}

std::string test_text(const learn::JointTest& test) {
  if (!test.identified) return "not identified at this budget";
  return fmt::format("F({}, {:.0f}) = {:.3g}, p {}", test.combinations, test.degrees_of_freedom,
                     test.statistic, p_text(test.p));
}

/// Wald tests of several coefficients together.
std::string tests_text(const model::ModelFile& file, const learn::RegressionTable& table,
                       std::span<const std::string> contrasts) {
  std::string text;
  for (const auto& test : report::terms_tested(file)) {
    text += paragraph(fmt::format("All {} coefficients of {} are 0: {}.", test.combinations,
                                  test.name, test_text(test)));
  }
  if (contrasts.size() > 1 && learn::has_joint_tests(file.model)) {
    text += paragraph(fmt::format("All {} contrasts are 0: {}.", contrasts.size(),
                                  test_text(learn::contrast_set(table, contrasts).test)));
  }
  return text;
}

}  // namespace

std::string regression_text(const model::ModelFile& file, const Console& console, double level,
                            std::span<const std::string> contrasts) {
  const auto& model = file.model;
  const auto table = learn::table_of(model);
  const bool ratios = report::regression_kind(model.loss) != "linear";
  const auto lines = learn::table_lines(table, level);
  const auto corrected = learn::holm_of_slopes(lines);
  LineTable shown(model.table->terms.empty() ? "intercept alone" : "coefficient", level, ratios);
  for (std::size_t k = 0; k < lines.size(); ++k) shown.add(lines[k], corrected[k]);
  auto text = shown.text();
  if (!contrasts.empty()) {
    LineTable more("contrast", level, ratios);
    for (const auto& contrast : contrasts) {
      more.add(learn::contrast_line(table, contrast, level), std::nullopt);
    }
    text += "\n" + more.text();
  }
  text +=
      "\n" + tests_text(file, table, contrasts) + goodness_text(table) + meaning_text(model, table);
  for (const auto& doubt : report::regression_doubts(model)) {
    text += paragraph(console.spelled(doubt));
  }
  return text;
}

}  // namespace tacet::apps
