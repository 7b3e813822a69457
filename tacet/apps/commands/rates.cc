#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text_table.h"
#include "tacet/base/error.h"
#include "tacet/learn/theory/rates.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view rates_examples =
    "  tacet rates --rows 10000 --columns 500 --rank 5 --radius 2 --epsilon 1\n"
    "  tacet rates --rows 1000,10000,100000,1000000 --columns 500 --csv > rates.csv\n"
    "  tacet rates --rows 1e4 --columns 100 --epsilon 0.1,1,4 --json\n"
    "\n"
    "Excess risk of private linear models as published by Arora et al. (2022), with constants 1\n"
    "and without logarithms: how it changes with each number, not how large it will be. `lower`\n"
    "is what no private algorithm beats; `known` is reached where the norm of the best weights is\n"
    "given, `unknown` where it is searched for. Reads no data.\n";

constexpr std::size_t most_lines = 100000;

/// The problems' numbers and where they are, in the order of columns.
struct Dimension {
  std::string_view name;
  double learn::RateProblem::*field;
};
constexpr std::array dimensions{Dimension{"rows", &learn::RateProblem::rows},
                                Dimension{"columns", &learn::RateProblem::columns},
                                Dimension{"rank", &learn::RateProblem::rank},
                                Dimension{"radius", &learn::RateProblem::radius},
                                Dimension{"epsilon", &learn::RateProblem::epsilon}};

class Rates : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "rates", "Print how fast errors of private linear models fall", rates_examples);
    const auto list = [&](const std::string& name, std::size_t at, const std::string& help) {
      options.add("--" + name, lists_.at(at), "NUMBER,...", help, Form::list);
    };
    list("rows", 0, "Numbers of records (required)");
    list("columns", 1, "Numbers of columns (required)");
    list("rank", 2, "Ranks of the records' second moments [default: all columns]");
    list("radius", 3, "Norms of the best weights [default: 1]");
    list("epsilon", 4, "Privacy parameters [default: 1]");
    options.add("--row-norm", row_norm_, "NUMBER", "Bound of a record's norm");
    options.add("--label-bound", label_bound_, "NUMBER",
                "Bound of the labels; the loss at prediction 0 is at most its square");
    options.add("--curvature", curvature_, "NUMBER", "Bound of a smooth loss's curvature");
    options.add("--slope", slope_, "NUMBER", "Bound of a Lipschitz loss's slope");
    options.flag("--csv", csv_, "Print lines with commas instead of a table");
    options.exclude("--csv", "--json");
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    std::vector<Line> lines;
    for (const auto& problem : problems(cancel)) {
      lines.push_back({problem, learn::smooth_rates(problem), learn::lipschitz_rates(problem)});
    }
    console.result(console.json() ? json_text(json(lines)) : csv_ ? csv(lines) : table(lines));
  }

 private:
  struct Line {
    learn::RateProblem problem;
    learn::RateBounds smooth;
    learn::RateBounds lipschitz;
  };

  static double positive(std::string_view option, std::string_view text) {
    const double value = number_option(option, text, "a number above 0");
    if (value > 0 && std::isfinite(value)) return value;
    throw base::UsageError("{} must be a finite number above 0, got {}", option, text);
  }

  /// What was given for a dimension; nothing where none was.
  [[nodiscard]] std::vector<double> given(std::size_t at) const {
    std::vector<double> values;
    for (const auto& text : lists_.at(at)) {
      values.push_back(positive(fmt::format("--{}", dimensions.at(at).name), text));
    }
    return values;
  }

  /// Every combination of what was given.
  [[nodiscard]] std::vector<learn::RateProblem> problems(const base::CancelToken& cancel) const {
    learn::RateProblem common;
    common.row_norm = positive("--row-norm", row_norm_);
    common.label_bound = positive("--label-bound", label_bound_);
    common.curvature = positive("--curvature", curvature_);
    common.slope = positive("--slope", slope_);
    std::vector<learn::RateProblem> found{common};
    for (std::size_t at = 0; at < dimensions.size(); ++at) {
      cancel.throw_if_cancelled();
      const auto& [name, field] = dimensions.at(at);
      const auto values = given(at);
      if (values.empty()) {
        if (at < 2) throw base::UsageError("--{} is missing: a number, or several by commas", name);
        if (name == "rank") set_full_rank(found);
        continue;
      }
      if (found.size() * values.size() > most_lines) {
        throw base::UsageError("the lists make more than {} lines; give shorter ones", most_lines);
      }
      std::vector<learn::RateProblem> more;
      for (const auto& problem : found) {
        for (const double value : values) {
          more.push_back(problem);
          more.back().*field = value;
        }
      }
      found = std::move(more);
    }
    return found;
  }

  static void set_full_rank(std::vector<learn::RateProblem>& found) {
    for (auto& problem : found) problem.rank = problem.columns;
  }

  static ordered_json json(const std::vector<Line>& lines) {
    auto out = ordered_json::array();
    for (const auto& line : lines) {
      ordered_json row;
      for (const auto& [name, field] : dimensions) row[std::string(name)] = line.problem.*field;
      for (const auto& [name, bounds] :
           {std::pair{"smooth", line.smooth}, std::pair{"lipschitz", line.lipschitz}}) {
        row[name] = {{"lower", bounds.lower},
                     {"upper_known_norm", bounds.known_norm},
                     {"upper_unknown_norm", bounds.unknown_norm}};
      }
      out.push_back(std::move(row));
    }
    return out;
  }

  static std::vector<double> numbers(const Line& line) {
    std::vector<double> out;
    for (const auto& dimension : dimensions) out.push_back(line.problem.*dimension.field);
    for (const auto& bounds : {line.smooth, line.lipschitz}) {
      out.insert(out.end(), {bounds.lower, bounds.known_norm, bounds.unknown_norm});
    }
    return out;
  }

  static std::string csv(const std::vector<Line>& lines) {
    std::string out =
        "rows,columns,rank,radius,epsilon,smooth_lower,smooth_known,smooth_unknown,"
        "lipschitz_lower,lipschitz_known,lipschitz_unknown\n";
    for (const auto& line : lines) out += fmt::format("{}\n", fmt::join(numbers(line), ","));
    return out;
  }

  static std::string table(const std::vector<Line>& lines) {
    TextTable out({"rows", "columns", "rank", "radius", "epsilon", "smooth: lower", "known",
                   "unknown", "Lipschitz: lower", "known", "unknown"});
    for (const auto& line : lines) {
      std::vector<std::string> cells;
      for (const double number : numbers(line)) {
        const bool bound = cells.size() >= dimensions.size();
        cells.push_back(bound ? fmt::format("{:.4g}", number) : fmt::format("{:.7g}", number));
      }
      out.add(std::move(cells));
    }
    return out.text();
  }

  std::array<std::vector<std::string>, dimensions.size()> lists_;
  std::string row_norm_ = "1";
  std::string label_bound_ = "1";
  std::string curvature_ = "1";
  std::string slope_ = "1";
  bool csv_ = false;
};

}  // namespace

std::unique_ptr<Command> make_rates() { return std::make_unique<Rates>(); }

}  // namespace tacet::apps
