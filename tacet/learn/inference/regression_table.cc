#include "tacet/learn/inference/regression_table.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "tacet/base/error.h"
#include "tacet/base/text.h"

namespace tacet::learn {
namespace {

using Eigen::VectorXd;

struct LineVariance {
  double sampling;
  double noise;
};

/// Fills in the numbers that follow from an estimate and its law.
TableLine line_of(std::string name, double estimate, LineVariance variance, double freedom,
                  double level) {
  if (!(level > 0 && level < 1)) {
    throw base::UsageError("the level of intervals must be between 0 and 1, got {}", level);
  }
  const double whole = variance.sampling + variance.noise;
  const boost::math::students_t law(freedom);
  TableLine line{.name = std::move(name),
                 .identified = true,
                 .estimate = estimate,
                 .standard_error = std::sqrt(whole),
                 .degrees_of_freedom = freedom};
  const double reach = boost::math::quantile(law, (1 + level) / 2) * line.standard_error;
  line.low = estimate - reach;
  line.high = estimate + reach;
  line.t = estimate / line.standard_error;
  line.p = 2 * boost::math::cdf(boost::math::complement(law, std::abs(line.t)));
  line.widened = std::sqrt(whole / variance.sampling) - 1;
  return line;
}

/// Reads a sum of multiples of names, which may hold blanks and signs: at each place the longest
/// name that fits.
class Contrast {
 public:
  Contrast(const RegressionTable& fitted, std::string_view text) : table_(fitted), text_(text) {
    weights = VectorXd::Zero(fitted.coefficients.size());
    double sign = take('-') ? -1 : 1;
    do {
      add(sign);
      skip_blanks();
      if (at_ == text_.size()) return;
      sign = take('-') ? -1 : 1;
      if (sign > 0 && !take('+')) fail(missing_sign());
    } while (true);
  }

  VectorXd weights{};

 private:
  void add(double sign) {
    double factor = 1;
    const std::size_t begin = (skip_blanks(), at_);
    if (const auto number = take_number(); number && take('*')) {
      factor = *number;
      skip_blanks();
    } else {
      at_ = begin;
    }
    const auto place = take_name();
    if (place) weights[*place] += sign * factor;
  }
  /// The index of a coefficient; none for a reference.
  std::optional<Eigen::Index> take_name() {
    std::size_t longest = 0;
    std::optional<Eigen::Index> found;
    const auto look = [&](const std::string& name, std::optional<Eigen::Index> place) {
      if (name.size() <= longest || !text_.substr(at_).starts_with(name)) return;
      longest = name.size();
      found = place;
    };
    for (std::size_t k = 0; k < table_.names.size(); ++k) {
      look(table_.names[k], static_cast<Eigen::Index>(k));
    }
    for (const auto& name : table_.references) look(name, std::nullopt);
    if (longest == 0) {
      if (const std::size_t begin = at_; take_number()) {
        at_ = begin;
        fail("a number stands before a coefficient with '*' between them, as in '10 * age'");
      }
      const auto word = text_.substr(at_, text_.find_first_of(" +-", at_) - at_);
      fail(fmt::format("the name of a coefficient is expected, as the table has it{}",
                       base::did_you_mean(word, table_.names)));
    }
    at_ += longest;
    return found;
  }
  std::optional<double> take_number() {
    double number = 0;
    const char* end = text_.data() + text_.size();
    const auto [after, fault] = std::from_chars(text_.data() + at_, end, number);
    if (fault != std::errc() || !std::isfinite(number)) return std::nullopt;
    at_ = static_cast<std::size_t>(after - text_.data());
    return number;
  }
  bool take(char sign) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  /// What was found where a sign should be.
  [[nodiscard]] std::string_view missing_sign() const {
    switch (text_[at_]) {
      case '=':
        return "'+' or '-' is expected; that two are equal is tested by 'a - b'";
      case '<':
      case '>':
        return "'+' or '-' is expected; a one-sided p is half of the two-sided one where the "
               "estimate lies on that side";
      case '*':
      case '/':
        return "'+' or '-' is expected; a number stands before a coefficient, as in '10 * age'";
      case ',':
        return "'+' or '-' is expected; each contrast is given by itself";
      default:
        return "'+' or '-' is expected";
    }
  }
  [[noreturn]] void fail(std::string_view what) const {
    // Bytes that continue a UTF-8 character do not count as characters.
    const auto before = text_.substr(0, at_);
    const auto place = std::ranges::count_if(before, [](char c) { return (c & 0xC0) != 0x80; });
    throw base::UsageError("contrast '{}', character {}: {}", text_, place + 1, what);
  }

