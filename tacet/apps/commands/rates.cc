#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/error.h"
#include "tacet/report/rates.h"

namespace tacet::apps {
namespace {

constexpr std::string_view rates_examples =
    "  tacet rates --rows 10000 --columns 500 --rank 5 --radius 2 --epsilon 1\n"
    "  tacet rates --rows 1000,10000,100000,1000000 --columns 500 --csv > rates.csv\n"
    "  tacet rates --rows 1e4 --columns 100 --epsilon 0.1,1,4 --json\n"
    "\n"
    "Excess risk of private linear models as published by Arora et al. (2022), with constants 1\n"
    "and without logarithms: how it changes with each number, not how large it will be. `lower`\n"
    "is what no private algorithm beats; `known` is reached where the norm of the best weights is\n"
    "given, `unknown` where it is searched for. Reads no data.\n";

using report::rate_dimensions;
using Lines = std::vector<report::RateLine>;

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
    const auto lines = report::rate_lines(problems(cancel));
    console.result(console.json() ? json_text(report::rates_json(lines))
                   : csv_         ? csv(lines)
                                  : table(lines));
  }

 private:
  static double positive(std::string_view option, std::string_view text) {
    const double value = number_option(option, text, "a number above 0");
    if (value > 0 && std::isfinite(value)) return value;
    throw base::UsageError("{} must be a finite number above 0, got {}", option, text);
  }

  /// What was given for a dimension; nothing where none was.
  [[nodiscard]] std::vector<double> given(std::size_t at) const {
    std::vector<double> values;
    for (const auto& text : lists_.at(at)) {
      values.push_back(positive(fmt::format("--{}", rate_dimensions.at(at).name), text));
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
    report::RateLists lists;
    for (std::size_t at = 0; at < lists.size(); ++at) {
      lists.at(at) = given(at);
      if (lists.at(at).empty() && at < 2) {
        throw base::UsageError("--{} is missing: a number, or several separated by commas",
                               rate_dimensions.at(at).name);
      }
    }
    return report::rate_problems(common, lists, &cancel);
  }

  static std::vector<double> numbers(const report::RateLine& line) {
    std::vector<double> out;
    for (const auto& dimension : rate_dimensions) out.push_back(line.problem.*dimension.field);
    for (const auto& bounds : {line.smooth, line.lipschitz}) {
      out.insert(out.end(), {bounds.lower, bounds.known_norm, bounds.unknown_norm});
    }
    return out;
  }

  static std::string csv(const Lines& lines) {
    std::string out =
        "rows,columns,rank,radius,epsilon,smooth_lower,smooth_known,smooth_unknown,"
        "lipschitz_lower,lipschitz_known,lipschitz_unknown\n";
    for (const auto& line : lines) out += fmt::format("{}\n", fmt::join(numbers(line), ","));
    return out;
  }

  static std::string table(const Lines& lines) {
    TextTable out({"rows", "columns", "rank", "radius", "epsilon", "smooth: lower", "known",
                   "unknown", "Lipschitz: lower", "known", "unknown"});
    for (const auto& line : lines) {
      std::vector<std::string> cells;
      for (const double number : numbers(line)) {
        const bool bound = cells.size() >= rate_dimensions.size();
        cells.push_back(bound ? fmt::format("{:.4g}", number) : fmt::format("{:.7g}", number));
      }
      out.add(std::move(cells));
    }
    return out.text();
  }

  std::array<std::vector<std::string>, rate_dimensions.size()> lists_;
  std::string row_norm_ = "1";
  std::string label_bound_ = "1";
  std::string curvature_ = "1";
  std::string slope_ = "1";
  bool csv_ = false;
};

}  // namespace

std::unique_ptr<Command> make_rates() { return std::make_unique<Rates>(); }

}  // namespace tacet::apps
