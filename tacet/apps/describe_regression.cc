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
      unknown_.push_back(line.name);
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
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  bool ratios_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> unknown_;
};

std::string goodness_text(const learn::RegressionTable& table) {
  const auto share = learn::known_explained_share(table);
  return share ? fmt::format(
                     "R2 {:.3f}, from the slopes' Wald statistic without what noise and "
                     "sampling add to it; too low where many records take no part.\n",
                     *share)
               : std::string();
}

std::string meaning_text(const model::LinearModel& model, const learn::RegressionTable& table) {
  const auto kind = report::regression_kind(model.loss);
  std::string text = fmt::format(
      "Coefficients are in the units of the file{}. Estimated is the coefficient with rows beyond "
      "reach {:.3g} weighted down{}. Standard errors, intervals and tests (of t laws) hold "
      "sampling error (robust: the sandwich's) and privacy noise together; the last column says by "
      "how much noise made an "
      "interval wider. ",
      kind == "logistic"  ? ", on the log odds; exp(estimate) is the odds ratio"
      : kind == "poisson" ? ", on the logarithm of the mean; exp(estimate) is the rate ratio"
                          : "",
      table.reach,
      kind == "linear"
          ? fmt::format(" and residuals beyond {0:.3g} counted as {0:.3g}", table.residual_cut)
          : "");
  if (table.blurred > 0) {
    text += fmt::format(
        "Noise hides how rows spread in {} of {} directions (columns that nearly repeat each "
        "other, "
        "rare levels), and so decides which rows those are: if the model is wrong, they move what "
        "is estimated. ",
        table.blurred, table.names.size());
  }
  if (!table.references.empty()) {
    text += fmt::format("Categories are compared with {}. ", fmt::join(table.references, ", "));
  }
  text += fmt::format(
      "Records that lack a value of the terms or the target take no part; {} are declared. ",
      table.rows);
  if (kind == "poisson") {
    text +=
        "EXPERIMENTAL: intervals of counts were seen to hold 90 of 100 times where 95 were "
        "promised, if counts vary more than Poisson's law says; there is no joint test of several.";
  }
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

/// Why coefficients have no number.
std::string why_unknown(const learn::RegressionTable& table, std::vector<std::string> names) {
  if (!table.converged) {
    return paragraph(
        "Nothing is stated: as far as noise shows, the linear predictor is farther from 0 than the "
        "fit's steps get. Most often a column decides the class nearly alone, or one class is "
        "rarer than about 4 in 100 records, which no budget changes. Leave that column out.");
  }
  std::string text;
  const bool cut = table.with_goodness && table.residual_cut < 5.9 * table.residual_stddev;
  if (cut && !names.empty() && names.front() == "(intercept)") {
    text += paragraph(
        "The intercept is not identified: residuals are cut so near that skewed errors would move "
        "it. A larger budget has a wider cut; if you know that errors are symmetric, say so "
        "(--errors symmetric).");
    names.erase(names.begin());
  }
  if (names.empty()) return text;
  return text + paragraph(fmt::format(
                    "Not identified: {}. The noise hides what this needs, which says nothing of "
                    "the effect. More records, a larger epsilon, fewer terms, rare categories "
                    "merged or a smaller reach ({:.3g} here, 3 is the least that is chosen) may "
                    "identify it.",
                    fmt::join(names, ", "), table.reach));
}

}  // namespace

std::string regression_text(const model::ModelFile& file, double level,
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
  if (const auto doubt = report::near_limit_text(*model.table); !doubt.empty()) {
    text += paragraph(doubt);
  }
  return text + why_unknown(table, shown.unknown());
}

}  // namespace tacet::apps