  const RegressionTable& table_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

RegressionTable regression_table(const RegressionDesign& design,
                                 const RegressionEstimate& estimate) {
  RegressionTable fitted{.names = design.names, .references = design.references};
  const Eigen::MatrixXd map = design.label_scale * design.originals.transpose();
  fitted.coefficients = map * estimate.coefficients;
  fitted.coefficients[0] += design.label_offset;
  fitted.sampling = map * estimate.sampling * map.transpose();
  fitted.noise = map * estimate.noise * map.transpose();
  for (Eigen::Index k = 0; k < map.rows(); ++k) {
    const VectorXd combination = map.row(k).transpose();
    const bool skewed = k == 0 && estimate.narrow_cut;
    fitted.identified.push_back(!skewed && estimate.identifies(combination));
    fitted.degrees_of_freedom.push_back(estimate.degrees_of_freedom(combination));
  }
  fitted.rows = estimate.rows;
  fitted.reach = estimate.reach;
  const Eigen::MatrixXd whitened = estimate.whitening * design.originals;
  fitted.row_shape = whitened.transpose() * whitened;
  fitted.blurred = estimate.blurred;
  fitted.converged = estimate.converged;
  fitted.near_limit = estimate.near_limit;
  const double unit =
      design.mean == optimize::MeanModel::identity ? design.label_scale : 1;  // counts as they are
  fitted.residual_cut = design.mean == optimize::MeanModel::logistic ? 0 : unit * estimate.cut;
  fitted.residual_stddev = unit * estimate.residual_stddev;
  fitted.with_goodness = design.mean == optimize::MeanModel::identity;
  return fitted;
}

model::RegressionNumbers table_numbers(const RegressionTable& fitted, std::string terms) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  model::RegressionNumbers numbers{.terms = std::move(terms),
                                   .names = fitted.names,
                                   .references = fitted.references,
                                   .reach = fitted.reach,
                                   .blurred_directions = fitted.blurred,
                                   .converged = fitted.converged,
                                   .near_limit = fitted.near_limit,
                                   .residual_cut = fitted.residual_cut,
                                   .residual_stddev = fitted.residual_stddev,
                                   .rows = fitted.rows};
  for (std::size_t i = 0; i < fitted.names.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const bool known = fitted.identified[i];
    numbers.coefficients.push_back(known ? fitted.coefficients[row] : unknown);
    numbers.degrees_of_freedom.push_back(known ? fitted.degrees_of_freedom[i] : unknown);
    for (std::size_t j = 0; j <= i; ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      const bool both = known && fitted.identified[j];
      numbers.row_shape.push_back(fitted.row_shape(row, column));
      numbers.sampling.push_back(both ? fitted.sampling(row, column) : unknown);
      numbers.noise.push_back(both ? fitted.noise(row, column) : unknown);
    }
  }
  return numbers;
}

RegressionTable table_of(const model::LinearModel& model) {
  if (!model.table) throw base::InternalError("a model without a table of coefficients");
  const auto& numbers = *model.table;
  const auto count = static_cast<Eigen::Index>(numbers.names.size());
  RegressionTable fitted{.names = numbers.names,
                         .references = numbers.references,
                         .degrees_of_freedom = numbers.degrees_of_freedom,
                         .rows = numbers.rows,
                         .reach = numbers.reach,
                         .residual_cut = numbers.residual_cut,
                         .residual_stddev = numbers.residual_stddev,
                         .blurred = numbers.blurred_directions,
                         .converged = numbers.converged,
                         .near_limit = numbers.near_limit,
                         .with_goodness = std::holds_alternative<model::SquaredLoss>(model.loss)};
  fitted.coefficients = Eigen::Map<const VectorXd>(numbers.coefficients.data(), count);
  const auto symmetric = [&](const std::vector<double>& triangle) {
    return Eigen::MatrixXd::NullaryExpr(count, count, [&](Eigen::Index i, Eigen::Index j) {
      return triangle[model::RegressionNumbers::place(static_cast<std::size_t>(i),
                                                      static_cast<std::size_t>(j))];
    });
  };
  fitted.sampling = symmetric(numbers.sampling);
  fitted.noise = symmetric(numbers.noise);
  fitted.row_shape = symmetric(numbers.row_shape);
  for (std::size_t k = 0; k < numbers.names.size(); ++k) {
    fitted.identified.push_back(numbers.identified(k));
  }
  return fitted;
}

std::vector<TableLine> table_lines(const RegressionTable& fitted, double level) {
  std::vector<TableLine> lines;
  for (std::size_t k = 0; k < fitted.names.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    if (!fitted.identified[k]) {
      lines.push_back({.name = fitted.names[k]});
      continue;
    }
    lines.push_back(line_of(fitted.names[k], fitted.coefficients[at],
                            {fitted.sampling(at, at), fitted.noise(at, at)},
                            fitted.degrees_of_freedom[k], level));
  }
  return lines;
}

VectorXd contrast_weights(const RegressionTable& fitted, std::string_view contrast) {
  return Contrast(fitted, contrast).weights;
}

TableLine contrast_line(const RegressionTable& fitted, std::string_view contrast, double level) {
  const VectorXd weights = contrast_weights(fitted, contrast);
  bool identified = false;
  double freedom = 1e6;
  for (std::size_t k = 0; k < fitted.names.size(); ++k) {
    if (weights[static_cast<Eigen::Index>(k)] == 0) continue;
    if (!fitted.identified[k]) return {.name = std::string(contrast)};
    identified = true;
    freedom = std::min(freedom, fitted.degrees_of_freedom[k]);
  }
  if (!identified) {
    throw base::UsageError("contrast '{}': its terms cancel out; name different coefficients",
                           contrast);
  }
  // for the named ones only: a line that is not identified has no numbers
  double estimate = 0;
  LineVariance variance{0, 0};
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    estimate += weights[i] * fitted.coefficients[i];
    for (Eigen::Index j = 0; j < weights.size(); ++j) {
      if (weights[j] == 0) continue;
      variance.sampling += weights[i] * weights[j] * fitted.sampling(i, j);
      variance.noise += weights[i] * weights[j] * fitted.noise(i, j);
    }
  }
  auto line = line_of(std::string(contrast), estimate, variance, freedom, level);
  if (!(line.standard_error > 0 && std::isfinite(line.low) && std::isfinite(line.high))) {
    throw base::UsageError(
        "contrast '{}': its numbers are too large or too small to be computed with", contrast);
  }
  return line;
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return p_values[k]; });
  std::vector<double> corrected(p_values.size());
  double largest = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto left = static_cast<double>(order.size() - place);
    largest = std::max(largest, std::min(1.0, left * p_values[order[place]]));
    corrected[order[place]] = largest;
  }
  return corrected;
}

