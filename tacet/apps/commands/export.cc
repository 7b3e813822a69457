#include "tacet/model/export/export.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/spending.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/model/model_file.h"

namespace tacet::apps {
namespace {

constexpr std::string_view export_examples =
    "  tacet export model.json --format c -o model.c          one file of C99, no library but "
    "libm\n"
    "  tacet export model.json --format sql --dialect sqlite --table people --keep id\n"
    "                                                         one query that scores a table\n"
    "  tacet export model.json --format coefficients          names, values and units as JSON\n"
    "  tacet verify model.json --export model.c               is it an export of this model?\n"
    "\n"
    "An export has the whole way of a record: missing values, bounds, categories, curves, row\n"
    "scaling, coefficients and link. It carries the guarantee in words, and the name of what\n"
    "an unprotected model exports contains UNPROTECTED.\n";

class Export : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "export", "Write a model as C, SQL or a list of coefficients", export_examples);
    options.add("model", model_, "FILE", "Model file that `tacet train` wrote", Form::required);
    options.add("--format", format_, "FORMAT", "c, sql or coefficients", Form::required);
    options.offer("--format", {"c", "sql", "coefficients"});
    options.add("--dialect", dialect_, "NAME",
                "Of SQL: sqlite, postgresql or duckdb [default: sqlite]");
    options.offer("--dialect", {"sqlite", "postgresql", "duckdb"});
    options.add("--table", table_, "NAME", "Of SQL: the table that is scored [default: records]");
    options.add("--keep", keep_, "COLUMNS",
                "Of SQL: columns of the table that the result repeats, with commas between them",
                Form::list);
    output_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto options = asked();
    if (console.json() && options.format != model::ExportFormat::coefficients) {
      throw base::UsageError(
          "--json: an export as {} is no JSON; leave it out, or give --format coefficients",
          format_);
    }
    const auto file = model::load_model(model_);
    warn_if_unprotected(console, file.receipt);
    const auto text = model::export_model(file, options);
    if (output_.file().empty()) {
      console.result(text);
      return;
    }
    base::write_file(output_.file(), text, output_.overwrite());
    console.say(fmt::format("exported to {}", output_.file()));
  }

 private:
  [[nodiscard]] model::ExportOptions asked() const {
    if (format_ == "onnx") {
      throw base::UsageError(
          "ONNX is written by the Python package: `python -m tacet.export {} -o model.onnx`, with "
          "the packages tacet and onnx installed",
          model_);
    }
    model::ExportOptions options;
    options.format = model::parse_export_format(format_);
    const bool of_sql = !dialect_.empty() || !table_.empty() || !keep_.empty();
    if (of_sql && options.format != model::ExportFormat::sql) {
      throw base::UsageError("--dialect, --table and --keep go with --format sql");
    }
    if (!dialect_.empty()) options.dialect = model::parse_sql_dialect(dialect_);
    if (!table_.empty()) options.table = table_;
    options.keep = keep_;
    return options;
  }

  std::string model_;
  std::string format_;
  std::string dialect_;
  std::string table_;
  std::vector<std::string> keep_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<Export>(); }

}  // namespace tacet::apps
