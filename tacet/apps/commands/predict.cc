#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/spool_option.h"
#include "tacet/apps/threshold.h"
#include "tacet/base/atomic_file.h"
#include "tacet/data/owner/schema_check.h"
#include "tacet/data/read/csv.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/read/relay.h"
#include "tacet/model/linear_model.h"
#include "tacet/model/model_file.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view predict_examples =
    "  tacet predict model.json new.csv                       one class (or value) per line\n"
    "  tacet predict model.json new.csv --proba               one probability per class\n"
    "  tacet predict model.json new.csv --threshold 0.3       the positive class above it\n"
    "  tacet predict model.json new.csv --output scores.csv   into a file\n"
    "\n"
    "Columns are matched by name, columns the model does not know are ignored, and the order of\n"
    "the records is kept. Predictions speak about the records they are made for: treat them as "
    "you\n"
    "treat those records.\n";

enum class Answer { prediction, probability };

/// Takes the output piece by piece.
using Sink = std::function<void(std::string_view)>;

class Predictor {
 public:
  /// `mapped`: a text more of each record, or none.
  Predictor(const model::LinearModel& model, const data::Dataset& data, Answer answer,
            double threshold, std::vector<std::string> mapped)
      : mapped_(std::move(mapped)),
        model_(model),
        data_(data),
        answer_(answer),
        threshold_(threshold),
        margins_(static_cast<std::size_t>(model.output_count())),
        probabilities_(model.classes.size()) {}

  /// Predictions of all records as CSV, handed on in pieces.
  void csv(const Sink& sink, const base::CancelToken& cancel) {
    std::string out = header();
    for (std::int64_t row = 0; row < data_.rows(); ++row) {
      out += csv_line(row);
      if (!mapped_.empty()) {
        out.pop_back();
        out += "," + data::csv_field(mapped_[static_cast<std::size_t>(row)]) + "\n";
      }
      hand_on(out, sink, cancel);
    }
    sink(out);
  }

  void json(const Sink& sink, const base::CancelToken& cancel) {
    std::string out = "{\n";
    if (!model_.classes.empty()) {
      out += " \"classes\": " + ordered_json(model_.classes).dump() + ",\n";
    }
    out += answer_ == Answer::probability ? " \"probabilities\": [" : " \"predictions\": [";
    for (std::int64_t row = 0; row < data_.rows(); ++row) {
      out += row > 0 ? ",\n  " : "\n  ";
      out += json_value(row).dump();
      hand_on(out, sink, cancel);
    }
    out += "\n ]";
    if (!mapped_.empty()) out += ",\n \"mapped\": " + ordered_json(mapped_).dump();
    sink(out + "\n}\n");
  }

 private:
  static void hand_on(std::string& out, const Sink& sink, const base::CancelToken& cancel) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    if (out.size() < piece) return;
    cancel.throw_if_cancelled();
    sink(out);
    out.clear();
  }

  [[nodiscard]] std::string header() const {
    const std::string more = mapped_.empty() ? "\n" : ",mapped\n";
    if (answer_ == Answer::prediction) return "prediction" + more;
    std::string line;
    for (const auto& name : model_.classes)
      line += (line.empty() ? "" : ",") + data::csv_field(name);
    return line + more;
  }

  void evaluate(std::int64_t row) {
    model::margins(model_, data_, row, margins_);
    if (answer_ == Answer::probability) {
      model::class_probabilities(model_, margins_, probabilities_);
    }
  }

  [[nodiscard]] const std::string& class_name() const {
    return model_
        .classes[static_cast<std::size_t>(model::predicted_class(model_, margins_, threshold_))];
  }

  std::string csv_line(std::int64_t row) {
    evaluate(row);
    if (answer_ == Answer::probability) {
      return fmt::format("{:.6g}\n", fmt::join(probabilities_, ","));
    }
    if (model_.task == model::Task::regression) {
      return fmt::format("{:.10g}\n", model::regression_value(model_, margins_[0]));
    }
    return data::csv_field(class_name()) + "\n";
  }

  ordered_json json_value(std::int64_t row) {
    evaluate(row);
    if (answer_ == Answer::probability) return probabilities_;
    if (model_.task == model::Task::regression) {
      return model::regression_value(model_, margins_[0]);
    }
    return class_name();
  }

  std::vector<std::string> mapped_;
  const model::LinearModel& model_;
  const data::Dataset& data_;
  Answer answer_;
  double threshold_;  // of the margin
  std::vector<double> margins_;
  std::vector<double> probabilities_;
};

class Predict : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "predict", "Apply a model to records", predict_examples);
    options.add("model", model_, "FILE", "Model file that `tacet train` wrote", Form::required);
    options.add_records("data", data_, "File with the records, in the format of the training file",
                        Reading::once);
    options.flag("--proba", proba_, "Print the probability of each class");
    threshold_.declare(options);
    options.flag("--mapped", mapped_,
                 "Add the columns of each record whose values were missing, unknown or out of "
                 "bounds and became what the schema says");
    output_.declare(options);
    spool_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    auto file = model::load_model(model_);
    model::expect_margins(file.model);
    warn_if_unprotected(console, file.receipt);
    if (proba_) expect_probabilities(file.model);
    const double threshold = threshold_.margin(file.model);
    file.schema.unit.reset();  // whose record it is plays no part in a prediction
    file.schema.cost.reset();  // nor does what its fit cost, which names that unit
    ProgressLine progress(console);
    progress.announce("reading " + data_);
    base::ThreadPool threads(base::available_threads());
    std::vector<std::string> mapped;
    std::optional<data::Relay> check;
    if (mapped_) {
      check.emplace(
          [&](std::unique_ptr<data::ByteSource> bytes) {
            mapped = data::mapped_columns(std::move(bytes), data_, file.schema);
          },
          &cancel);
    }
    const auto data = data::read_dataset(data_, file.schema,
                                         {.target = data::TargetUse::absent,
                                          .cancel = &cancel,
                                          .threads = &threads,
                                          .passes = data::Passes::once,
                                          .observers = {check ? &*check : nullptr},
                                          .spool = spool_.open()});
    if (check && !check->finish()) mapped = data::mapped_columns(data_, file.schema);
    progress.clear();
    Predictor predictor(file.model, data, proba_ ? Answer::probability : Answer::prediction,
                        threshold, std::move(mapped));
    write(console, predictor, cancel);
  }

 private:
  static void expect_probabilities(const model::LinearModel& model) {
    if (model.has_probabilities()) return;
    throw base::UsageError(
        "--proba needs a classifier trained with the logistic loss; this model predicts a {} with "
        "the {} loss",
        model.task == model::Task::regression ? "number" : "class", loss_name(model.loss));
  }

  void write(const Console& console, Predictor& predictor, const base::CancelToken& cancel) const {
    const auto to = [&](const Sink& sink) {
      if (console.json()) {
        predictor.json(sink, cancel);
      } else {
        predictor.csv(sink, cancel);
      }
    };
    if (output_.file().empty()) {
      to([&](std::string_view piece) { console.result(piece); });
      return;
    }
    base::AtomicFile file(output_.file(), output_.overwrite());
    to([&](std::string_view piece) { file.write(piece); });
    file.commit();
    console.say(fmt::format("predictions written to {}", output_.file()));
  }

  std::string model_;
  std::string data_;
  OutputOptions output_;
  bool proba_ = false;
  bool mapped_ = false;
  ThresholdOption threshold_;
  SpoolOption spool_;
};

}  // namespace

std::unique_ptr<Command> make_predict() { return std::make_unique<Predict>(); }

}  // namespace tacet::apps