std::vector<std::optional<double>> holm_of_slopes(std::span<const TableLine> lines) {
  const auto tested = [&](std::size_t k) { return k > 0 && lines[k].identified; };
  std::vector<double> found;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (tested(k)) found.push_back(lines[k].p);
  }
  const auto corrected = holm(found);
  std::vector<std::optional<double>> out;
  std::size_t next = 0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    out.push_back(tested(k) ? std::optional(corrected[next++]) : std::nullopt);
  }
  return out;
}

std::optional<double> known_explained_share(const RegressionTable& fitted) {
  const bool slopes = std::find(fitted.identified.begin() + 1, fitted.identified.end(), false) ==
                      fitted.identified.end();
  return fitted.with_goodness && slopes ? std::optional(explained_share(fitted)) : std::nullopt;
}

double explained_share(const RegressionTable& fitted) {
  if (!fitted.with_goodness) {
    throw base::UsageError(
        "R^2 is stated only for a target that is a number; its substitutes for other targets are "
        "biased here");
  }
  if (std::find(fitted.identified.begin() + 1, fitted.identified.end(), false) !=
      fitted.identified.end()) {
    throw base::UsageError("R^2 needs all slopes, and some are not identified at this budget");
  }
  const auto slopes = fitted.coefficients.size() - 1;
  if (slopes == 0) return 0;
  const VectorXd slope = fitted.coefficients.tail(slopes);
  const Eigen::LDLT<Eigen::MatrixXd> sampling(fitted.sampling.bottomRightCorner(slopes, slopes));
  const Eigen::MatrixXd noise = fitted.noise.bottomRightCorner(slopes, slopes);
  const double added = static_cast<double>(slopes) + sampling.solve(noise).trace();
  const double wald = std::max(0.0, slope.dot(sampling.solve(slope)) - added);
  return wald / (wald + static_cast<double>(fitted.rows));
}

}  // namespace tacet::learn
