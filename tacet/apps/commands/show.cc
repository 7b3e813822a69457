#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tacet/apps/coefficient_report.h"
#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/describe_curves.h"
#include "tacet/apps/describe_learner.h"
#include "tacet/apps/describe_regression.h"
#include "tacet/apps/describe_wide.h"
#include "tacet/apps/recorded_cost.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/model/lifted_model.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/statement.h"
#include "tacet/report/regression.h"
#include "tacet/report/regression_file.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view show_examples =
    "  tacet show model.json          coefficients, settings and the guarantee in two lines\n"
    "  tacet show model.json --guarantee   the guarantee in full\n"
    "  tacet show model.json --json   the same for a program\n"
    "  tacet show model.json --dense  of projected rows: every column's coefficient\n"
    "  tacet show table.json --contrast \"ward=2 - ward=3\"   of a regression table\n"
    "  tacet show table.json --contrast \"10 * age\"   what 10 units more do; odds ratios too\n"
    "  tacet show table.json --format latex   the table for a paper; csv for a spreadsheet\n"
    "  tacet show state.bin           a learner's state that `tacet local simulate --state` wrote\n"
    "\n"
    "`noise sd` is the standard deviation of the privacy noise in a coefficient, or a bound of it\n"
    "where the path of training shows no more; the interval holds what the coefficient would be\n"
    "without that noise in about 95 of 100 runs. Neither contains the sampling error of the\n"
    "data: method inference leaves a table whose intervals hold both.\n";

class Show : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "show", "Print a model and what it cost", show_examples);
    options.add("model", model_, "FILE",
                "Model file that `tacet train` wrote, or a learner's state", Form::required);
    options.flag("--dense", dense_,
                 "Of a model of projected rows: the coefficients of all columns");
    options.add(
        "--contrast", contrasts_, "TEXT",
        "Of a regression table: also a combination of coefficients, as \"ward=2 - ward=3\"; "
        "may be given several times");
    options.add("--level", level_, "NUMBER",
                "Of a regression table: how often intervals hold [default: 0.95]");
    options.add("--format", format_, "csv|latex",
                "Of a regression table: only its lines, for a spreadsheet or for a paper");
    options.flag("--guarantee", guarantee_,
                 "Only the promise, in full: to whom, against whom, and on what assumptions; of "
                 "any result with a receipt");
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    if (const auto learner = load_learner(model_)) {
      console.result(console.json() ? json_text(learner_json(*learner)) : learner_text(*learner));
      return;
    }
    if (guarantee_ && !console.json()) {
      const auto receipt = read_result(model_).receipt;  // of any result, as in verify
      warn_if_unprotected(console, receipt);
      console.result(paragraph(privacy::statement(receipt)));
      return;
    }
    auto file = model::load_model(model_);
    warn_if_unprotected(console, file.receipt);
    if (dense_ && !file.schema.projection) {
      throw base::UsageError("--dense lifts a projected model; this one has no projection");
    }
    if (!file.model.table && (!contrasts_.empty() || !level_.empty() || !format_.empty())) {
      throw base::UsageError(
          "--contrast, --level and --format are of regression tables, which method inference "
          "leaves; this model's coefficients have no sampling error that is known");
    }
    if (!format_.empty()) {
      if (console.json()) throw base::UsageError("--json and --format exclude each other");
      console.result(report::regression_file(file, format_, level(), contrasts_));
      for (const auto& doubt : report::regression_doubts(file.model)) {
        console.say(doubt);
      }
      return;
    }
    if (file.schema.projection) lift(file);
    console.result(console.json() ? json_text(json(file)) : text(file, console));
  }

 private:
  void lift(model::ModelFile& file) {
    const auto& schema = file.schema;
    const auto short_weights = file.model.feature_count();
    const auto hidden = schema.full_column_count();
    auto lifted = model::lifted(schema, file.model,
                                dense_ ? model::LiftedColumns::all : model::LiftedColumns::named);
    const auto shown = lifted.model.feature_count();
    projection_note_ = fmt::format(
        "Rows are projected by {} to {} places. {} of {} columns are shown, lifted from {} "
        "weights{}.",
        data::projection_name(*schema.projection), schema.projection->width, shown, hidden,
        short_weights,
        shown < hidden ? "; --dense shows those of hashed values, words and numbered features too"
                       : "");
    file.schema = std::move(lifted.schema);
    file.model = std::move(lifted.model);
  }

  [[nodiscard]] double level() const {
    return level_.empty() ? .95 : number_option("--level", level_, "a number between 0 and 1");
  }

  [[nodiscard]] ordered_json json(const model::ModelFile& file) const {
    ordered_json out;
    out["loss"] = loss_name(file.model.loss);
    out["task"] = to_string(file.model.task);
    if (file.model.wide) {
      out["architecture"] = wide_json(file);
    } else if (file.schema.curves) {
      out["curves"] = curves_json(file);
      out["coefficients"] = coefficient_json(file.model);
    } else if (file.model.table) {
      out["table"] = report::regression_json(file, level(), contrasts_);
    } else {
      out["coefficients"] = coefficient_json(file.model);
      out["effects"] = effects_json(file);
    }
    out["receipt"] = ordered_json::parse(privacy::receipt_to_json(file.receipt));
    return out;
  }

  [[nodiscard]] std::string text(const model::ModelFile& file, const Console& console) const {
    const auto& target = *file.schema.target;
    const auto of = target.column.empty() ? "the label" : base::printable(target.column);
    if (file.model.wide) {
      return fmt::format("Wide model of '{}', {} loss\n{}\n\n{}\n{}", of,
                         loss_name(file.model.loss), privacy_line(file.receipt), wide_text(file),
                         receipt_text(file.receipt));
    }
    if (file.model.table) {
      return fmt::format("Regression table of '{}', {}\n{}\n\n{}\n{}", of,
                         report::regression_kind(file.model.loss), privacy_line(file.receipt),
                         regression_text(file, console, level(), contrasts_),
                         receipt_text(file.receipt));
    }
    if (file.schema.curves) {
      return fmt::format("Model of '{}' with curves, {} loss\n{}\n\n{}\n{}", of,
                         loss_name(file.model.loss), privacy_line(file.receipt), curves_text(file),
                         receipt_text(file.receipt));
    }
    const std::string learner(learner_words(file.receipt.algorithm));
    return fmt::format("Linear model of '{}', {} loss\n{}\n{}\n{}{}{}\n{}\n{}", of,
                       loss_name(file.model.loss), privacy_line(file.receipt),
                       learner.empty() ? learner : paragraph(learner),
                       projection_note_.empty() ? "" : paragraph(projection_note_) + "\n\n",
                       coefficient_text(file, std::numeric_limits<std::size_t>::max()),
                       missing_noise_text(file), effects_text(file), receipt_text(file.receipt));
  }

  std::string model_;
  bool dense_ = false;
  std::vector<std::string> contrasts_;
  std::string level_;
  std::string format_;
  bool guarantee_ = false;
  std::string projection_note_;
};

}  // namespace

std::unique_ptr<Command> make_show() { return std::make_unique<Show>(); }

}  // namespace tacet::apps
