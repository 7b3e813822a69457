#include "tacet/report/regression_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/inference/regression_table.h"
#include "tacet/report/regression.h"

namespace tacet::report {
namespace {

/// Lines of the coefficients and then of the contrasts.
struct Lines {
  std::vector<learn::TableLine> lines;
  std::vector<std::optional<double>> holm;
  std::size_t contrasts = 0;  ///< how many of them stand at the end
  bool ratios = false;
};

Lines all_lines(const model::ModelFile& file, double level,
                std::span<const std::string> contrasts) {
  const auto table = learn::table_of(file.model);
  Lines found{.lines = learn::table_lines(table, level),
              .holm = {},
              .contrasts = contrasts.size(),
              .ratios = regression_kind(file.model.loss) != "linear"};
  found.holm = learn::holm_of_slopes(found.lines);
  for (const auto& contrast : contrasts) {
    found.lines.push_back(learn::contrast_line(table, contrast, level));
    found.holm.push_back(std::nullopt);
  }
  return found;
}

/// Within quotation marks where a sign of the format stands in it.
std::string csv_text(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv(const Lines& found) {
  std::string out = "kind,name,estimate,standard_error,low,high,";
  if (found.ratios) out += "ratio,ratio_low,ratio_high,";
  out += "t,degrees_of_freedom,p,p_holm,widened_by_noise\n";
  for (std::size_t k = 0; k < found.lines.size(); ++k) {
    const auto& line = found.lines[k];
    const bool contrast = k + found.contrasts >= found.lines.size();
    out += fmt::format("{},{}", contrast ? "contrast" : "coefficient", csv_text(line.name));
    std::vector<double> numbers{line.estimate, line.standard_error, line.low, line.high};
    if (found.ratios) {
      for (const double value : {line.estimate, line.low, line.high}) {
        numbers.push_back(std::exp(value));
      }
    }
    numbers.insert(numbers.end(), {line.t, line.degrees_of_freedom, line.p});
    for (const double number : numbers) {
      out += line.identified ? fmt::format(",{}", number) : ",";
    }
    out += found.holm[k] ? fmt::format(",{}", *found.holm[k]) : ",";
    out += line.identified ? fmt::format(",{}\n", line.widened) : ",\n";
  }
  return out;
}

std::string latex_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '|':
        out += "\\textbar{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        [[fallthrough]];
      default:
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;  // a line has one line
    }
  }
  return out;
}

std::string p_of(double p) { return p < .001 ? "$<$.001" : fmt::format("{:.3f}", p); }

std::string latex_number(double number, int digits = 4) {
  auto text = fmt::format("{:.{}g}", number, digits);
  std::string sign;
  if (text.front() == '-') {
    sign = "$-$";
    text.erase(0, 1);
  }
  const auto power = text.find('e');
  if (power == std::string::npos) return sign + text;
  return fmt::format("{}{}$\\cdot10^{{{}}}$", sign, text.substr(0, power),
                     std::atoi(text.c_str() + power + 1));
}

std::string latex(const Lines& found, const model::ModelFile& file, double level) {
  const auto interval = fmt::format("{:g}\\,\\% interval", 100 * level);
  const std::size_t columns = found.ratios ? 8 : 6;
  std::string out = fmt::format("\\begin{{tabular}}{{l{}}}\n\\hline\n & estimate & std.~error & {}",
                                std::string(columns - 1, 'r'), interval);
  if (found.ratios) out += " & exp & its " + interval;
  out += " & $p$ & $p$ (Holm) \\\\\n\\hline\n";
  const auto ends = [](double low, double high) {
    return fmt::format("{} to {}", latex_number(low), latex_number(high));
  };
  for (std::size_t k = 0; k < found.lines.size(); ++k) {
    const auto& line = found.lines[k];
    if (found.contrasts > 0 && k + found.contrasts == found.lines.size()) out += "\\hline\n";
    if (!line.identified) {
      out += fmt::format("{} & \\multicolumn{{{}}}{{l}}{{not identified at this budget}} \\\\\n",
                         latex_text(line.name), columns - 1);
      continue;
    }
    out += fmt::format("{} & {} & {} & {}", latex_text(line.name), latex_number(line.estimate),
                       latex_number(line.standard_error, 3), ends(line.low, line.high));
    if (found.ratios) {
      out += fmt::format(" & {} & {}", latex_number(std::exp(line.estimate)),
                         ends(std::exp(line.low), std::exp(line.high)));
    }
    out +=
        fmt::format(" & {} & {} \\\\\n", p_of(line.p), found.holm[k] ? p_of(*found.holm[k]) : "");
  }
  const auto& table = *file.model.table;
  out += "\\hline\n\\end{tabular}\n";
  out += fmt::format(
      "% Errors, intervals and tests (by t distributions) hold sampling error (by the sandwich\n"
      "% estimator) and privacy noise together. Rows beyond reach {:.3g} are weighted down.\n"
      "% {} records are declared.\n",
      table.reach, table.rows);
  for (const auto& doubt : regression_doubts(file.model)) out += "% " + doubt + "\n";
  return out;
}

}  // namespace

std::string regression_file(const model::ModelFile& file, std::string_view format, double level,
                            std::span<const std::string> contrasts) {
  if (!file.model.table) {
    throw base::UsageError(
        "only a regression table has lines to export; method inference leaves one");
  }
  const auto found = all_lines(file, level, contrasts);
  if (format == "csv") return csv(found);
  if (format == "latex") return latex(found, file, level);
  throw base::UsageError("a regression table is exported as csv or latex, not as '{}'", format);
}

}  // namespace tacet::report
